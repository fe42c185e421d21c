// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import NIOCore
import NIOSSL
import Testing

@testable import LoopbackServer

@Suite("The certificate authority of a launch", .timeLimit(.minutes(1)))
struct LaunchAuthorityTests {
    private let authority: LaunchAuthority

    init() throws {
        authority = try LaunchAuthority()
    }

    /// Returns a Boolean value that indicates whether a client that trusts only the authority connects to a server
    /// with the certificate of `host`.
    private func speaks(
        to name: String?, at address: String = "127.0.0.1", certificateOf host: String, trusting: [UInt8]? = nil
    ) async throws -> Bool {
        try await RawHost.with(tls: authority.leaf(for: host).context, address: address) { server in
            let client = try await Peer.connect(to: server.port, host: address)
            try await client.secure(name, trusting: trusting ?? authority.certificate)
            client.channel.writeAndFlush(ByteBuffer(string: "a"), promise: nil)
            let other = try await server.connections.entry(0)
            do {
                return try await other.read(1) == [97]
            } catch is Overdue {
                return false
            }
        }
    }

    @Test("Host names are verified")
    func names() async throws {
        #expect(try await speaks(to: "shop.test", certificateOf: "shop.test"))
        #expect(try await !speaks(to: "www.shop.test", certificateOf: "shop.test"))
        #expect(try await !speaks(to: "other.test", certificateOf: "shop.test"))
        #expect(try await !speaks(to: "shop.test", certificateOf: "shop.test", trusting: LaunchAuthority().certificate))
        let long = (0..<5).map { _ in String(repeating: "a", count: 40) }.joined(separator: ".") + ".test"
        #expect(try await speaks(to: long, certificateOf: long))
    }

    @Test("IPv4 addresses are verified")
    func addresses() async throws {
        #expect(try await speaks(to: nil, certificateOf: "127.0.0.1"))
        #expect(try await !speaks(to: nil, certificateOf: "127.0.0.2"))
    }

    @Test("IPv6 addresses are verified", .enabled("requires ::1") { await Self.hasIPv6() })
    func longAddresses() async throws {
        #expect(try await speaks(to: nil, at: "::1", certificateOf: "::1"))
        #expect(try await !speaks(to: nil, at: "::1", certificateOf: "::2"))
    }

    private static func hasIPv6() async -> Bool {
        (try? await RawHost.with(address: "::1") { _ in true }) ?? false
    }

    @Test("Certificates are valid for a week, and start one hour early for clocks that are set back")
    func validity() throws {
        let leaf = try authority.leaf(for: "shop.test")
        let certificate = try NIOSSLCertificate(bytes: leaf.certificate, format: .der)
        let now = Int(Date().timeIntervalSince1970)
        let (begin, end) = (Int(certificate.notValidBefore), Int(certificate.notValidAfter))
        #expect(begin < now - 1_800 && end > now + 6 * 86_400 && end - begin <= 8 * 86_400)
        #expect(abs(end - Int(leaf.end.timeIntervalSince1970)) <= 1)
        #expect(try authority.leaf(for: "shop.test").certificate != leaf.certificate)
    }
}
