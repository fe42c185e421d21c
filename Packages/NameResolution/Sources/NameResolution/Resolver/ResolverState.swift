// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The state of a ``NameResolver``, which its lock protects.
struct ResolverState: Sendable {
    /// A look-up that is under way.
    struct LookUpKey: Sendable, Hashable {
        /// The host.
        let host: String
        /// The order of resolvers.
        let order: LookUpState.Order
        /// The generation of the cache at the start.
        let generation: UInt64
        /// A Boolean value that indicates whether the answer is stored: the resolver is used for the host.
        let isStored: Bool
    }

    /// The addresses of a host after connections to all of the servers' addresses have failed.
    private struct Fallback: Sendable {
        /// The addresses of the servers.
        let own: Set<IPAddress>
        /// The other addresses of the system; `nil` before its look-up.
        var system: Set<IPAddress>?
        /// The time of the last failure of a connection.
        let start: Duration
    }

    typealias Waiter = CheckedContinuation<NameAnswer, any Error>

    /// The maximum number of hosts whose failed addresses are remembered.
    private static let maxFallbacks = 256
    /// The maximum number of hosts whose implausible answers are reported in a network.
    private static let maxReported = 256

    var cache = AnswerCache()
    var counters = NameCounters()
    /// The answers of other networks, the most recently used first.
    var archive: [StoredAnswers] = []
    /// The names that wait for a look-up ahead, and the tasks that take them.
    var preparation = Preparation()
    /// The search for the prefix of address translation, in a network without IPv4.
    var discovery: Task<TranslationPrefix?, Never>?

    /// A Boolean value that indicates whether failures have not switched the servers off.
    private(set) var isActive = true
    /// The outcomes of look-ups.
    private var lookUps = SecureResolutionState() { didSet { updateActive() } }
    /// The outcomes of connections.
    private var connections = SecureResolutionState() { didSet { updateActive() } }
    private var ranking = AddressRanking()
    private var fallbacks = RecentEntries<String, Fallback>(maxCount: ResolverState.maxFallbacks)
    private var reported: Set<String> = []
    private var openLookUps: [LookUpKey: [UInt64: Waiter]] = [:]
    /// The look-up that each waiter waits for.
    private var lookUpOfWaiter: [UInt64: LookUpKey] = [:]
    private var lastWaiter: UInt64 = 0

    private mutating func updateActive() { isActive = !lookUps.isOff && !connections.isOff }

    // MARK: Answers

    /// Returns the addresses of a fresh answer.
    /// - Parameter host: the host. In another form than lower case without a trailing dot it is not found.
    mutating func freshAddresses(of host: String, now: Duration) -> [IPAddress]? {
        guard isActive, fallbacks.count == 0, let addresses = cache.freshAddresses(of: host, now: now) else {
            return nil
        }
        counters.hits += 1
        return addresses
    }

    /// Returns the addresses of a fresh or stale answer, and a look-up to start.
    /// - Parameter order: a closure that returns the order of resolvers for a host.
    mutating func knownAddresses(
        of host: String, _ order: (String) -> LookUpState.Order?, now: Duration
    ) -> ([IPAddress]?, LookUpKey?) {
        let host = AnswerCache.key(of: host)
        guard isActive else { return (nil, nil) }
        if let fallback = fallbacks.value(of: host), fallback.system == nil { return (nil, nil) }
        if let addresses = cache.freshAddresses(of: host, now: now) {
            counters.hits += 1
            return (addresses, nil)
        }
        guard case .stale(let answer, let needsRefresh) = cache.lookUp(host, now: now) else { return (nil, nil) }
        counters.staleHits += 1
        guard needsRefresh, let order = order(host) else { return (answer.addresses, nil) }
        let lookUp = LookUpKey(host: host, order: order, generation: cache.generation, isStored: true)
        return (answer.addresses, refresh(lookUp))
    }

