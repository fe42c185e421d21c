// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The source of an answer.
package enum AnswerSource: String, Sendable, Codable {
    /// The system's resolver.
    case system
    /// DNS over HTTPS.
    case doh
    /// HTTPDNS.
    case httpDNS
}

/// The parts of an answer besides its addresses.
struct AnswerDetails: Sendable, Hashable {
    /// The names that the host is an alias of.
    var aliases: [String] = []
    /// The index of the server in the configuration; `nil` for other answers.
    var server: UInt8?
    /// A Boolean value that indicates whether the addresses are hints of an HTTPS record.
    var usesHints = false
    /// A Boolean value that indicates whether the name does not exist.
    var isNameError = false
}

/// An answer in the cache.
struct CachedAnswer: Sendable, Hashable {
    /// The addresses, in the order in which they are tried; empty for a negative answer.
    var addresses: [IPAddress]
    /// The time until which the answer is fresh.
    let expiry: Duration
    /// The source of the answer.
    let source: AnswerSource
    /// The time at which the answer was stored.
    var stored = Duration.zero
    /// The other parts of the answer.
    var details = AnswerDetails()
    /// The time from which a stale answer may be refreshed again.
    var nextRefresh = Duration.zero
}

/// The answers for the names of hosts, in one network.
///
/// All times are durations since a moment that the caller fixes, on a clock that continues while the device sleeps.
struct AnswerCache: Sendable {
    /// The limits of a cache.
    struct Limits: Sendable {
        /// The maximum number of names.
        var names = 10_000
        /// The maximum memory, in bytes; see ``AnswerCache/cost(of:host:)``.
        var bytes = 8 << 20
        /// The maximum number of addresses of a name.
        var addresses = 32
        /// The minimum lifetime of an answer, in seconds.
        var floor: UInt32 = 10
        /// The maximum lifetime of an answer, in seconds: seven days (RFC 8767, section 4).
        var ceiling: UInt32 = 604_800
        /// The maximum lifetime of a negative answer, in seconds. RFC 2308, section 5, permits up to three hours.
        var negativeCeiling: UInt32 = 60
        /// The time after its lifetime for which an answer may be used, in seconds: one day (RFC 8767, section 5).
        var staleTime: UInt32 = 86_400
        /// The time between two refreshes of a stale answer, in seconds (RFC 8767, section 5).
        var refreshInterval: UInt32 = 30
    }

    /// The result of a look-up.
    enum LookUp: Sendable, Hashable {
        /// A fresh answer.
        case fresh(CachedAnswer)
        /// An answer after its lifetime. If `needsRefresh` is `true`, the caller starts a refresh; no other caller gets
        /// this value until the refresh interval has passed.
        case stale(CachedAnswer, needsRefresh: Bool)
        /// No answer.
        case missing
    }

    /// The limits.
    let limits: Limits
    /// The network that the answers are from; `nil` if it is unknown.
    private(set) var network: NetworkIdentity?
    /// The number of changes of the network. An answer is stored only if its look-up began in the current generation.
    private(set) var generation: UInt64 = 0
    private var answers: RecentEntries<String, CachedAnswer>

    /// Creates an empty cache.
    init(network: NetworkIdentity? = nil, limits: Limits = Limits()) {
        self.limits = limits
        self.network = network
        answers = RecentEntries(maxCount: limits.names, maxCost: limits.bytes)
    }

    /// The number of names.
    var count: Int { answers.count }
    /// The memory that the answers use, in bytes.
    var bytes: Int { answers.cost }

    /// Removes all answers if the network is another one. The results of look-ups that are under way are not stored.
    mutating func changeNetwork(to network: NetworkIdentity?) {
        guard network != self.network || network == nil else { return }
        self.network = network
        generation += 1
        answers.removeAll()
    }

    /// Removes all answers. The results of look-ups that are under way are not stored.
    mutating func removeAll() {
        generation += 1
        answers.removeAll()
    }

    /// Returns the answer for a host, also a stale one, without a change of the order.
    func answer(for host: String) -> CachedAnswer? { answers.value(of: Self.key(of: host)) }

    /// Returns the addresses of a fresh positive answer, which then counts as used.
    /// - Parameter host: the host. In another form than lower case without a trailing dot it is not found.
    /// - Returns: `nil` if there is no such answer; ``lookUp(_:now:)`` then has the details.
    mutating func freshAddresses(of host: String, now: Duration) -> [IPAddress]? {
        guard let index = answers.index(of: host), now < answers[index].expiry else { return nil }
        let addresses = answers[index].addresses
        guard !addresses.isEmpty else { return nil }
        answers.markUsed(index)
        return addresses
    }

    /// Returns a Boolean value that indicates whether there is an answer, also a stale one.
    /// - Parameter host: the host in lower case, without a trailing dot.
    func contains(_ host: String) -> Bool { answers.contains(host) }

    /// Changes the order of the addresses of a host.
    /// - Parameter order: a closure that returns the same addresses in another order.
    mutating func reorder(_ host: String, _ order: ([IPAddress]) -> [IPAddress]) {
        let key = Self.key(of: host)
        guard var answer = answers.value(of: key) else { return }
        answer.addresses = order(answer.addresses)
        answers.replace(answer, of: key)
    }

