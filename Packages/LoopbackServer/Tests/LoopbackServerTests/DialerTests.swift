// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
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
            let address = version == 6 ? "::ffff:127.0.0.1" : "127.0.0.1"
            let dialer = Dialer(proxy: nil, timeout: .seconds(20), addresses: AddressBook([:], others: [address]))
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
            let book = AddressBook.loopback
            let dialer = Dialer(proxy: nil, timeout: .seconds(20), addresses: book)
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            let target = HostPort(host: name, port: host.port)
            let channel = try await dialer.connect(to: target, on: eventLoop).get()
            #expect(channel.remoteAddress?.ipAddress == "127.0.0.1" && book.lookUps == [])
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
                let book = AddressBook.loopback
                let dialer = Dialer(proxy: proxy, timeout: .seconds(20), addresses: book)
                let target = HostPort(host: name, port: host.port)
                await #expect {
                    try await dialer.connect(to: target, on: MultiThreadedEventLoopGroup.singleton.any()).get()
                } throws: {
                    ($0 as? ResourceError)?.code == .unknownHost
                }
                #expect(book.lookUps == [])
            }
            #expect(host.connections.entries.isEmpty)
            let dialer = Dialer(proxy: nil, timeout: .seconds(20), addresses: AddressBook.loopback)
            let target = HostPort(host: "notinvalid", port: host.port)
            try await dialer.connect(to: target, on: MultiThreadedEventLoopGroup.singleton.any()).get().close()
        }
    }

    @Test("A name that a resolver does not know has no host, and refusing addresses cannot be connected")
    func failures() async throws {
        let closed = try RefusingPort()
        let dialer = Dialer(
            proxy: nil, timeout: .seconds(20), addresses: AddressBook(["shop.test": ["127.0.0.1"], "empty.test": []]))
        for (host, code) in [
            ("none.test", .unknownHost), ("empty.test", .unknownHost), ("shop.test", .cannotConnect),
        ] as [(String, ResourceError.Code)] {
            await #expect {
                let target = HostPort(host: host, port: closed.number)
                _ = try await dialer.connect(to: target, on: MultiThreadedEventLoopGroup.singleton.any()).get()
            } throws: {
                ($0 as? ResourceError)?.code == code
            }
        }
    }

    @Test("A look-up that does not end, and addresses that do not respond, cause a timeout")
    func timeouts() async throws {
        struct Endless: AddressResolving {
            func addresses(of host: String) async throws -> [IPAddress] {
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw CancellationError()
            }
        }
        let group = MultiThreadedEventLoopGroup.singleton
        let hole = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.9", port: 0).get()
        let port = try #require(hole.localAddress?.port)
        // The system drops further connections when two wait for the server.
        var waiting: [any Channel] = []
        for _ in 0..<2 {
            waiting.append(try await ClientBootstrap(group: group).connect(host: "127.0.0.9", port: port).get())
        }
        let book = AddressBook([:], others: ["127.0.0.9"])
        for addresses in [Endless(), book] as [any AddressResolving] {
            let dialer = Dialer(proxy: nil, timeout: .milliseconds(300), addresses: addresses)
            await #expect {
                let target = HostPort(host: "shop.test", port: port)
                _ = try await dialer.connect(to: target, on: group.any()).get()
            } throws: {
                ($0 as? ResourceError)?.code == .timedOut
            }
        }
        #expect(book.addresses(.failed) == [IPAddress("127.0.0.9")])
        for channel in waiting { try? await channel.close() }
        try await hole.close()
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
