// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import Logging
import ResourceLoading
@_spi(Facade) import ResourceStore
import Testing
import WebSyntax

@testable import NameResolution

/// The service of a container, with a real store and doubles for servers, system and network.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct NameResolutionServiceTests {
    private let own = IPAddress.list("192.0.2.1")
    private let home = NetworkIdentity(name: "home")
    private let office = NetworkIdentity(name: "office")
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store() throws -> BlobStore { try BlobStore(directory: folder.path + "/store") }

    // MARK: Stored answers

    @Test("Answers are stored for the network, and used by the next service without a query")
    func persistence() async throws {
        let store = try store()
        let first = try Stage(on: home)
        await first.service.open(in: store)
        #expect(try await first.resolver.addresses(of: "a.example") == own)
        await first.service.save()

        let second = try Stage(on: home)
        await second.service.open(in: store)
        #expect(second.resolver.knownAddresses(of: "a.example") == own)
        #expect(second.loader.requests == [] && second.system.hosts == [])

        let elsewhere = try Stage(on: office)
        await elsewhere.service.open(in: store)
        #expect(elsewhere.resolver.knownAddresses(of: "a.example") == nil)
        _ = try await elsewhere.resolver.addresses(of: "b.example")
        await elsewhere.service.shutDown()

        // The answers of the first network are still stored, those of the second were added.
        for (network, host) in [(home, "a.example"), (office, "b.example")] {
            let next = try Stage(on: network)
            await next.service.open(in: store)
            #expect(next.resolver.knownAddresses(of: host) == own)
            #expect(next.resolver.knownAddresses(of: host == "a.example" ? "b.example" : "a.example") == nil)
        }
    }

    @Test("Answers of an unknown network are not stored")
    func unknownNetwork() async throws {
        let store = try store()
        let first = try Stage(on: nil)
        await first.service.open(in: store)
        _ = try await first.resolver.addresses(of: "a.example")
        await first.service.shutDown()
        for network in [nil, home] {
            let next = try Stage(on: network)
            await next.service.open(in: store)
            #expect(next.resolver.knownAddresses(of: "a.example") == nil)
        }
    }

    @Test("A removal also removes the answers on the disk, of all networks")
    func removal() async throws {
        let store = try store()
        for network in [home, office] {
            let stage = try Stage(on: network)
            await stage.service.open(in: store)
            _ = try await stage.resolver.addresses(of: "a.example")
            await stage.service.save()
        }
        let stage = try Stage(on: home)
        await stage.service.open(in: store)
        #expect(stage.resolver.knownAddresses(of: "a.example") == own)
        try await stage.service.removeAll()
        #expect(stage.resolver.knownAddresses(of: "a.example") == nil)
        await stage.service.save()
        for network in [home, office] {
            let next = try Stage(on: network)
            await next.service.open(in: store)
            #expect(next.resolver.knownAddresses(of: "a.example") == nil)
        }
    }

    @Test(
        "A document that is no list of answers is logged and replaced",
        arguments: ["no answers", "{}", String(repeating: "[", count: 300_000)])
    func damage(_ text: String) async throws {
        let store = try store()
        try await StoredDocument("names", in: store).write(Data(text.utf8))
        let stage = try Stage(on: home)
        await stage.service.open(in: store)
        #expect(stage.log.messages == ["cannot read the stored names"])
        #expect(try await stage.resolver.addresses(of: "a.example") == own)
        await stage.service.save()
        let next = try Stage(on: home)
        await next.service.open(in: store)
        #expect(next.resolver.knownAddresses(of: "a.example") == own && next.log.messages == [])
    }

    // MARK: Network

    @Test("Answers are dropped when the network becomes unknown, and by a reported change of an unknown network")
    func unknownChange() async throws {
        let store = try store()
        let stage = try Stage(on: home)
        await stage.service.open(in: store)
        _ = try await stage.resolver.addresses(of: "a.example")
        stage.network.set(nil)
        await stage.service.open(in: store)
        #expect(stage.resolver.knownAddresses(of: "a.example") == nil)
        _ = try await stage.resolver.addresses(of: "a.example")
        await stage.service.open(in: store)
        #expect(stage.resolver.knownAddresses(of: "a.example") == own)
        stage.service.networkChanged()
        try await until { stage.resolver.knownAddresses(of: "a.example") == nil }
    }

    @Test("The network is checked when a page opens", arguments: [true, false])
    func checks(_ opensPage: Bool) async throws {
        let stage = try Stage(on: home)
        await stage.service.open(in: try store())
        _ = try await stage.resolver.addresses(of: "a.example")
        stage.network.set(office)
        if opensPage {
            stage.service.prepare(page: "https://127.0.0.1/", [])
        } else {
            stage.service.checkNetwork()
        }
        try await until { stage.resolver.knownAddresses(of: "a.example") == nil }
    }

    // MARK: Names ahead

    @Test("The host of a page, its listed hosts and those of other requests are resolved, each once")
    func pageHosts() async throws {
        let stage = try Stage(on: home) {
            $0.pages = [
                PageHosts(page: "https://shop.example/offer", hosts: ["a.example", "shop.example", "b.example"]),
                PageHosts(page: "https://shop.example/", hosts: ["other.example"]),
            ]
        }
        stage.service.prepare(
            page: "https://shop.example:8443/offer", ["https://c.example/x", "not a URL", "https://192.0.2.7/"])
        try await until { stage.loader.hosts.contains("c.example") }
        await stage.resolver.prepared()
        #expect(Set(stage.loader.hosts) == ["shop.example", "c.example"], "the port is another one")
        stage.service.prepare(
            page: "https://shop.example/offer?id=7#top", ["https://b.example/y", "https://d.example/"])
        try await until { stage.loader.hosts.contains("d.example") }
        await stage.resolver.prepared()
        let asked: Set = ["shop.example", "c.example", "a.example", "b.example", "d.example"]
        // Two questions for each name.
        #expect(Set(stage.loader.hosts) == asked && stage.loader.hosts.count == 2 * asked.count)
    }

    @Test("No name is resolved ahead without a network, while the feature is off, and after the end")
    func notAhead() async throws {
        let stage = try Stage(on: home)
        stage.conditions.set(.none)
        stage.service.prepare(["https://offline.example/"])
        stage.conditions.set(.metered)
        stage.feature.set(false)
        stage.service.prepare(["https://off.example/"])
        stage.feature.set(true)
        stage.service.prepare(["https://a.example/"])
        try await until { stage.loader.hosts.contains("a.example") }
        await stage.resolver.prepared()
        #expect(Set(stage.loader.hosts) == ["a.example"])
        await stage.service.shutDown()
        stage.service.prepare(["https://late.example/"])
        // Without the service, the system resolves all names.
        stage.system.set(own, of: "b.example")
        #expect(!stage.resolver.resolves("b.example"))
        #expect(try await stage.resolver.addresses(of: "b.example") == own)
        await stage.resolver.prepared()
        #expect(Set(stage.loader.hosts) == ["a.example"])
    }

    @Test("Hosts behind a proxy are not resolved ahead")
    func proxies() async throws {
        let stage = try Stage(on: home, proxied: ["shop.example"])
        stage.service.prepare(["https://shop.example/", "https://a.example/"])
        try await until { stage.loader.hosts.contains("a.example") }
        await stage.resolver.prepared()
        #expect(Set(stage.loader.hosts) == ["a.example"])
    }

    // MARK: Events

    @Test("Repeated failures of the servers switch them off, with one event and one message")
    func switchOff() async throws {
        let stage = try Stage(on: home)
        var events: [NameLookupEvent] = []
        stage.service.onEvent = { events.append($0) }
        stage.loader.set(.status(500), of: ResolverFixture.first)
        for number in 0..<8 { stage.system.set(own, of: "h\(number).example") }
        for number in 0..<8 { #expect(try await stage.resolver.addresses(of: "h\(number).example") == own) }
        try await until { !events.isEmpty }
        #expect(!stage.resolver.resolves("a.example"))
        #expect(events == [.switchedOff(.lookUps)] && stage.log.messages == ["name resolution"])
        #expect(stage.service.counters.serverFailures >= 5)
    }

    @Test("An implausible answer is an event")
    func implausible() async throws {
        let stage = try Stage(on: home) {
            $0.rules.defaultOrder = .systemFirst
            try $0.rules.requirePublicAddresses(for: "a.example")
        }
        var events: [NameLookupEvent] = []
        stage.service.onEvent = { events.append($0) }
        stage.system.set(IPAddress.list("127.0.0.1"), of: "a.example")
        stage.loader.set([.a("a.example", "198.51.100.1")], zone: .soa("example", minimum: 60))
        _ = try? await stage.resolver.addresses(of: "a.example")
        try await until { events == [.implausibleAnswer(host: "a.example")] }
    }
}

