// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore

/// A body writer that forwards a number of bytes to another writer and then fails.
struct FaultyBodyWriter: ResponseBodyWriter {
    private var base: any ResponseBodyWriter
    private var remaining: Int
    private let fail: @Sendable () async throws -> Void

    /// - Parameter fail: A closure that is called once when more bytes than `limit` are written. It throws an error.
    init(_ base: any ResponseBodyWriter, limit: Int, fail: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.remaining = limit
        self.fail = fail
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        guard buffer.readableBytes > remaining else {
            remaining -= buffer.readableBytes
            try await base.write(buffer)
            return
        }
        var buffer = buffer
        if remaining > 0, let part = buffer.readSlice(length: remaining) {
            try await base.write(part)
        }
        remaining = 0
        try await fail()
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await base.finish(trailingHeaders)
    }
}
