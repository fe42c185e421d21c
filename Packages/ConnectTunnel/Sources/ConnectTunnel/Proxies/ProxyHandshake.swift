// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOCore
internal import WebSyntax

/// The state of a handshake with a proxy that opens a tunnel to a host: `CONNECT` of HTTP/1.1 (RFC 9110, section
/// 9.3.6), or SOCKS5 (RFC 1928) with username and password (RFC 1929).
struct ProxyHandshake {
    private enum Phase {
        case status(MessageHeadCollector, heads: Int)
        case method
        case authentication
        case reply
        case over
    }

    private static let maxInterimHeads = 100
    private let target: HostPort
    private let credentials: ProxyRoute.Credentials?
    private var phase: Phase
    /// The first bytes to send.
    let greeting: [UInt8]

    /// A Boolean value that indicates whether the tunnel is open. Bytes that follow belong to the host.
    var isOver: Bool { if case .over = phase { true } else { false } }

    /// Creates the handshake for a route; `nil` for a direct connection.
    /// - Throws: ``ProxyConnectError`` if the credentials or the host name cannot be sent to the proxy.
    init?(_ route: ProxyRoute, to target: HostPort) throws(ProxyConnectError) {
        self.target = target
        switch route {
        case .direct: return nil
        case .http(_, let credentials):
            self.credentials = credentials
            phase = .status(MessageHeadCollector(), heads: 0)
            var text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
            if let credentials {
                guard !credentials.username.utf8.contains(UInt8(ascii: ":")) else { throw .invalidCredentials }
                let user = Data("\(credentials.username):\(credentials.password)".utf8).base64EncodedString()
                text += "Proxy-Authorization: Basic \(user)\r\n"
            }
            greeting = Array((text + "\r\n").utf8)
        case .socks5(_, let credentials):
            self.credentials = credentials
            phase = .method
            let texts = credentials.map { [$0.username, $0.password] } ?? []
            guard texts.allSatisfy({ (1...255).contains($0.utf8.count) }) else { throw .invalidCredentials }
            guard target.host.utf8.count <= 255 else { throw ProxyConnectError("the host name is too long for SOCKS5") }
            greeting = credentials == nil ? [5, 1, 0] : [5, 2, 0, 2]
        }
    }

    /// Reads the bytes that have arrived, as far as they belong to the handshake.
    /// - Returns: The bytes to send; empty if there are none.
    /// - Throws: ``ProxyConnectError`` if the proxy refuses the connection or violates its protocol.
    mutating func receive(_ bytes: inout ByteBuffer) throws(ProxyConnectError) -> [UInt8] {
        var answer: [UInt8] = []
        while true {
            let before = bytes.readableBytes
            answer += try step(&bytes)
            guard !isOver, bytes.readableBytes > 0, bytes.readableBytes < before else { return answer }
        }
    }

    private mutating func step(_ bytes: inout ByteBuffer) throws(ProxyConnectError) -> [UInt8] {
        switch phase {
        case .status(let collector, let heads): try readStatus(&bytes, collector, heads)
        case .method:
            guard let reply = bytes.readBytes(length: 2) else { return [] }
            guard reply[0] == 5 else { throw .violation }
            switch (reply[1], credentials) {
            case (0, _): return connect()
            case (2, let credentials?):
                phase = .authentication
                let (user, password) = (Array(credentials.username.utf8), Array(credentials.password.utf8))
                return [1, UInt8(user.count)] + user + [UInt8(password.count)] + password
            default: throw .needsAuthentication
            }
        case .authentication:
            guard let reply = bytes.readBytes(length: 2) else { return [] }
            guard reply[1] == 0 else { throw .needsAuthentication }
            return connect()
        case .reply: try readReply(&bytes)
        case .over: break
        }
        return []
    }

    private mutating func readStatus(
        _ bytes: inout ByteBuffer, _ collector: MessageHeadCollector, _ heads: Int
    ) throws(ProxyConnectError) {
        var collector = collector
        let head: ReceivedResponseHead
        do {
            let (count, whole) = try bytes.withUnsafeReadableBytes { try collector.collect($0) }
            bytes.moveReaderIndex(forwardBy: count)
            guard let whole else { return phase = .status(collector, heads: heads) }
            head = try ReceivedResponseHead(whole)
        } catch {
            throw .violation
        }
        switch head.status {
        // A successful response to CONNECT has no body, whatever its fields are.
        case 200..<300: phase = .over
        case 100..<200 where head.status != 101 && heads < Self.maxInterimHeads:
            phase = .status(MessageHeadCollector(), heads: heads + 1)
        case 407: throw .needsAuthentication
        default: throw ProxyConnectError("the proxy refuses the connection with status \(head.status)")
        }
    }

    /// Returns the request of SOCKS5.
    private mutating func connect() -> [UInt8] {
        phase = .reply
        let host: [UInt8] =
            if let address = HostIdentity.bytes(ofAddress: target.host) {
                [address.count == 4 ? 1 : 4] + address
            } else {
                [3, UInt8(target.host.utf8.count)] + Array(target.host.utf8)
            }
        return [5, 1, 0] + host + [UInt8(target.port >> 8), UInt8(target.port & 0xFF)]
    }

    private mutating func readReply(_ bytes: inout ByteBuffer) throws(ProxyConnectError) {
        let start = bytes.readerIndex
        guard let reply: [UInt8] = bytes.getBytes(at: start, length: 2) else { return }
        guard reply[0] == 5 else { throw .violation }
        guard reply[1] == 0 else { throw ProxyConnectError("the proxy refuses the connection with code \(reply[1])") }
        guard let kind: UInt8 = bytes.getInteger(at: start + 3) else { return }
        let address: Int
        switch kind {
        case 1: address = 4
        case 4: address = 16
        case 3:
            guard let count: UInt8 = bytes.getInteger(at: start + 4) else { return }
            address = 1 + Int(count)
        default: throw .violation
        }
        guard bytes.readableBytes >= 4 + address + 2 else { return }
        bytes.moveReaderIndex(forwardBy: 4 + address + 2)
        phase = .over
    }
}

/// The reason why a proxy did not open a tunnel.
@_spi(Facade) public struct ProxyConnectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line of text, without credentials.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    static let violation = ProxyConnectError("the response of the proxy violates its protocol")
    static let needsAuthentication = ProxyConnectError("the proxy requires authentication")
    static let invalidCredentials = ProxyConnectError("the credentials cannot be sent to the proxy")
    static let timedOut = ProxyConnectError("the proxy did not respond in time")
    static let closed = ProxyConnectError("the proxy closed the connection")
}
