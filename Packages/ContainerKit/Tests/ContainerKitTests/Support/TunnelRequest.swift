// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import WebEngine
import WebSyntax

/// A request for a tunnel that a test sends to a proxy on 127.0.0.1: of SOCKS5 (RFC 1928, RFC 1929), or `CONNECT`
/// (RFC 9110, section 9.3.6).
enum TunnelRequest {
    struct Failure: Error {}

    /// Sends a request and closes the connection. It waits at most 20 seconds for each reply.
    /// - Parameters:
    ///   - host: the requested name. The port is 443.
    ///   - proxy: the proxy with its credentials.
    ///   - hasCredentials: a Boolean value that indicates whether the password is sent, and not another one.
    /// - Returns: `true` if the proxy has accepted the tunnel; `nil` if it has refused the credentials.
    @concurrent
    static func send(to host: String, by proxy: EngineProxy, hasCredentials: Bool = true) async throws -> Bool? {
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
        let password = hasCredentials ? credentials.password : "other"
        switch proxy.kind {
        case .socks5: return try sendSOCKS(to: host, credentials.username, password, descriptor)
        case .http: return try sendConnect(to: host, credentials.username, password, descriptor)
        }
    }

    private static func sendSOCKS(
        to host: String, _ username: String, _ password: String, _ descriptor: CInt
    ) throws -> Bool? {
        try write([5, 1, 2], to: descriptor)
        guard try read(2, from: descriptor) == [5, 2] else { throw Failure() }
        let texts = [username, password].map { Array($0.utf8) }
        try write([1] + texts.flatMap { [UInt8($0.count)] + $0 }, to: descriptor)
        guard try read(2, from: descriptor) == [1, 0] else { return nil }
        try write([5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8) + [1, 187], to: descriptor)
        return try read(2, from: descriptor)[1] == 0
    }

    private static func sendConnect(
        to host: String, _ username: String, _ password: String, _ descriptor: CInt
    ) throws -> Bool? {
        let credentials = Data("\(username):\(password)".utf8).base64EncodedString()
        let lines = ["CONNECT \(host):443 HTTP/1.1", "Host: \(host):443", "Proxy-Authorization: Basic \(credentials)"]
        try write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8), to: descriptor)
        let status = String(decoding: try read(12, from: descriptor), as: UTF8.self)
        return status == "HTTP/1.1 407" ? nil : status == "HTTP/1.1 200"
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
