// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import ResourceLoading
import Testing
import WebSyntax

@testable import HTTPTransport
@testable import NIOTransport

@Suite("Resolvers of the host app", .timeLimit(.minutes(3)))
struct TunnelTests {
    private func configuration(_ book: any AddressResolving) -> AsyncHTTPTransport.Configuration {
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.addresses = book
        return configuration
    }

    @Test("The app's resolver resolves names, and the request is sent with its host name")
    func names() async throws {
        let book = AddressBook(["shop.test": ["127.0.0.1"]])
        try await withOrigin([try route(.get, "/*") { .text($0.path) }], transport: configuration(book)) {
            origin, transport async throws in
            for number in 0..<3 {
                let url = "http://Shop.test:\(origin.port)/\(number)"
                #expect(try await transport.get(url) == Data("/\(number)".utf8))
            }
            #expect(book.lookUps == ["shop.test"])
            #expect(origin.connectionCount == 1)
            // An IP address literal is not resolved.
            #expect(try await transport.get(origin.url + "/a") == Data("/a".utf8))
            #expect(book.lookUps.count == 1)
        }
    }

    @Test(
        "localhost and the names below it are loopback addresses, and are not resolved",
        arguments: ["localhost", "LocalHost", "a.localhost", "a.b.localhost", "localhost.", "a.localhost."])
    func localhost(name: String) async throws {
        let book = AddressBook([:])
        let route = try route(.get, "/*") { .text($0.path) }
        try await withOrigin([route], transport: configuration(book)) { origin, transport async throws in
            #expect(try await transport.get("http://\(name):\(origin.port)/a") == Data("/a".utf8))
            #expect(book.lookUps == [])
        }
        try await withOrigin([route]) { origin, transport async throws in
            #expect(try await transport.get("http://\(name):\(origin.port)/a") == Data("/a".utf8))
            // Addresses use no tunnel.
            #expect(try await transport.get(origin.url + "/b") == Data("/b".utf8))
        }
    }