    /// Returns the answer for a host.
    mutating func lookUp(_ host: String, now: Duration) -> LookUp {
        let key = Self.key(of: host)
        guard var answer = answers.use(key) else { return .missing }
        if now < answer.expiry { return .fresh(answer) }
        // The lifetime of answers of the system is not known.
        guard !answer.addresses.isEmpty, answer.source != .system,
            now < answer.expiry + .seconds(limits.staleTime)
        else {
            answers.remove(key)
            return .missing
        }
        guard now >= answer.nextRefresh else { return .stale(answer, needsRefresh: false) }
        answer.nextRefresh = now + .seconds(limits.refreshInterval)
        answers.replace(answer, of: key)
        return .stale(answer, needsRefresh: true)
    }

    /// Stores an answer, which replaces an older one: also a negative answer is definite (RFC 8767, section 5). A
    /// failed look-up is no answer, and is not stored.
    /// - Parameters:
    ///   - addresses: the addresses; empty for a negative answer. Addresses after the limit are not stored.
    ///   - source: the source of the answer.
    ///   - lifetime: the lifetime in seconds; `nil` for an answer that must not be stored.
    ///   - host: the host of the look-up. An invalid name is not stored.
    ///   - generation: the generation of the cache at the start of the look-up.
    ///   - now: the current time.
    ///   - details: the other parts of the answer.
    mutating func insert(
        _ addresses: [IPAddress], from source: AnswerSource, lifetime: UInt32?, for host: String,
        startedIn generation: UInt64, now: Duration, details: AnswerDetails = AnswerDetails()
    ) {
        guard generation == self.generation, (try? DomainName(host: host)) != nil else { return }
        let key = Self.key(of: host)
        guard let lifetime else { return answers.remove(key) }
        let seconds = min(max(lifetime, limits.floor), addresses.isEmpty ? limits.negativeCeiling : limits.ceiling)
        let answer = CachedAnswer(
            addresses: Array(addresses.prefix(limits.addresses)), expiry: now + .seconds(seconds), source: source,
            stored: now, details: details)
        answers.insert(answer, for: key, cost: Self.cost(of: answer, host: key))
    }

    /// Returns an upper bound for the memory of an answer in bytes: its slot and its place in the dictionary, each
    /// twice because their storage grows by doubling, and the heap objects of the name and of the addresses.
    static func cost(of answer: CachedAnswer, host: String) -> Int {
        let heapObject = 48
        return 2 * (MemoryLayout<CachedAnswer>.stride + 96) + 2 * heapObject + host.utf8.count
            + answer.addresses.count * MemoryLayout<IPAddress>.stride
            + answer.details.aliases.reduce(0) { $0 + heapObject + $1.utf8.count }
    }

    /// The host in lower case and without a trailing dot.
    static func key(of host: String) -> String {
        let isCanonical = host.utf8.last != UInt8(ascii: ".") && host.utf8.allSatisfy { !(0x41...0x5A).contains($0) }
        guard !isCanonical else { return host }
        let name = host.asciiLowercased
        return name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
    }
}

// MARK: Persistence

extension AnswerCache {
    /// Returns the positive answers of servers, the most recently used first; `nil` if the network is unknown.
    /// - Parameters:
    ///   - now: the current time.
    ///   - time: the same time as seconds since 1970.
    func stored(now: Duration, time: Int64) -> StoredAnswers? {
        guard let network else { return nil }
        let stored = answers.entries.compactMap { host, answer -> StoredAnswers.Answer? in
            let lifetime = (answer.expiry - now).components.seconds
            guard !answer.addresses.isEmpty, answer.source != .system, lifetime > -Int64(limits.staleTime) else {
                return nil
            }
            return StoredAnswers.Answer(
                host: host, addresses: answer.addresses.map(\.description), lifetime: lifetime, source: answer.source)
        }
        return StoredAnswers(network: network, time: time, answers: stored)
    }

    /// Adds stored answers of the same network. Answers that are in the cache are kept. Invalid and expired answers are
    /// ignored, and all answers if the clock of the device was set back.
    /// - Parameters:
    ///   - stored: the answers.
    ///   - now: the current time.
    ///   - time: the same time as seconds since 1970.
    mutating func restore(_ stored: StoredAnswers, now: Duration, time: Int64) {
        let (elapsed, overflows) = time.subtractingReportingOverflow(stored.time)
        guard stored.isKnownVersion, stored.network == network, network != nil, !overflows, elapsed >= 0 else { return }
        for entry in stored.answers.prefix(limits.names).reversed() {
            let (lifetime, overflows) = entry.lifetime.subtractingReportingOverflow(elapsed)
            let key = Self.key(of: entry.host)
            let addresses = entry.addresses.prefix(limits.addresses).compactMap { IPAddress($0) }
            guard !overflows, lifetime > -Int64(limits.staleTime), lifetime <= Int64(limits.ceiling),
                !addresses.isEmpty, entry.source != .system, (try? DomainName(host: entry.host)) != nil,
                answers.value(of: key) == nil
            else { continue }
            let answer = CachedAnswer(
                addresses: addresses, expiry: now + .seconds(lifetime), source: entry.source, stored: now)
            answers.insert(answer, for: key, cost: Self.cost(of: answer, host: key))
        }
    }
}
