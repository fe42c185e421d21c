// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import WebSyntax

/// The answer of a ``NameResolver`` for a host, with the way in which it was found.
package struct NameAnswer: Sendable, Hashable {
    /// The kind of record or resolver that an address comes from.
    package enum Origin: String, Sendable {
        /// An A record.
        case a
        /// An AAAA record.
        case aaaa
        /// A hint of an HTTPS record (RFC 9460, section 7.3).
        case httpsHint = "https-hint"
        /// HTTPDNS.
        case httpDNS = "httpdns"
        /// The system's resolver.
        case system
    }

    /// The meaning of an answer.
    package enum Status: String, Sendable {
        /// The host has addresses.
        case noError = "NOERROR"
        /// The name does not exist.
        case nameError = "NXDOMAIN"
        /// The name has no addresses.
        case noData = "NODATA"
    }

    /// The state of the cache at the time of the question.
    package enum CacheState: String, Sendable {
        /// No answer.
        case miss
        /// An answer with addresses, within its lifetime.
        case fresh
        /// An answer with addresses, after its lifetime.
        case stale
        /// An answer without addresses, within its lifetime.
        case negative
    }

    /// The reason for which this answer was used.
    package enum Reason: String, Sendable {
        /// The cache has a fresh answer.
        case cached
        /// The cache has a stale answer, which is refreshed (RFC 8767).
        case staleWhileRefreshing = "stale-while-refreshing"
        /// A server, which is the first resolver for the host, has answered.
        case answeredByServer = "answered-by-server"
        /// The system is the first or only resolver for the host.
        case system
        /// The system, which is the first resolver for the host, failed. A server has answered.
        case systemFailed = "system-failed"
        /// The system's answer was implausible. A server has answered.
        case implausibleSystemAnswer = "implausible-system-answer"
        /// The servers failed or were too slow, or connections to their addresses failed. The system has answered.
        case serversFailed = "servers-failed"
        /// The name means this computer (RFC 6761, section 6.3).
        case localhost
        /// The name is reserved, and no resolver is asked for it.
        case neverResolved = "never-resolved"
    }

    /// An address and its origin.
    package struct Address: Sendable, Hashable {
        /// The address.
        package let address: IPAddress
        /// The origin.
        package let origin: Origin
    }

    /// The host in lower case and without a trailing dot.
    package let host: String
    /// The addresses in the order in which they are tried; empty for a negative answer.
    package let addresses: [Address]
    /// The names that the host is an alias of, in the order of the answer.
    package let aliases: [String]
    /// The time for which the answer is still valid, in seconds; 0 for a stale answer, `nil` if it is not stored.
    package let timeToLive: Int?
    /// The meaning of the answer.
    package let status: Status
    /// The URL of the server that has answered; `nil` for an answer of the system.
    package let server: String?
    /// The source; `nil` if no resolver was asked.
    package let source: AnswerSource?
    /// The state of the cache.
    package let cacheState: CacheState
    /// The time since the answer was stored in the cache; zero if it was not in the cache.
    package let age: Duration
    /// The reason for which this answer was used.
    package let reason: Reason
}

extension NameAnswer {
    /// Creates an answer that was not in the cache.
    init(
        _ host: String, _ addresses: [IPAddress], _ source: AnswerSource, _ details: AnswerDetails, timeToLive: Int?,
        cacheState: CacheState = .miss, age: Duration = .zero, reason: Reason, servers: [NameServer]
    ) {
        self.host = host
        self.addresses = addresses.map { address in
            let origin: Origin =
                switch source {
                case .system: .system
                case .httpDNS: .httpDNS
                case .doh where details.usesHints: .httpsHint
                case .doh: address.family == .ipv4 ? .a : .aaaa
                }
            return Address(address: address, origin: origin)
        }
        aliases = details.aliases
        self.timeToLive = timeToLive
        status = addresses.isEmpty ? (details.isNameError ? .nameError : .noData) : .noError
        server = details.server.map { servers[Int($0)].server.url }
        self.source = source
        self.cacheState = cacheState
        self.age = age
        self.reason = reason
    }

    /// Creates an answer from the cache.
    init(_ host: String, _ answer: CachedAnswer, now: Duration, _ servers: [NameServer]) {
        let isFresh = now < answer.expiry
        self.init(
            host, answer.addresses, answer.source, answer.details,
            timeToLive: isFresh ? Int((answer.expiry - now).components.seconds) : 0,
            cacheState: answer.addresses.isEmpty ? .negative : isFresh ? .fresh : .stale, age: now - answer.stored,
            reason: isFresh ? .cached : .staleWhileRefreshing, servers: servers)
    }

    private init(_ host: String, _ addresses: [Address], _ status: Status, _ reason: Reason) {
        self.host = host
        self.addresses = addresses
        aliases = []
        timeToLive = nil
        self.status = status
        server = nil
        source = nil
        cacheState = .miss
        age = .zero
        self.reason = reason
    }

    /// Returns the addresses of this computer for a name that means it (RFC 6761, section 6.3).
    static func localhost(_ host: String) -> NameAnswer {
        let addresses = ["::1", "127.0.0.1"].compactMap { IPAddress($0) }
        return NameAnswer(
            host, addresses.map { Address(address: $0, origin: $0.family == .ipv4 ? .a : .aaaa) }, .noError, .localhost)
    }

    /// Returns the answer for a name that no resolver is asked for.
    static func neverResolved(_ host: String) -> NameAnswer { NameAnswer(host, [], .nameError, .neverResolved) }
}