    /// Returns the answer of the cache, or adds a waiter to a look-up.
    /// - Returns: the answer, which the caller passes to the waiter, and a look-up to start.
    mutating func answer(
        for host: String, _ order: LookUpState.Order?, _ servers: [NameServer], now: Duration, waiter: (UInt64, Waiter)
    ) -> (Result<NameAnswer, any Error>?, LookUpKey?) {
        guard let order, isActive else {
            let lookUp = LookUpKey(host: host, order: .systemOnly, generation: cache.generation, isStored: false)
            return (nil, addWaiter(waiter, to: lookUp))
        }
        if let fallback = fallbacks.value(of: host), fallback.system == nil, order != .secureOnly {
            let lookUp = LookUpKey(host: host, order: .systemOnly, generation: cache.generation, isStored: true)
            return (nil, addWaiter(waiter, to: lookUp))
        }
        let lookUp = LookUpKey(host: host, order: order, generation: cache.generation, isStored: true)
        switch cache.lookUp(host, now: now) {
        case .fresh(let answer):
            counters.hits += 1
            return (.success(NameAnswer(host, answer, now: now, servers)), nil)
        case .stale(let answer, let needsRefresh):
            counters.staleHits += 1
            return (.success(NameAnswer(host, answer, now: now, servers)), needsRefresh ? refresh(lookUp) : nil)
        case .missing: return (nil, addWaiter(waiter, to: lookUp))
        }
    }

    // MARK: Waiters

    /// The number of waiters of all look-ups.
    var waiterCount: Int { lookUpOfWaiter.count }
    /// The number of look-ups without an answer.
    var lookUpCount: Int { openLookUps.count }

    mutating func makeWaiterID() -> UInt64 {
        lastWaiter += 1
        return lastWaiter
    }

    /// Removes a waiter, whose task is cancelled.
    mutating func removeWaiter(_ id: UInt64) -> Waiter? {
        guard let lookUp = lookUpOfWaiter.removeValue(forKey: id) else { return nil }
        return openLookUps[lookUp]?.removeValue(forKey: id)
    }

    /// Adds a waiter to a look-up.
    /// - Returns: the look-up if the caller starts it.
    private mutating func addWaiter(_ waiter: (id: UInt64, continuation: Waiter), to lookUp: LookUpKey) -> LookUpKey? {
        let started = refresh(lookUp)
        lookUpOfWaiter[waiter.id] = lookUp
        openLookUps[lookUp]?[waiter.id] = waiter.continuation
        return started
    }

    /// Registers a look-up.
    /// - Returns: the look-up if the caller starts it; `nil` if it is under way.
    private mutating func refresh(_ lookUp: LookUpKey) -> LookUpKey? {
        guard openLookUps[lookUp] == nil else { return nil }
        openLookUps[lookUp] = [:]
        counters.lookUps += 1
        return lookUp
    }

    private mutating func removeWaiters(of lookUp: LookUpKey) -> [Waiter] {
        let waiters = openLookUps.removeValue(forKey: lookUp) ?? [:]
        for id in waiters.keys { lookUpOfWaiter[id] = nil }
        return Array(waiters.values)
    }

    // MARK: Effects of look-ups

    /// Stores the answer of a look-up.
    /// - Returns: the answer with its addresses in the order in which they are tried, and the waiters.
    mutating func deliver(
        _ answer: LookUpAnswer, _ reason: NameAnswer.Reason, to lookUp: LookUpKey, now: Duration
    ) -> (LookUpAnswer, [Waiter]) {
        if reason == .serversFailed { counters.systemFallbacks += 1 }
        return (store(answer, for: lookUp, now: now), removeWaiters(of: lookUp))
    }

