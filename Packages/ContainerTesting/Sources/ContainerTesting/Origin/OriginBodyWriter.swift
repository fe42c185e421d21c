// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import HummingbirdCore
internal import NIOCore

/// Writes the body of an ``OriginResponse``.
public struct OriginBodyWriter {
    private var base: any ResponseBodyWriter

    init(_ base: any ResponseBodyWriter) {
        self.base = base
    }

    /// Sends bytes. It returns when the connection can accept more.
    public mutating func write(_ data: Data) async throws {
        try await base.write(ByteBuffer(bytes: data))
    }
}
