// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerTesting
import Foundation
import HTTPTransport
import Logging
import NameResolution
import Prefetch
import RemoteConfig
import ResourceLoading
import Testing
import WebEngineTesting
import WebSyntax

@testable import ContainerKit

/// Host names of a container that servers resolve. A server for DNS over HTTPS runs on this computer.
@MainActor
@Suite("Name resolution of a container", .timeLimit(.minutes(1)))
struct NameResolutionTests {
    private let fixture = Fixture()
    private let home = NetworkIdentity(name: "home")
    private let own = ["192.0.2.1"].compactMap { IPAddress($0) }

    /// Runs a test with a server that knows some names.
    private func withServer(_ body: @MainActor (Names) async throws -> Void) async throws {
        let names = try await Names.start()
        do {
            try await body(names)
        } catch {
            await names.server.stop()
            throw error
        }
        await names.server.stop()
    }

    /// Creates a container that uses the server.
    private func container(
        _ names: Names, on network: NetworkIdentity? = nil, engine: FakeEngine? = nil,
        change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        let options = try names.options(on: network ?? home)
        let transport = try names.transport()
        let covered = ["shop.test", "cdn.test", "api.test"]
        return try await fixture.container(covering: covered, on: engine ?? FakeEngine()) {
            $0.network.transport = transport
            $0.network.nameResolution = options
            change(&$0)
        }
    }

    private func resolver(of container: Container<FakeEngine>) throws -> NameResolver {
        try #require(container.core.nameResolution).resolver
    }

    // MARK: Transport and switch

    @Test("The transport receives the resolver; one that cannot use it is a warning")
    func transports() async throws {
        let server = try ResolverServer(url: "https://192.0.2.53/dns-query")
        let message = "the transport does not use the servers that resolve names"
        for capabilities in [[.decodes], [.decodes, .ownAddresses]] as [TransportCapabilities] {
            let (network, log) = (FakeNetwork(capabilities), MessageLog())
            let container = try await fixture.container(on: FakeEngine()) {
                $0.network.transport = network
                $0.network.nameResolution = NameResolutionOptions(servers: [.doh(server)])
                $0.logger = Logger(label: "test") { _ in log }
            }
            #expect((network.addresses.withLock { $0 } is NameResolver) == capabilities.contains(.ownAddresses))
            let warnings = log.messages.withLock { $0.count { $0 == message } }
            #expect(warnings == (capabilities.contains(.ownAddresses) ? 0 : 1))
            await container.shutDown()
        }
    }

    @Test("Without options and without servers nothing is resolved", arguments: [true, false])
    func none(_ hasOptions: Bool) async throws {
        let container = try await fixture.container {
            if hasOptions { $0.network.nameResolution = NameResolutionOptions(servers: []) }
        }
        #expect(fixture.network.addresses.withLock { $0 } == nil && container.core.nameResolution == nil)
        #expect(container.counters.nameResolution == nil)
        await container.shutDown()
    }

