// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import Foundation
public import ResourceLoading
public import WebSyntax

/// A resolver of host names by servers over HTTPS and by the system, with a cache.
///
/// Answers are valid in one network. Stale ones are used while they are refreshed (RFC 8767). Callers for the same host
/// share one look-up, which continues if a caller is cancelled, and which ends after ten seconds at most. After
/// repeated failures the servers are not used until the next launch; see ``NameLookupEvent``.
///
/// Isolation: any. ``resolves(_:)``, ``knownAddresses(of:)`` and ``record(_:of:for:)`` hold a lock for a short time.
public final class NameResolver: AddressResolving {
    /// The servers and the rules of a resolver.
    public struct Configuration: Sendable {
        /// The maximum number of servers.
        public static let maxServers = 8

        /// The servers in the order of preference. Those after the maximum number are ignored.
        public var servers: [NameServer]
        /// The order of resolvers for each host.
        public var rules: ResolutionRules

        /// Creates a configuration.
        public init(servers: [NameServer], rules: ResolutionRules = ResolutionRules()) {
            self.servers = servers
            self.rules = rules
        }
    }

    let servers: [NameServer]
    let rules: ResolutionRules
    let state: Mutex<ResolverState>
    let date: @Sendable () -> Date
    let clock: any Clock<Duration>
    /// Returns the time since the creation of the resolver.
    let now: @Sendable () -> Duration

    private let clients: [ServerClient]
    private let serverHosts: Set<String>
    private let system: (any SystemNameResolving)?
    private let feature: FeatureSwitch
    private let onEvent: @Sendable (NameLookupEvent) -> Void

    /// Creates a resolver that also uses the resolver of the system.
    /// - Parameters:
    ///   - configuration: the servers and the rules.
    ///   - loader: the loader of requests to the servers. It must not use this resolver.
    ///   - onEvent: a closure that receives events. It is called on any thread and must not block.
    public convenience init(
        _ configuration: Configuration, loader: any ResourceLoader,
        onEvent: @escaping @Sendable (NameLookupEvent) -> Void = { _ in }
    ) {
        self.init(configuration, loader: loader, system: SystemNameResolver(), onEvent: onEvent)
    }

