// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import WebEngine

/// A request for a connection that a test sends to a SOCKS5 proxy on 127.0.0.1 (RFC 1928, RFC 1929).
enum SOCKSRequest {
    struct Failure: Error {}

    /// Sends a request and closes the connection. It waits at most 20 seconds for each reply.
    /// - Parameters:
    ///   - host: the requested name. The port is 443.
    ///   - proxy: the proxy with its credentials.
    ///   - hasCredentials: a Boolean value that indicates whether the password is sent, and not another one.
    /// - Returns: the code of the reply, which is 0 for a connection; `nil` if the proxy has refused the credentials.
    @concurrent
    static func send(to host: String, by proxy: EngineProxy, hasCredentials: Bool = true) async throws -> UInt8? {
        #if os(Linux)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(proxy.port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard isConnected == 0, let credentials = proxy.credentials else { throw Failure() }
        try write([5, 1, 2], to: descriptor)
        guard try read(2, from: descriptor) == [5, 2] else { throw Failure() }
        let texts = [credentials.username, hasCredentials ? credentials.password : "other"].map { Array($0.utf8) }
        try write([1] + texts.flatMap { [UInt8($0.count)] + $0 }, to: descriptor)
        guard try read(2, from: descriptor) == [1, 0] else { return nil }
        try write([5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8) + [1, 187], to: descriptor)
        return try read(2, from: descriptor)[1]
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) throws {
        #if os(Linux)
            // Without the flag, a write to a closed connection would end the process.
            let flags = CInt(MSG_NOSIGNAL)
        #else
            let flags: CInt = 0
        #endif
        guard Foundation.send(descriptor, bytes, bytes.count, flags) == bytes.count else { throw Failure() }
    }

    private static func read(_ count: Int, from descriptor: CInt) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard recv(descriptor, &bytes, count, CInt(MSG_WAITALL)) == count else { throw Failure() }
        return bytes
    }
}