    @Test(
        "A server that listens on ::1 alone is reached by the names below localhost",
        .enabled(
            if: try System.enumerateDevices().contains { $0.address?.ipAddress == "::1" },
            "skipped: no IPv6 loopback address"),
        arguments: [false, true])
    func localhostOverIPv6(hasResolver: Bool) async throws {
        let book = AddressBook([:])
        try await RawServer.with(end: .server, address: "::1") { input, output in
            guard try await input.next() != nil else { return }
            try await output.write(
                ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: close\r\n\r\n6"))
        } _: { server async throws in
            try await withTransport(hasResolver ? configuration(book) : .init()) { transport async throws in
                for name in ["localhost", "x.localhost"] {
                    #expect(try await transport.get("http://\(name):\(server.port)/") == Data("6".utf8))
                }
            }
        }
        #expect(book.lookUps == [])
    }

    @Test("Without a resolver of the app, a refused connection to localhost fails in the connect phase")
    func refusedLocalhost() async throws {
        let port = try RefusingPort()
        try await withTransport { transport async in
            for name in ["localhost", "a.localhost"] {
                let url = "http://\(name):\(port.number)/"
                await expectFailure(.cannotConnect, at: url) { try await transport.get(url) }
            }
        }
        withExtendedLifetime(port) {}
    }

    @Test(
        "Addresses are raced, so that a refusing address costs little time",
        arguments: [["::1", "127.0.0.1"], ["127.0.0.9", "127.0.0.1"]])
    func race(addresses: [String]) async throws {
        let book = AddressBook(["shop.test": addresses])
        try await withOrigin([try route(.get, "/*") { _ in .text("ok") }], transport: configuration(book)) {
            origin, transport async throws in
            #expect(try await transport.get("http://shop.test:\(origin.port)/") == Data("ok".utf8))
        }
    }

    @Test("TLS and HTTP/2 remain between the client and the host")
    func tls() async throws {
        var settings = OriginServer.Configuration(routes: [try route(.get, "/*") { _ in .text("secret") }])
        settings.usesTLS = true
        settings.offersHTTP2 = true
        let server = try await OriginServer.start(settings)
        let book = AddressBook(["localhost": ["127.0.0.1"]])
        var configuration = configuration(book)
        configuration.authorities = [try CertificateAuthority(pem: try #require(server.authorityPEM))]
        try await withTransport(configuration) { transport async throws in
            #expect(try await transport.get("https://localhost:\(server.port)/") == Data("secret".utf8))
        }
        await server.stop()
    }

    @Test("Large bodies are transferred in both directions")
    func large() async throws {
        let content = Data((0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let book = AddressBook(["shop.test": ["127.0.0.1"]])
        try await withOrigin(
            [try route(.post, "/") { OriginResponse(body: .bytes($0.body)) }], transport: configuration(book)
        ) {
            origin, transport async throws in
            let answer = try await transport.send("http://shop.test:\(origin.port)/", .post, body: .bytes(content))
            #expect(try await answer.body.collect(upTo: 4 << 20) == content)
        }
    }

    @Test("A reader that does not read stops the sender through the tunnel")
    func backPressure() async throws {
        let book = AddressBook(["shop.test": ["127.0.0.1"]])
        try await expectBackPressure(configuration(book), host: "shop.test")
    }

    @Test("An unknown name fails in the resolve phase, and refusing addresses in the connect phase")
    func failures() async throws {
        let closed = try await OriginServer.start(.init())
        await closed.stop()
        let book = AddressBook(["shop.test": ["127.0.0.1"], "empty.test": []])
        try await withTransport(configuration(book)) { transport async in
            for (host, phase, code) in [
                ("none.test", .resolve, .unknownHost), ("empty.test", .resolve, .unknownHost),
                ("shop.test", .connect, .cannotConnect),
            ] as [(String, TransportFailure.Phase, ResourceError.Code)] {
                let url = "http://\(host):\(closed.port)/"
                await #expect {
                    try await transport.send(url)
                } throws: { error in
                    let error = error as? ResourceError
                    return error?.transportPhase == phase && error?.code == code && error?.location == url
                }
            }
        }
    }

    @Test("A look-up that never ends is a timeout, not an unknown name")
    func endless() async throws {
        struct Endless: AddressResolving {
            func addresses(of host: String) async throws -> [IPAddress] {
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw CancellationError()
            }
        }
        var configuration = configuration(Endless())
        configuration.connectTimeout = .milliseconds(300)
        try await withTransport(configuration) { transport async in
            _ = await #expect {
                try await transport.send("http://shop.test/")
            } throws: { error in
                let error = error as? ResourceError
                // The tunnel fails first, unless the machine is busy.
                return error?.transportPhase == .connect
                    || error?.transportPhase == .resolve && error?.code == .timedOut
            }
        }
    }

    /// A factory of tunnels that retains the tunnels.
    private final class Keeper: Sendable {
        let tunnels = Mutex<[AddressTunnel]>([])

        func start(_ addresses: (any AddressResolving)?, _ timeout: Duration) async throws -> AddressTunnel {
            let tunnel = try await AddressTunnel.start(addresses, timeout: timeout)
            tunnels.withLock { $0.append(tunnel) }
            return tunnel
        }

        /// Closes the listener of the latest tunnel, as a system does, and waits until earlier observers have been
        /// called.
        func closeListener() async {
            guard let tunnel = tunnels.withLock({ $0.last }) else { return }
            await withCheckedContinuation { continuation in
                tunnel.whenClosed { continuation.resume() }
                tunnel.close()
            }
        }
    }

    @Test("A tunnel whose listener was closed is started again, and requests in progress continue")
    func lostListener() async throws {
        let (gates, gate) = AsyncStream<Void>.makeStream()
        let routes = [
            try route(.get, "/slow") { _ in
                OriginResponse(
                    body: .stream(length: nil) { writer in
                        try await writer.write(Data("one".utf8))
                        for await _ in gates { break }
                        try await writer.write(Data("two".utf8))
                    })
            },
            try route(.get, "/*") { .text($0.path) },
        ]
        let server = try await OriginServer.start(.init(routes: routes))
        let keeper = Keeper()
        let book = AddressBook(["shop.test": ["127.0.0.1"]])
        let transport = AsyncHTTPTransport(configuration(book)) { try await keeper.start($0, $1) }
        let url = "http://shop.test:\(server.port)"
        #expect(try await transport.get(url + "/a") == Data("/a".utf8))
        let slow = try await transport.send(url + "/slow").body
        for number in 1...3 {
            await keeper.closeListener()
            #expect(try await transport.get(url + "/\(number)") == Data("/\(number)".utf8))
            #expect(keeper.tunnels.withLock { $0.count } == number + 1)
        }
        gate.yield()
        #expect(try await slow.collect(upTo: 10) == Data("onetwo".utf8))
        try await transport.shutDown()
        await server.stop()
    }

    @Test("A tunnel that cannot be started fails only the requests that waited for it")
    func failedStart() async throws {
        let attempts = Mutex(0)
        let keeper = Keeper()
        let book = AddressBook(["shop.test": ["127.0.0.1"]])
        let transport = AsyncHTTPTransport(configuration(book)) { addresses, timeout in
            let number = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            // The tunnel must fail before the client, so that its error is known.
            #expect(timeout < AsyncHTTPTransport.Configuration().connectTimeout)
            if number == 1 { throw CocoaError(.fileReadUnknown) }
            return try await keeper.start(addresses, timeout)
        }
        let server = try await OriginServer.start(.init(routes: [try route(.get, "/*") { .text($0.path) }]))
        let url = "http://shop.test:\(server.port)/"
        await expectFailure(.cannotConnect, at: url) { try await transport.get(url) }
        #expect(try await transport.get(url) == Data("/".utf8))
        try await transport.shutDown()
        await server.stop()
    }

    @Test("A start in progress is cancelled when its transport ends")
    func abandonedStart() async throws {
        let (begins, begun) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Bool>.makeStream()
        func drop() async throws {
            let transport = AsyncHTTPTransport(configuration(AddressBook([:]))) { addresses, timeout in
                begun.yield()
                // Waits until the task is cancelled.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                end.yield(Task.isCancelled)
                return try await AddressTunnel.start(addresses, timeout: timeout)
            }
            // The transport is shut down while a request waits for the start.
            let request = Task { try await transport.get("http://shop.test/") }
            for await _ in begins { break }
            try await transport.shutDown()
            await #expect(throws: ResourceError.self) { try await request.value }
        }
        try await drop()
        for await isCancelled in ends {
            #expect(isCancelled)
            break
        }
    }

    @Test("A client that closes its output is disconnected, together with its connection to the host")
    func halfClosed() async throws {
        let tunnel = try await AddressTunnel.start(AddressBook([:]), timeout: .seconds(10))
        // The host sends nothing and accepts half-closure.
        let host = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(host.localAddress?.port)
        let client = try await RawClient.connect(to: tunnel.port)
        try await client.executeThenClose { inbound, outbound in
            var input = inbound.makeAsyncIterator()
            try await outbound.write(
                ByteBuffer(
                    string: "CONNECT 127.0.0.1:\(port) HTTP/1.1\r\n"
                        + "proxy-authorization: Basic \(tunnel.credentials)\r\n\r\n"))
            #expect(try await input.next().map { String(buffer: $0) } == "HTTP/1.1 200 OK\r\n\r\n")
            outbound.finish()
            #expect(try await input.next() == nil)
        }
        tunnel.close()
        try await host.close()
    }

    @Test("Unauthenticated connections are limited in number, time and bytes")
    func unauthenticatedConnections() async throws {
        let patient = try await AddressTunnel.start(
            AddressBook([:]), timeout: .seconds(600), headTimeout: .seconds(600))
        let (closes, close) = AsyncStream<Void>.makeStream()
        var channels: [any Channel] = []
        for _ in 0..<40 {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: patient.port).get()
            channel.closeFuture.whenComplete { _ in close.yield() }
            channels.append(channel)
        }
        var closed = 0
        for await _ in closes {
            closed += 1
            if closed == 8 { break }
        }
        // The oldest connections were closed. Concurrent connections may be accepted in another order.
        let gone = channels.indices.filter { !channels[$0].isActive }
        #expect(gone.count == 8 && gone.allSatisfy { $0 < 16 }, "\(gone)")
        for channel in channels { try? await channel.close() }
        patient.close()

        let hasty = try await AddressTunnel.start(
            AddressBook([:]), timeout: .seconds(600), headTimeout: .milliseconds(200))
        let silent = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: hasty.port).get()
        try await silent.closeFuture.get()
        hasty.close()
    }

    @Test(
        "Connections with an invalid request receive a response and are closed",
        arguments: [
            ("CONNECT a.test:80 HTTP/1.1\r\n\r\n", "407"), ("GET / HTTP/1.1\r\n\r\n", "400"),
            ("CONNECT a.test:80 HTTP/1.1\r\nx: " + String(repeating: "x", count: 5_000), "431"),
        ])
    func refusedConnections(text: String, status: String) async throws {
        let tunnel = try await AddressTunnel.start(AddressBook([:]), timeout: .seconds(600), headTimeout: .seconds(600))
        for _ in 0..<100 {
            try await RawClient.connect(to: tunnel.port).executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: text))
                var answer = ""
                do {
                    for try await buffer in inbound { answer += String(buffer: buffer) }
                } catch {
                    // Closing a connection with unread input resets it.
                    #expect(status == "431", "\(error)")
                }
                if status != "431" { #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)") }
            }
        }
        tunnel.close()
    }

    @Test(
        "Names below `invalid` are refused without a look-up, and arrivals with the credentials are known",
        arguments: ["a.invalid", "a.b.INVALID", "a.invalid.", "invalid", "invalid."])
    func invalidNames(name: String) async throws {
        let book = AddressBook.loopback
        let tunnel = try await AddressTunnel.start(book, timeout: .seconds(600), headTimeout: .seconds(600))
        let login = Data("\(tunnel.username):\(tunnel.password)".utf8).base64EncodedString()
        let target = HostPort(host: name, port: 443)
        for (credentials, status) in [(String(login.dropLast(4)), "407"), (login, "502")] {
            try await RawClient.connect(to: tunnel.port).executeThenClose { inbound, outbound in
                try await outbound.write(
                    ByteBuffer(
                        string: "CONNECT \(name):443 HTTP/1.1\r\nProxy-Authorization: Basic \(credentials)\r\n\r\n"))
                var answer = ""
                for try await buffer in inbound { answer += String(buffer: buffer) }
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                #expect(answer.contains("\r\nproxy-authenticate: Basic ") == (status == "407"))
            }
            #expect((tunnel.removeFailure(of: target) != nil) == (status == "502"))
        }
        #expect(tunnel.removeFailure(of: target) == nil && book.lookUps.isEmpty)
        tunnel.close()
    }

    @Test("A client without the credentials reaches no host")
    func missingCredentials() async throws {
        let book = AddressBook(["shop.test": ["127.0.0.1"]])
        let tunnel = try await AddressTunnel.start(book, timeout: .seconds(10))
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.proxy = HostPort(host: "127.0.0.1", port: tunnel.port)
        try await withOrigin([try route(.get, "/*") { _ in .text("") }], transport: configuration) {
            origin, transport async in
            await expectFailure(.cannotConnect) { try await transport.get("http://shop.test:\(origin.port)/") }
            #expect(origin.connectionCount == 0 && book.lookUps.isEmpty)
        }
        tunnel.close()
    }
}
