// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
@_spi(Facade) import ConnectTunnel
import ContainerTesting
import NIOCore
import NIOPosix
import Testing
import WebSyntax

@Suite("Connections over routes", .timeLimit(.minutes(2)))
struct RouteConnectorTests {
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
    private let target = HostPort(host: "shop.test", port: 443)
    private let credentials = TestProxyCredentials(username: "app", password: "secret")
    private let known = ProxyRoute.Credentials(username: "app", password: "secret")

    /// A host that sends a greeting at once, and echoes what it receives.
    private func withHost<Result>(_ body: (any Channel) async throws -> Result) async throws -> Result {
        let host = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Greeter()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let result = try await body(host)
            try await host.close()
            return result
        } catch {
            try? await host.close()
            throw error
        }
    }

    /// The options of a proxy that connects to a host in place of each requested endpoint, after a check.
    private func options(
        to host: any Channel, requiring credentials: TestProxyCredentials? = nil
    ) -> ForwardProxy.Configuration {
        var options = ForwardProxy.Configuration()
        options.credentials = credentials
        let port = host.localAddress?.port ?? 0
        options.route = { [target] endpoint in
            #expect(endpoint == Endpoint(host: target.host, port: target.port))
            return .loopback(port)
        }
        return options
    }

    private func proxy(_ port: Int) -> HostPort { HostPort(host: "127.0.0.1", port: port) }

    private func connector(
        _ addresses: (any AddressResolving)? = nil, check: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) -> RouteConnector {
        RouteConnector(on: eventLoop, timeLimit: .seconds(60), addresses: addresses, check: check)
    }

    /// Expects the greeting and an echo of a host over a channel, and closes the channel.
    private func expectHost(_ channel: any Channel) async throws {
        let received = channel.eventLoop.makePromise(of: String.self)
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(Collector(of: "greeting echo".utf8.count, received))
        }.get()
        try await channel.startReading().get()
        try await channel.writeAndFlush(ByteBuffer(string: " echo"))
        #expect(try await received.futureResult.get() == "greeting echo")
        try await channel.close()
    }

    @Test("An HTTP proxy opens a tunnel, with and without credentials")
    func http() async throws {
        try await withHost { host in
            for needed in [nil, credentials] {
                let proxy = try await ForwardProxy.start(options(to: host, requiring: needed))
                let route = ProxyRoute.http(self.proxy(proxy.port), needed == nil ? nil : known)
                // A host behind a proxy is not looked up.
                let book = AddressBook([:])
                try await expectHost(connector(book).connect(to: target, over: [route]).get())
                #expect(book.lookUps == [])
                #expect(proxy.connections == 1 && proxy.refusals == 0)
                await proxy.stop()
            }
        }
    }

    @Test("A SOCKS5 proxy opens a tunnel, with and without credentials")
    func socks() async throws {
        try await withHost { host in
            for needed in [nil, credentials] {
                let proxy = try await SocksProxy.start(options(to: host, requiring: needed))
                let route = ProxyRoute.socks5(self.proxy(proxy.port), needed == nil ? nil : known)
                try await expectHost(connector().connect(to: target, over: [route]).get())
                #expect(proxy.connections == 1 && proxy.refusals == 0)
                await proxy.stop()
            }
        }
    }

    @Test("Bytes and the end of input that arrive with the response of a proxy reach the first reader in order")
    func together() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ImmediateProxy())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let channel = try await connector().connect(to: target, over: [.http(proxy(port), nil)]).get()
        let received = channel.eventLoop.makePromise(of: String.self)
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(Collector(of: .max, received))
        }.get()
        try await channel.startReading().get()
        #expect(try await received.futureResult.get() == "greeting")
        try await channel.close()
        try await server.close()
    }

    @Test("The next route is tried if a proxy refuses the connection, the credentials or the host")
    func next() async throws {
        let closed = try RefusingPort()
        try await withHost { host in
            let locked = try await ForwardProxy.start(options(to: host, requiring: credentials))
            var broken = ForwardProxy.Configuration()
            broken.route = { _ in .loopback(closed.number) }
            let cut = try await ForwardProxy.start(broken)
            let lockedSocks = try await SocksProxy.start(options(to: host, requiring: credentials))
            let last = try await SocksProxy.start(options(to: host))
            let routes: [ProxyRoute] = [
                .http(proxy(closed.number), nil), .http(proxy(locked.port), nil), .http(proxy(cut.port), nil),
                .socks5(proxy(lockedSocks.port), nil), .socks5(proxy(last.port), nil), .direct,
            ]
            try await expectHost(connector().connect(to: target, over: routes).get())
            #expect(locked.refusals == 1 && cut.connections == 1 && last.connections == 1)
            for stop in [locked.stop, cut.stop, lockedSocks.stop, last.stop] { await stop() }
        }
    }

    @Test("A direct route in the list connects to the host")
    func direct() async throws {
        let closed = try RefusingPort()
        try await withHost { host in
            let target = HostPort(host: "localhost", port: try #require(host.localAddress?.port))
            let routes: [ProxyRoute] = [.http(proxy(closed.number), nil), .direct]
            try await expectHost(connector().connect(to: target, over: routes).get())
        }
    }

    @Test("The error of the last route is reported, and no route is none")
    func errors() async throws {
        let closed = try RefusingPort()
        try await withHost { host in
            let locked = try await ForwardProxy.start(options(to: host, requiring: credentials))
            let routes: [ProxyRoute] = [.http(proxy(closed.number), nil), .http(proxy(locked.port), nil)]
            await #expect(throws: ProxyConnectError.self) {
                try await connector().connect(to: target, over: routes).get()
            }
            await #expect(throws: NIOConnectionError.self) {
                try await connector().connect(to: target, over: routes.reversed()).get()
            }
            for book in [nil, AddressBook.loopback] {
                await #expect(throws: AddressRaceError.self) {
                    let target = HostPort(host: book == nil ? "localhost" : "shop.test", port: closed.number)
                    return try await connector(book).connect(to: target, over: [.direct]).get()
                }
            }
            await #expect(throws: ProxyConnectError.self) {
                try await connector().connect(to: target, over: []).get()
            }
            await locked.stop()
        }
    }

    @Test("A proxy that never responds uses its share of the time only")
    func silence() async throws {
        // The backlog accepts the connection, and no one reads it.
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(silent.localAddress?.port)
        try await withHost { host in
            let working = try await ForwardProxy.start(options(to: host))
            let hasty = RouteConnector(on: eventLoop, timeLimit: .seconds(20))
            let routes: [ProxyRoute] = [
                .http(proxy(port), nil), .socks5(proxy(port), nil), .http(proxy(working.port), nil),
            ]
            try await expectHost(hasty.connect(to: target, over: routes).get())
            await working.stop()
        }
        try await silent.close()
    }

    private func port(of host: any Channel) throws -> Int { try #require(host.localAddress?.port) }

    @Test("A resolver resolves the names of hosts, and the attempts are recorded")
    func resolver() async throws {
        try await withHost { host in
            // No server listens at the first address.
            let book = AddressBook(["shop.test": ["127.0.0.9", "127.0.0.1"]])
            let target = HostPort(host: "Shop.test", port: try port(of: host))
            try await expectHost(connector(book).connect(to: target, over: [.direct]).get())
            #expect(book.lookUps == ["shop.test"])
            #expect(book.addresses(.failed) == [IPAddress("127.0.0.9")])
            #expect(book.addresses(.connected) == [IPAddress("127.0.0.1")])
            for literal in ["127.0.0.1", "localhost", "a.localhost."] {
                let target = HostPort(host: literal, port: target.port)
                try await expectHost(connector(book).connect(to: target, over: [.direct]).get())
            }
            #expect(book.lookUps == ["shop.test"] && book.addresses(.connected).count == 1)
        }
    }

    @Test("An address that does not respond costs 250 ms, and is not recorded if another one wins")
    func blackHole() async throws {
        try await withHost { host in
            let port = try port(of: host)
            let hole = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 1)
                .serverChannelOption(.autoRead, value: false)
                .bind(host: "127.0.0.9", port: port).get()
            // The system drops further connections when two wait for the server.
            var waiting: [any Channel] = []
            for _ in 0..<2 {
                waiting.append(try await ClientBootstrap(group: eventLoop).connect(host: "127.0.0.9", port: port).get())
            }
            let book = AddressBook(["shop.test": ["127.0.0.9", "127.0.0.1"]])
            let begin = ContinuousClock.now
            let target = HostPort(host: "shop.test", port: port)
            try await expectHost(connector(book).connect(to: target, over: [.direct]).get())
            #expect(ContinuousClock.now - begin >= .milliseconds(250))
            #expect(book.addresses(.failed) == [] && book.addresses(.connected) == [IPAddress("127.0.0.1")])
            // Alone, it fails at the time limit.
            let hasty = RouteConnector(
                on: eventLoop, timeLimit: .milliseconds(300), addresses: AddressBook(["shop.test": ["127.0.0.9"]]))
            await #expect {
                try await hasty.connect(to: target, over: [.direct]).get()
            } throws: {
                let errors = ($0 as? AddressRaceError)?.errors
                guard case .connectTimeout? = errors?.first as? ChannelError else { return false }
                return errors?.count == 1 && ($0 as? AddressRaceError)?.isTimedOut == true
            }
            // With a good address in the second look-up, that one connects.
            let growing = GrowingBook([["127.0.0.9"], ["127.0.0.9", "127.0.0.1"]])
            let patient = RouteConnector(on: eventLoop, timeLimit: .seconds(8), addresses: growing)
            try await expectHost(patient.connect(to: target, over: [.direct]).get())
            #expect(growing.lookUps == 2 && growing.outcomes == ["failed 127.0.0.9", "connected 127.0.0.1"])
            for channel in waiting { try? await channel.close() }
            try await hole.close()
        }
    }

    @Test("After a failure of all addresses, the resolver is asked once more, and only new addresses are tried")
    func further() async throws {
        try await withHost { host in
            let target = HostPort(host: "shop.test", port: try port(of: host))
            let book = GrowingBook([["127.0.0.9"], ["127.0.0.9", "127.0.0.1"]])
            try await expectHost(connector(book).connect(to: target, over: [.direct]).get())
            #expect(book.outcomes == ["failed 127.0.0.9", "connected 127.0.0.1"])

            for answers in [[["127.0.0.9"]], [["127.0.0.9"], ["127.0.0.9", "127.0.0.8"]]] {
                let book = GrowingBook(answers)
                await #expect {
                    try await connector(book).connect(to: target, over: [.direct]).get()
                } throws: {
                    ($0 as? AddressRaceError)?.errors.count == answers.count
                }
                #expect(book.outcomes == Array(["failed 127.0.0.9", "failed 127.0.0.8"].prefix(answers.count)))
                #expect(book.lookUps == 2)
            }
        }
    }

    @Test("Addresses that are known need no look-up")
    func known() async throws {
        struct Known: AddressResolving {
            func knownAddresses(of host: String) -> [IPAddress]? {
                host == "shop.test" ? ["127.0.0.1"].compactMap { IPAddress($0) } : []
            }

            func addresses(of host: String) throws -> [IPAddress] {
                Issue.record("a look-up of \(host)")
                return []
            }
        }
        try await withHost { host in
            let target = HostPort(host: "shop.test", port: try port(of: host))
            try await expectHost(connector(Known()).connect(to: target, over: [.direct]).get())
            await #expect(throws: AddressLookUpError.self) {
                let target = HostPort(host: "none.test", port: target.port)
                return try await connector(Known()).connect(to: target, over: [.direct]).get()
            }
        }
    }

    @Test("A look-up that fails, has no result or does not end is an error of its own")
    func lookUps() async throws {
        let book = AddressBook(["empty.test": []])
        for host in ["none.test", "empty.test"] {
            await #expect {
                try await connector(book).connect(to: HostPort(host: host, port: 1), over: [.direct]).get()
            } throws: {
                guard let error = $0 as? AddressLookUpError else { return false }
                return (error.cause is AddressBook.UnknownName) == (host == "none.test") && !error.isTimedOut
            }
        }
        #expect(book.lookUps == ["none.test", "empty.test"])
        let (endless, end) = AsyncStream<Void>.makeStream()
        let hasty = RouteConnector(
            on: eventLoop, timeLimit: .milliseconds(200), addresses: EndlessResolver(until: endless))
        await #expect {
            try await hasty.connect(to: target, over: [.direct]).get()
        } throws: {
            ($0 as? AddressLookUpError)?.isTimedOut == true
        }
        end.finish()
    }

    @Test("A name that the resolver is not used for is resolved by the system")
    func unused() async throws {
        let book = UnusedBook()
        let target = HostPort(host: "nothing.invalid", port: 443)
        await #expect {
            try await connector(book).connect(to: target, over: [.direct]).get()
        } throws: {
            guard let error = $0 as? NIOConnectionError else { return false }
            return error.dnsAError != nil || error.dnsAAAAError != nil
        }
    }

    @Test("The check is final: no other address is tried")
    func finalCheck() async throws {
        struct Refused: Error {}
        try await withHost { host in
            let book = AddressBook(["shop.test": ["127.0.0.1", "127.0.0.9"]])
            let target = HostPort(host: "shop.test", port: try port(of: host))
            await #expect(throws: Refused.self) {
                try await connector(book) { _ in throw Refused() }.connect(to: target, over: [.direct]).get()
            }
            #expect(book.lookUps == ["shop.test"] && book.addresses(.failed) == [])
        }
    }

    @Test("A connection that the check refuses receives no bytes")
    func check() async throws {
        struct Refused: Error {}
        for isProxied in [true, false] {
            let received = eventLoop.makePromise(of: String.self)
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in
                    received.futureResult.whenComplete { _ in channel.close(promise: nil) }
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Collector(of: .max, received))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let target = proxy(try #require(server.localAddress?.port))
            let route: ProxyRoute = isProxied ? .http(target, nil) : .direct
            await #expect(throws: Refused.self) {
                try await connector { _ in throw Refused() }.connect(to: target, over: [route]).get()
            }
            #expect(try await received.futureResult.get() == "")
            try await server.close()
        }
    }
}