    /// Stores an answer.
    /// - Returns: the answer with its addresses in the order in which they are tried.
    @discardableResult
    mutating func store(_ answer: LookUpAnswer, for lookUp: LookUpKey, now: Duration) -> LookUpAnswer {
        var ranked = answer
        ranked.addresses = ranking.ranked(answer.addresses, for: lookUp.host, now: now)
        guard lookUp.isStored, lookUp.generation == cache.generation else { return ranked }
        if lookUp.order == .systemOnly {
            if var fallback = fallbacks.value(of: lookUp.host) {
                fallback.system = Set(answer.addresses).subtracting(fallback.own)
                fallbacks.insert(fallback, for: lookUp.host)
            }
        } else if !ranking.areSetAside(answer.addresses, for: lookUp.host, now: now) {
            fallbacks.remove(lookUp.host)
        }
        cache.insert(
            ranked.addresses, from: answer.source, lifetime: answer.lifetime, for: lookUp.host,
            startedIn: lookUp.generation, now: now, details: answer.details)
        return ranked
    }

    /// Ends a look-up without an answer.
    /// - Returns: the waiters.
    mutating func fail(_ lookUp: LookUpKey) -> [Waiter] {
        // Without an answer of the system, nothing is known about the servers.
        if lookUp.order == .systemOnly { fallbacks.remove(lookUp.host) }
        return removeWaiters(of: lookUp)
    }

    /// Records the outcome of the servers in a look-up. That of a look-up in another network does not count.
    /// - Returns: the event that the servers are switched off.
    mutating func record(
        _ outcome: SecureResolutionState.Outcome, of lookUp: LookUpKey, since start: Duration, now: Duration
    ) -> NameLookupEvent? {
        if outcome == .answered { counters.serverAnswers += 1 } else { counters.serverFailures += 1 }
        guard lookUp.generation == cache.generation else { return nil }
        let wasActive = isActive
        return lookUps.record(outcome, since: start, now: now) && wasActive ? .switchedOff(.lookUps) : nil
    }

    /// Records an implausible answer for a host.
    /// - Returns: the event, once for each host in a network.
    mutating func reportImplausible(_ host: String) -> NameLookupEvent? {
        counters.implausibleAnswers += 1
        guard reported.count < Self.maxReported, reported.insert(host).inserted else { return nil }
        return .implausibleAnswer(host: host)
    }

    // MARK: Connections

    /// Records the end of an attempt to connect.
    /// - Returns: the event that the servers are switched off.
    mutating func record(
        _ outcome: AddressOutcome, of address: IPAddress, for host: String, now: Duration
    ) -> NameLookupEvent? {
        let answer = cache.answer(for: host)
        let isOwn = answer.map { $0.source != .system } ?? false
        var event: NameLookupEvent?
        switch outcome {
        case .connected:
            ranking.recordSuccess(of: address, for: host)
            if let fallback = fallbacks.value(of: host) {
                let isOfSystem = fallback.system?.contains(address) == true
                if isOfSystem || fallback.own.contains(address) { fallbacks.remove(host) }
                if isOfSystem {
                    counters.connectionFallbacks += 1
                    let wasActive = isActive
                    if connections.record(.failed, since: fallback.start, now: now), wasActive {
                        event = .switchedOff(.connections)
                    }
                }
            } else if isOwn {
                _ = connections.record(.answered, since: now, now: now)
            }
        case .failed:
            ranking.recordFailure(of: address, for: host, now: now)
            if let answer, isOwn, fallbacks.value(of: host) == nil,
                ranking.areSetAside(answer.addresses, for: host, now: now)
            {
                fallbacks.insert(Fallback(own: Set(answer.addresses), start: now), for: host)
            }
        }
        cache.reorder(host) { ranking.ranked($0, for: host, now: now) }
        return event
    }

    // MARK: Network

    /// Changes the network. Answers and results of another network are removed.
    /// - Returns: `true` if the network is another one or unknown.
    mutating func changeNetwork(to network: NetworkIdentity?) -> Bool {
        let generation = cache.generation
        cache.changeNetwork(to: network)
        guard generation != cache.generation else { return false }
        removeResults()
        lookUps.forget()
        connections.forget()
        discovery = nil
        return true
    }

    /// Removes all answers and results.
    mutating func removeAll() {
        cache.removeAll()
        archive = []
        preparation.names = []
        removeResults()
    }

    private mutating func removeResults() {
        ranking.removeAll()
        fallbacks.removeAll()
        reported = []
    }
}