    /// Creates a resolver.
    /// - Parameters:
    ///   - configuration: the servers and the rules.
    ///   - loader: the loader of requests to the servers.
    ///   - system: the resolver of the system, or `nil` to use servers only.
    ///   - feature: the switch of the servers, which is read for each host.
    ///   - clock: a clock that continues while the device sleeps.
    ///   - date: a closure that returns the current time, for stored answers.
    ///   - onEvent: a closure that receives events.
    package init(
        _ configuration: Configuration, loader: any ResourceLoader, system: (any SystemNameResolving)?,
        feature: FeatureSwitch = FeatureSwitch(), clock: some Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() },
        onEvent: @escaping @Sendable (NameLookupEvent) -> Void = { _ in }
    ) {
        servers = Array(configuration.servers.prefix(Configuration.maxServers))
        rules = configuration.rules
        // Connections do not wait for the other family (RFC 8305, section 3). Without a system, answers are complete.
        let familyDelay: Duration? = system == nil ? nil : .milliseconds(50)
        clients = servers.enumerated().map { index, server in
            ServerClient(
                server: server, index: UInt8(index), loader: loader, familyDelay: familyDelay, clock: clock)
        }
        serverHosts = Set(servers.map { AnswerCache.key(of: $0.server.authority.host) })
        self.system = system
        self.feature = feature
        self.clock = clock
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.date = date
        self.onEvent = onEvent
        state = Mutex(ResolverState())
    }

    // MARK: AddressResolving

    /// Returns a Boolean value that indicates whether this resolver is used for a host: there are servers, they are
    /// turned on and not switched off after failures, and the rules permit the host.
    public func resolves(_ host: String) -> Bool {
        guard feature.isOn else { return false }
        let (isActive, isKnown) = state.withLock { ($0.isActive, $0.isActive && $0.cache.contains(host)) }
        return isActive && (isKnown || order(for: AnswerCache.key(of: host)) != nil)
    }

    public func knownAddresses(of host: String) -> [IPAddress]? {
        guard feature.isOn else { return nil }
        let time = now()
        if let known = state.withLock({ $0.freshAddresses(of: host, now: time) }) { return known }
        let (known, refresh) = state.withLock { $0.knownAddresses(of: host, order(for:), now: time) }
        if let refresh { start(refresh) }
        return known
    }

    /// Returns the addresses of a host in the order in which they are tried; an empty array if it has none. The
    /// addresses are those of the system if connections to all addresses of the servers have failed.
    /// - Throws: ``NameResolutionError``; the errors of the loader; `CancellationError`.
    public func addresses(of host: String) async throws -> [IPAddress] {
        try await answer(for: host).addresses.map(\.address)
    }

    public func record(_ outcome: AddressOutcome, of address: IPAddress, for host: String) {
        let time = now()
        let event = state.withLock { state in
            state.record(outcome, of: address, for: AnswerCache.key(of: host), now: time)
        }
        if let event { onEvent(event) }
    }

    // MARK: Answers

    /// Returns the answer for a host and the way in which it was found. A host that this resolver is not used for is
    /// looked up by the system.
    /// - Throws: ``NameResolutionError``, with code `invalidName` for an address and for an invalid name; the errors of
    ///   the loader; `CancellationError`.
    package func answer(for host: String) async throws -> NameAnswer {
        let host = AnswerCache.key(of: host)
        if HostSyntax.isLocalhost(Substring(host).utf8) { return .localhost(host) }
        _ = try DomainName(host: host)
        guard !Self.isNeverResolved(host) else { return .neverResolved(host) }
        let order = order(for: host)
        guard order != nil || system != nil else { return .neverResolved(host) }
        let time = now()
        let id = state.withLock { $0.makeWaiterID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: ResolverState.Waiter) in
                let (answer, lookUp) = state.withLock {
                    state -> (Result<NameAnswer, any Error>?, ResolverState.LookUpKey?) in
                    // The cancellation handler acquires the same lock: it runs before this check, or after the waiter
                    // is registered.
                    if Task.isCancelled { return (.failure(CancellationError()), nil) }
                    return state.answer(for: host, order, servers, now: time, waiter: (id, waiter))
                }
                if let answer { waiter.resume(with: answer) }
                if let lookUp { start(lookUp) }
            }
        } onCancel: {
            state.withLock { $0.removeWaiter(id) }?.resume(throwing: CancellationError())
        }
    }

    /// The number of callers that wait for a look-up.
    var waiterCount: Int { state.withLock { $0.waiterCount } }
    /// The number of look-ups without an answer.
    var lookUpCount: Int { state.withLock { $0.lookUpCount } }

    /// Returns the order of resolvers for a host; `nil` if only the system resolves it.
    /// - Parameter host: the host in lower case, without a trailing dot.
    func order(for host: String) -> LookUpState.Order? {
        guard feature.isOn, !servers.isEmpty, !serverHosts.contains(host), !Self.isLocal(host) else { return nil }
        switch rules.order(for: host) {
        case .off: return nil
        case .systemFirst: return system == nil ? .secureOnly : .systemFirst
        case .secureFirst: return system == nil ? .secureOnly : .secureFirst
        }
    }

    /// Returns a Boolean value that indicates whether a name means something in the local network only: the reverse of
    /// private addresses (RFC 6761, section 6.1) and the name that finds address translations (RFC 7050).
    private static func isLocal(_ host: String) -> Bool {
        host == TranslationPrefix.discoveryName || host.hasSuffix(".in-addr.arpa") || host.hasSuffix(".ip6.arpa")
    }

    /// Returns a Boolean value that indicates whether no resolver may be asked for a name (RFC 6761, section 6.4; RFC
    /// 7686, section 2).
    private static func isNeverResolved(_ host: String) -> Bool {
        host.hasSuffix(".invalid") || host.hasSuffix(".onion") || host == "invalid" || host == "onion"
    }

    // MARK: Look-ups

    /// Starts the look-up that the state has registered.
    private func start(_ key: ResolverState.LookUpKey) {
        let beginning = now()
        Task {
            // The system's answers need no translation: it synthesizes addresses itself.
            let prefix = key.order == .systemOnly ? nil : await translationPrefix()
            let lookUp = LookUp(
                state: LookUpState(
                    host: key.host, order: key.order, servers: clients.count, isPublic: rules.isPublic(key.host),
                    translations: prefix.map { [$0] } ?? []),
                askServer: { [clients] index in
                    var answer = try await clients[index].answer(for: key.host)
                    if let prefix { answer.addresses = prefix.reachable(answer.addresses) }
                    return answer
                },
                askSystem: { [system] in
                    guard let system else { return [] }
                    return try await system.addresses(of: key.host)
                },
                clock: clock)
            await lookUp.run { perform($0, key, since: beginning) }
        }
    }

    /// Performs an effect of a look-up.
    private func perform(_ effect: LookUpState.Effect, _ key: ResolverState.LookUpKey, since start: Duration) {
        let time = now()
        switch effect {
        case .deliver(let answer, let given):
            // Connections to all addresses of the servers have failed.
            let reason = key.order == .systemOnly && key.isStored ? .serversFailed : given
            let (ranked, waiters) = state.withLock { $0.deliver(answer, reason, to: key, now: time) }
            let answer = NameAnswer(
                key.host, ranked.addresses, ranked.source, ranked.details, timeToLive: ranked.lifetime.map { Int($0) },
                reason: reason, servers: servers)
            for waiter in waiters { waiter.resume(returning: answer) }
        case .fail(let error):
            let waiters = state.withLock { $0.fail(key) }
            for waiter in waiters { waiter.resume(throwing: error) }
        case .store(let answer): _ = state.withLock { $0.store(answer, for: key, now: time) }
        case .record(let outcome):
            let event = state.withLock { $0.record(outcome, of: key, since: start, now: time) }
            if let event { onEvent(event) }
        case .reportImplausible:
            let event = state.withLock { $0.reportImplausible(key.host) }
            if let event { onEvent(event) }
        case .askServer, .startHeadStart, .askSystem, .startSystemDelay, .startSystemLimit, .startMissingNameDelay:
            break
        }
    }

    // MARK: Address translation

    /// The time for which a look-up waits for the prefix.
    private static let translationLimit = Duration.milliseconds(300)

    /// Returns the prefix of the network's address translation; `nil` without one.
    private func translationPrefix() async -> TranslationPrefix? {
        guard let discovery = state.withLock({ $0.discovery }) else { return nil }
        guard let found = await discovery.value(within: Self.translationLimit, clock: clock) else { return nil }
        // The system may not have been ready for the search when the network appeared.
        if found == nil {
            state.withLock { if $0.discovery == discovery { $0.discovery = discoverTranslation() } }
        }
        return found
    }

    /// Starts to look for the prefix (RFC 7050, section 3).
    func discoverTranslation() -> Task<TranslationPrefix?, Never> {
        Task { [system] in
            guard let addresses = try? await system?.addresses(of: TranslationPrefix.discoveryName) else { return nil }
            return TranslationPrefix.discovered(in: addresses)
        }
    }
}