/// A resolver whose look-ups have the results of a list in order; the last one applies to further look-ups.
private final class GrowingBook: AddressResolving {
    private let results: [[String]]
    private let state = Mutex((lookUps: 0, outcomes: [String]()))

    init(_ results: [[String]]) {
        self.results = results
    }

    var lookUps: Int { state.withLock { $0.lookUps } }
    var outcomes: [String] { state.withLock { $0.outcomes } }

    func addresses(of host: String) -> [IPAddress] {
        let number = state.withLock { state in
            state.lookUps += 1
            return state.lookUps
        }
        return results[min(number, results.count) - 1].compactMap { IPAddress($0) }
    }

    func record(_ outcome: AddressOutcome, of address: IPAddress, for host: String) {
        state.withLock { $0.outcomes.append("\(outcome) \(address)") }
    }
}

/// A resolver whose look-ups ignore cancellation and end with a stream.
private struct EndlessResolver: AddressResolving {
    let waiting: Task<Void, Never>

    init(until end: AsyncStream<Void>) {
        waiting = Task { for await _ in end {} }
    }

    func addresses(of host: String) async -> [IPAddress] {
        await waiting.value
        return []
    }
}

/// A resolver that is used for no name.
private struct UnusedBook: AddressResolving {
    func resolves(_ host: String) -> Bool { false }

    func addresses(of host: String) -> [IPAddress] {
        Issue.record("a look-up of \(host)")
        return []
    }
}

/// A handler that sends a greeting and echoes.
private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "greeting")), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(data, promise: nil)
    }
}

/// A handler that accepts a request of a tunnel, sends the greeting of a host in the same bytes, and ends its output.
private final class ImmediateProxy: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\ngreeting")
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { _ in channel.close(mode: .output, promise: nil) }
    }
}

/// A handler that collects a number of bytes, or all bytes before the end of input.
private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let count: Int
    private let promise: EventLoopPromise<String>
    private var received = ByteBuffer()

    init(of count: Int, _ promise: EventLoopPromise<String>) {
        self.count = count
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        if received.readableBytes >= count { promise.succeed(String(buffer: received)) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { promise.succeed(String(buffer: received)) }
    }

    func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}