    @Test("Remote config turns the servers off and on for the next connection")
    func remoteConfig() async throws {
        try await withServer { names in
            let container = try await container(names) { $0.remote = RemoteConfigOptions() }
            let resolver = try resolver(of: container)
            #expect(resolver.resolves("shop.test"))
            #expect(try await resolver.addresses(of: "shop.test") == own)
            let off = #"{"format":1,"version":1,"features":{"nameResolution":false}}"#
            try await container.apply(RemoteConfigDocument(json: Data(off.utf8)))
            // Also for a name whose addresses are known.
            #expect(!resolver.resolves("shop.test") && !resolver.resolves("cdn.test"))
            _ = try await container.open("https://cdn.test/")
            try await container.apply(RemoteConfigDocument(json: Data(#"{"format":1,"version":2}"#.utf8)))
            #expect(resolver.resolves("shop.test") && resolver.resolves("cdn.test"))
            _ = try await container.open("https://api.test/")
            try await until { names.hosts.contains("api.test") }
            await resolver.prepared()
            #expect(names.hosts == ["shop.test", "api.test"])
            #expect(container.counters.nameResolution?.serverAnswers == 2)
            await container.shutDown()
        }
    }

    // MARK: Stored answers

    @Test("Answers are stored in the background; the next container uses them in the same network only")
    func nextLaunch() async throws {
        try await withServer { names in
            let first = try await container(names)
            #expect(try await resolver(of: first).addresses(of: "shop.test") == own)
            try await first.hostEnteredBackground()
            // The folder of an app that is ended in the background.
            try FileManager.default.copyItem(atPath: fixture.folder + "/store", toPath: fixture.folder + "/ended")
            await first.shutDown()
            let asked = names.zone.questions.count

            let next = try await container(names) { $0.directory = fixture.folder + "/ended" }
            #expect(try resolver(of: next).knownAddresses(of: "shop.test") == own)
            #expect(try await resolver(of: next).addresses(of: "shop.test") == own)
            #expect(names.zone.questions.count == asked)
            await next.shutDown()

            let elsewhere = try await container(names, on: NetworkIdentity(name: "office")) {
                $0.directory = fixture.folder + "/ended"
            }
            #expect(try resolver(of: elsewhere).knownAddresses(of: "shop.test") == nil)
            #expect(try await resolver(of: elsewhere).addresses(of: "shop.test") == own)
            #expect(names.zone.questions.count > asked)
            await elsewhere.shutDown()
        }
    }

    @Test("A sign-out removes the answers, also the stored ones")
    func signOut() async throws {
        try await withServer { names in
            let first = try await container(names)
            _ = try await resolver(of: first).addresses(of: "shop.test")
            await first.shutDown()
            let second = try await container(names)
            #expect(try resolver(of: second).knownAddresses(of: "shop.test") == own)
            try await second.signOut()
            #expect(try resolver(of: second).knownAddresses(of: "shop.test") == nil)
            await second.shutDown()
            let third = try await container(names)
            #expect(try resolver(of: third).knownAddresses(of: "shop.test") == nil)
            await third.shutDown()
        }
    }

    // MARK: Events

    @Test("Servers that fail are switched off with one event, which the first subscriber receives later")
    func switchOff() async throws {
        let container = try await fixture.container()
        let (core, hub) = (container.core, EventHub())
        var options = NameResolutionOptions(servers: [.doh(try ResolverServer(url: "https://192.0.2.53/dns-query"))])
        options.rules.defaultOrder = .secureFirst
        let service = NameResolutionService(
            options, loader: FailingLoader(), system: KnownBySystem(), feature: FeatureSwitch(),
            conditions: .favourable, proxies: nil, logger: core.logger)
        let component: any ContainerComponent = NameResolutionComponent(
            service, core.packages.library, core.makePolicy(table: nil, origins: nil), nil, core.configuration, hub)
        try await component.start()
        let (events, event) = AsyncStream<Void>.makeStream()
        let send = service.onEvent
        service.onEvent = {
            send?($0)
            event.yield()
        }
        for number in 0..<10 { _ = try await service.resolver.addresses(of: "h\(number).test") }
        for await _ in events { break }
        #expect(!service.resolver.resolves("other.test"))
        let stream = hub.subscribe()
        hub.finish()
        await container.shutDown()
        var received: [NameLookupEvent] = []
        for await case .nameResolution(let event) in stream { received.append(event) }
        #expect(received == [.switchedOff(.lookUps)])
        var counters = ContainerCounters()
        component.addCounters(to: &counters)
        #expect((counters.nameResolution?.serverFailures ?? 0) >= 5)
    }

    // MARK: Names ahead

    @Test("The hosts of packages, of a page, of its list and of the prefetch table are resolved ahead")
    func ahead() async throws {
        let interface = #"{"api":"https://api.test/api","urlParam":true}"#
        let json = """
            {"code":200,"data":{"version":"1","config":[{"url":"https://shop.test/","interfaces":[\(interface)]}]}}
            """
        let table = try PrefetchTable(json: Data(json.utf8))
        try await withServer { names in
            let container = try await container(names) {
                $0.network.nameResolution?.pages = [PageHosts(page: "https://shop.test/", hosts: ["cdn.test"])]
                $0.network.prefetch = PrefetchOptions()
                $0.network.prefetch?.table = table
            }
            let resolver = try resolver(of: container)
            try await fixture.install(["a.js": "a"], version: "1", base: "https://packages.test/", into: container)
            container.hostEnteredForeground()
            try await until { names.hosts.contains("packages.test") }
            await resolver.prepared()
            #expect(names.hosts == ["packages.test"])
            // The engine resolves the names of plain pages.
            _ = try await container.open("https://plain.test/")
            _ = try await container.open("https://shop.test/?id=7")
            let hosts: Set = ["packages.test", "shop.test", "cdn.test", "api.test"]
            try await until { names.hosts == hosts }
            await resolver.prepared()
            for host in hosts { #expect(resolver.knownAddresses(of: host) == own) }
            await container.shutDown()
        }
    }

    @Test("The hosts of packages are resolved at launch")
    func launch() async throws {
        try await withServer { names in
            let first = try await container(names)
            try await fixture.install(["a.js": "a"], version: "1", base: "https://packages.test/", into: first)
            await first.shutDown()
            #expect(names.hosts == [])
            let next = try await container(names)
            try await until { names.hosts == ["packages.test"] }
            await next.shutDown()
        }
    }

    @Test("Nothing is resolved ahead without a network")
    func offline() async throws {
        try await withServer { names in
            let conditions = ChangingConditions(HostConditions(network: .none))
            let container = try await container(names) {
                $0.conditions = conditions
                $0.network.nameResolution?.pages = [PageHosts(page: "https://shop.test/", hosts: ["cdn.test"])]
            }
            _ = try await container.open("https://shop.test/")
            conditions.set(HostConditions())
            _ = try await container.open("https://api.test/")
            try await until { names.hosts.contains("api.test") }
            try await resolver(of: container).prepared()
            #expect(names.hosts == ["api.test"])
            await container.shutDown()
        }
    }

    @Test("Hosts behind a proxy of the system are not resolved ahead")
    func proxies() async throws {
        try await withServer { names in
            let container = try await container(names) {
                $0.network.proxies = .resolver(ProxyBook(hosts: ["shop.test"]))
                $0.network.nameResolution?.pages = [PageHosts(page: "https://shop.test/", hosts: ["cdn.test"])]
            }
            _ = try await container.open("https://shop.test/")
            try await until { names.hosts.contains("cdn.test") }
            try await resolver(of: container).prepared()
            #expect(names.hosts == ["cdn.test"])
            await container.shutDown()
        }
    }
}

/// A server for DNS over HTTPS, and the names that it knows.
private struct Names {
    let zone: NameZone
    let server: OriginServer

    static func start() async throws -> Names {
        let names = ["shop.test", "cdn.test", "api.test", "packages.test"]
        let zone = NameZone(Dictionary(uniqueKeysWithValues: names.map { ($0, .addresses("192.0.2.1")) }))
        let path = try #require(OriginPathPattern("/dns-query"))
        var configuration = OriginServer.Configuration(routes: OriginRoute.names(at: path, zone))
        configuration.usesTLS = true
        configuration.offersHTTP2 = true
        configuration.certificateNames = ["dns.test"]
        return Names(zone: zone, server: try await OriginServer.start(configuration))
    }

    /// The names that the server was asked for.
    var hosts: Set<String> { Set(zone.questions.map(\.name)) }

    func options(on network: NetworkIdentity) throws -> NameResolutionOptions {
        let server = try ResolverServer(
            url: "https://dns.test:\(server.port)/dns-query", addresses: ["127.0.0.1"])
        var options = NameResolutionOptions(servers: [.doh(server)])
        options.rules.defaultOrder = .secureFirst
        options.network = OneNetwork(identity: network)
        return options
    }

    /// Returns a transport whose authorities are those of the server.
    func transport() throws -> FakeNetwork {
        FakeNetwork(
            [.decodes, .ownAddresses], authorities: [try CertificateAuthority(pem: server.authorityPEM ?? "")])
    }
}

private struct OneNetwork: NetworkIdentifying {
    let identity: NetworkIdentity

    func currentNetwork() -> NetworkStatus { NetworkStatus(identity: identity) }
}

/// A loader of a server that does not respond.
private struct FailingLoader: ResourceLoader {
    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        throw ResourceError(.connectionLost, "lost", at: request.head.urlText)
    }
}

/// A resolver of the system that knows all names.
private struct KnownBySystem: SystemNameResolving {
    func addresses(of host: String) async throws -> [IPAddress] { ["192.0.2.9"].compactMap { IPAddress($0) } }
}

/// A proxy for some hosts.
private struct ProxyBook: ProxyResolving {
    let hosts: Set<String>

    func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
        hosts.contains(host.host) ? [.http(HostPort(host: "proxy.example", port: 3_128), nil)] : [.direct]
    }
}
