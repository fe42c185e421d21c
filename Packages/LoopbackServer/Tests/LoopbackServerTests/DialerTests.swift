// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import NIOCore
import NIOPosix
@_spi(Facade) import ResourceLoading
import Testing
import WebSyntax

@testable import LoopbackServer

@Suite("Connections to hosts", .timeLimit(.minutes(1)))
struct DialerTests {
    @Test(
        "A name that resolves to loopback is refused at the server's own port, and reached at other ports",
        arguments: [4, 6])
    func names(version: Int) async throws {
        try await RawHost.with { host in
            let dialer = Dialer(
                proxy: nil, timeout: .seconds(20),
                resolver: { PointingHome(eventLoop: $0, isMapped: version == 6) })
            let target = HostPort(host: "elsewhere.example", port: host.port)
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            let channel = try await dialer.connect(to: target, on: eventLoop).get()
            try await channel.close()
            // The port counts as that of a listener of this process.
            OwnListeners.insert(host.port)
            defer { OwnListeners.remove(host.port) }
            await #expect {
                try await dialer.connect(to: target, on: eventLoop).get()
            } throws: {
                ($0 as? ResourceError)?.code == .blocked
            }
        }
    }

    @Test(
        "localhost and the names below it are not resolved",
        arguments: ["localhost", "a.localhost", "a.b.localhost", "localhost.", "a.localhost."])
    func localhost(name: String) async throws {
        try await RawHost.with { host in
            let dialer = Dialer(
                proxy: nil, timeout: .seconds(20),
                resolver: { eventLoop in
                    Issue.record("the name is resolved")
                    return PointingHome(eventLoop: eventLoop, isMapped: false)
                })
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            let target = HostPort(host: name, port: host.port)
            let channel = try await dialer.connect(to: target, on: eventLoop).get()
            #expect(channel.remoteAddress?.ipAddress == "127.0.0.1")
            try await channel.close()
            OwnListeners.insert(host.port)
            defer { OwnListeners.remove(host.port) }
            await #expect {
                try await dialer.connect(to: target, on: eventLoop).get()
            } throws: {
                ($0 as? ResourceError)?.code == .blocked
            }
        }
    }

    @Test(
        "Names below invalid are neither resolved nor sent to another proxy (RFC 6761, section 6.4)",
        arguments: ["a.invalid", "a.b.INVALID", "invalid", "a.invalid."])
    func invalidNames(name: String) async throws {
        try await RawHost.with { host in
            for proxy in [nil, HostPort(host: "127.0.0.1", port: host.port)] {
                let dialer = Dialer(
                    proxy: proxy, timeout: .seconds(20),
                    resolver: { eventLoop in
                        Issue.record("the name is resolved")
                        return PointingHome(eventLoop: eventLoop, isMapped: false)
                    })
                let target = HostPort(host: name, port: host.port)
                await #expect {
                    try await dialer.connect(to: target, on: MultiThreadedEventLoopGroup.singleton.any()).get()
                } throws: {
                    ($0 as? ResourceError)?.code == .unknownHost
                }
            }
            #expect(host.connections.entries.isEmpty)
            let dialer = Dialer(
                proxy: nil, timeout: .seconds(20),
                resolver: { PointingHome(eventLoop: $0, isMapped: false) })
            let target = HostPort(host: "notinvalid", port: host.port)
            try await dialer.connect(to: target, on: MultiThreadedEventLoopGroup.singleton.any()).get().close()
        }
    }

    @Test(
        "A host that listens on ::1 alone is reached by the names below localhost",
        .enabled(
            if: try System.enumerateDevices().contains { $0.address?.ipAddress == "::1" },
            "skipped: no IPv6 loopback address"),
        arguments: ["localhost", "x.localhost"])
    func localhostOverIPv6(name: String) async throws {
        try await RawHost.with(address: "::1") { host in
            let dialer = Dialer(proxy: nil, timeout: .seconds(20))
            let channel = try await dialer.connect(
                to: HostPort(host: name, port: host.port), on: MultiThreadedEventLoopGroup.singleton.any()
            ).get()
            #expect(channel.remoteAddress?.ipAddress == "::1")
            try await channel.close()
        }
    }

    @Test("Child processes do not inherit a connection to a host")
    func inheritance() async throws {
        try await RawHost.with { host in
            let dialer = Dialer(proxy: nil, timeout: .seconds(20))
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            let target = HostPort(host: "127.0.0.1", port: host.port)
            let channel = try await dialer.connect(to: target, on: eventLoop).get()
            let flags = try await eventLoop.submit {
                try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
                    fcntl($0, F_GETFD)
                }
            }.get()
            let known = try #require(flags)
            #expect(known >= 0 && known & FD_CLOEXEC != 0)
            try await channel.close()
        }
    }
}

/// A resolver that returns the loopback address for every name.
private struct PointingHome: Resolver, Sendable {
    let eventLoop: any EventLoop
    /// A Boolean value that indicates whether the address is an IPv4-mapped IPv6 address.
    let isMapped: Bool

    private func addresses(_ address: String, _ port: Int, _ isWanted: Bool) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeCompletedFuture {
            isWanted ? [try SocketAddress(ipAddress: address, port: port)] : []
        }
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        addresses("127.0.0.1", port, !isMapped)
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        addresses("::ffff:127.0.0.1", port, isMapped)
    }

    func cancelQueries() {}
}