/// A service with doubles.
@MainActor
private final class Stage {
    let loader = ZoneLoader()
    let system = SystemBook(clock: ManualClock())
    let network: NetworkBook
    let conditions = ConditionBook()
    let feature = FeatureSwitch()
    let log = MessageLog()
    let service: NameResolutionService

    var resolver: NameResolver { service.resolver }

    /// - Parameters:
    ///   - identity: the network at first.
    ///   - proxied: the hosts behind a proxy.
    ///   - change: a closure that changes the options.
    init(
        on identity: NetworkIdentity?, proxied: Set<String> = [],
        change: (inout NameResolutionOptions) throws -> Void = { _ in }
    ) throws {
        let (network, log) = (NetworkBook(identity), log)
        self.network = network
        loader.set(
            ["a", "b", "c", "d", "off", "offline", "late", "shop", "other"].map { .a("\($0).example", "192.0.2.1") },
            zone: .soa("example", minimum: 60))
        var options = NameResolutionOptions(servers: [
            .doh(try ResolverServer(url: "https://\(ResolverFixture.first)/q"))
        ])
        options.network = network
        options.rules.defaultOrder = .secureFirst
        try change(&options)
        let proxies = proxied.isEmpty ? nil : SystemProxies(ProxyBook(hosts: proxied)) { _, _ in }
        service = NameResolutionService(
            options, loader: loader, system: system, feature: feature, conditions: conditions, proxies: proxies,
            logger: Logger(label: "test") { _ in log })
    }
}

