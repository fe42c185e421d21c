// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// An exchange of raw bytes with a server, for requests that no Foundation client sends.
enum RawExchange {
    /// Sends the bytes and reads until the server closes the connection. The blocking calls run on a thread of their
    /// own, because the origin needs the thread pool.
    static func run(_ bytes: Data, port: UInt16) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try exchange(bytes, port: port) })
            }
        }
    }

    private static func exchange(_ bytes: Data, port: UInt16) throws -> String {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let connection = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // The time-out makes the test fail if the server never closes the connection.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        try connection.write(contentsOf: bytes)
        return String(decoding: try connection.readToEnd() ?? Data(), as: UTF8.self)
    }
}
