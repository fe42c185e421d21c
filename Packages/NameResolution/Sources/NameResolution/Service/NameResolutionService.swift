// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
package import Logging
package import ResourceLoading
@_spi(Facade) package import ResourceStore
internal import WebSyntax

/// The name resolution of a container: a resolver with its stored answers and the network that the device uses.
///
/// Isolation: the main actor; reading, writing and look-ups run on other threads.
@MainActor
package final class NameResolutionService {
    /// The resolver for transports and tunnels.
    package nonisolated let resolver: NameResolver
    private let options: NameResolutionOptions
    private let feature: FeatureSwitch
    private let conditions: any HostConditioning
    private let proxies: SystemProxies?
    private let logger: Logger
    private let queue = SerialQueue("container.network-identity")
    private let events: AsyncStream<NameLookupEvent>.Continuation
    private var storage: StoredDocument?
    /// The status of the network at the last look at it.
    private var lastStatus = NetworkStatus(identity: nil)
    private var isShutDown = false
    /// A closure that receives each event.
    package var onEvent: (@MainActor (NameLookupEvent) -> Void)?

    /// Creates a service without stored answers.
    /// - Parameters:
    ///   - options: the options.
    ///   - loader: the loader of the requests to the servers. It must not use this service.
    ///   - system: the resolver of the system.
    ///   - feature: the switch of the servers, which is read for each host.
    ///   - conditions: the conditions of the host. No names are resolved ahead without a network.
    ///   - proxies: the proxies of the container. Names of hosts behind a proxy are not resolved ahead.
    ///   - logger: the logger.
    package init(
        _ options: NameResolutionOptions, loader: any ResourceLoader,
        system: any SystemNameResolving = SystemNameResolver(), feature: FeatureSwitch,
        conditions: any HostConditioning, proxies: SystemProxies?, logger: Logger
    ) {
        self.options = options
        self.feature = feature
        self.conditions = conditions
        self.proxies = proxies
        self.logger = logger
        let (stream, events) = AsyncStream<NameLookupEvent>.makeStream(bufferingPolicy: .bufferingNewest(64))
        self.events = events
        resolver = NameResolver(
            NameResolver.Configuration(servers: options.servers, rules: options.rules), loader: loader, system: system,
            feature: feature, onEvent: { events.yield($0) })
        Task { [weak self] in
            for await event in stream { self?.report(event) }
        }
    }

    private func report(_ event: NameLookupEvent) {
        logger.warning("name resolution", metadata: ["event": "\(event)"])
        onEvent?(event)
    }

    /// The numbers since the creation.
    package var counters: NameCounters { resolver.counters }

    // MARK: Stored answers

    /// Opens the service of a container. Without one, the answers that an earlier process stored are removed.
    package static func open(_ service: NameResolutionService?, in store: BlobStore) async {
        if let service { return await service.open(in: store) }
        let storage = StoredDocument(documentName, in: store)
        if (try? await storage.read())?.isEmpty == false { try? await storage.write(Data()) }
    }

    private static let documentName = "names"

    /// Determines the network, and reads the answers that the last process stored.
    package func open(in store: BlobStore) async {
        let storage = StoredDocument(Self.documentName, in: store)
        self.storage = storage
        await updateNetwork()
        do {
            if let document = try await storage.read(), !document.isEmpty { try resolver.restore(document) }
        } catch {
            // The names are resolved again.
            logger.warning("cannot read the stored names", metadata: ["error": "\(error)"])
        }
    }

    /// Stores the answers, for example before the app is suspended.
    package func save() async {
        guard let storage else { return }
        do {
            try await storage.write(resolver.storedAnswers() ?? Data())
        } catch {
            logger.warning("cannot store the names", metadata: ["error": "\(error)"])
        }
    }

    /// Removes all answers, also from the disk, because they tell which sites an account has used.
    /// - Throws: `StoreError`.
    package func removeAll() async throws {
        resolver.removeAll()
        try await storage?.write(Data())
    }

    /// Stores the answers and accepts no more work.
    package func shutDown() async {
        guard !isShutDown else { return }
        isShutDown = true
        // A transport of the app can keep the resolver.
        feature.set(false)
        events.finish()
        await save()
    }

    // MARK: Network

    /// Drops the answers if the device uses another network, and also if its network is unknown. Call this method when
    /// the conditions of the host change.
    package func networkChanged() {
        Task { await updateNetwork(dropsUnknown: true) }
    }

    /// Drops the answers if the device uses another network. Call this method when a page opens or the app continues.
    package func checkNetwork() {
        Task { await updateNetwork() }
    }

    /// - Parameter dropsUnknown: a Boolean value that indicates whether answers are dropped if the network was unknown
    ///   and still is.
    private func updateNetwork(dropsUnknown: Bool = false) async {
        let network = options.network
        let status = await queue.run { network?.currentNetwork() ?? NetworkStatus(identity: nil) }
        guard !isShutDown else { return }
        guard dropsUnknown || status != lastStatus else { return }
        lastStatus = status
        resolver.changeNetwork(to: status.identity, isIPv6Only: status.isIPv6Only)
    }

    // MARK: Names ahead

    /// Resolves the hosts of a page that is being opened, in the order in which the page needs them, and returns at
    /// once.
    /// - Parameters:
    ///   - page: the URL of the page.
    ///   - others: the URLs of other requests that the page needs.
    package func prepare(page: String, _ others: [String]) {
        let address = PageHosts.page(page)
        let listed = options.pages.first { $0.page == address }?.hosts ?? []
        let urls = [page] + listed.map { "https://\($0)/" } + others
        Task {
            // Answers of look-ups that began before a change of the network are not kept.
            await updateNetwork()
            prepare(urls)
        }
    }

    /// Resolves the hosts of URLs and returns at once. Hosts behind a proxy are not resolved.
    package func prepare(_ urls: [String]) {
        guard !isShutDown, feature.isOn, conditions.conditions.network != .none else { return }
        var known: Set<String> = []
        let hosts = urls.compactMap { WebOrigin(url: $0) }.compactMap { HostPort($0.authority, defaultPort: 443) }
            .filter { known.insert($0.host).inserted }
        Task { [proxies, resolver] in
            guard let proxies else { return resolver.prepare(hosts.map(\.host)) }
            for host in hosts {
                let routes = await proxies.routes(to: host, isSecure: true)
                if routes.first?.proxy == nil { resolver.prepare([host.host]) }
            }
        }
    }
}