extension ZoneLoader {
    /// The hosts of all questions, in their order.
    fileprivate var hosts: [String] { requests.map(\.host) }
}

/// A network that changes.
private final class NetworkBook: NetworkIdentifying {
    private let identity: Mutex<NetworkIdentity?>

    init(_ identity: NetworkIdentity?) { self.identity = Mutex(identity) }

    func set(_ identity: NetworkIdentity?) { self.identity.withLock { $0 = identity } }

    func currentNetwork() -> NetworkStatus { NetworkStatus(identity: identity.withLock { $0 }) }
}

/// Conditions whose network changes.
private final class ConditionBook: HostConditioning {
    private let network = Mutex(HostConditions.Network.unmetered)

    var conditions: HostConditions { HostConditions(network: network.withLock { $0 }) }

    func set(_ network: HostConditions.Network) { self.network.withLock { $0 = network } }

    func changes() -> AsyncStream<HostConditions> { AsyncStream { $0.finish() } }
}

/// A proxy for some hosts.
private struct ProxyBook: ProxyResolving {
    let hosts: Set<String>

    func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
        hosts.contains(host.host) ? [.http(HostPort(host: "proxy.example", port: 3_128), nil)] : [.direct]
    }
}

/// A log handler that records messages.
private final class MessageLog: LogHandler {
    private let recorded = Mutex<[String]>([])
    var messages: [String] { recorded.withLock { $0 } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) { recorded.withLock { $0.append("\(event.message)") } }
}
