// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The order in which the resolvers for a host are used.
public enum ResolutionOrder: String, Sendable, Hashable, Codable, CaseIterable {
    /// The system's resolver, and the secure resolvers if it fails or has an implausible answer.
    case systemFirst
    /// The secure resolvers, DNS over HTTPS and HTTPDNS, and the system's resolver if they fail.
    case secureFirst
    /// The system's resolver only.
    case off
}

/// A host, or all hosts below a domain.
struct HostRule: Sendable, Hashable {
    /// The host or the domain in lower case, without a trailing dot.
    let name: String
    /// A Boolean value that indicates whether the rule is for the hosts below the domain and not for the domain itself.
    let isBelow: Bool

    /// Parses `host.example`, or `*.host.example` for all hosts below a domain.
    /// - Returns: `nil` for an address and for other texts.
    init?(_ text: String) {
        let isBelow = text.utf8.starts(with: "*.".utf8)
        let host = isBelow ? String(Substring(text.utf8.dropFirst(2))) : text
        guard let name = try? DomainName(host: host) else { return nil }
        self.init(name: name.description, isBelow: isBelow)
    }

    init(name: String, isBelow: Bool) {
        self.name = name
        self.isBelow = isBelow
    }
}

/// The resolvers for each host of an app.
public struct ResolutionRules: Sendable, Hashable {
    /// The order for hosts without a rule. Default: `.systemFirst`.
    public var defaultOrder = ResolutionOrder.systemFirst
    /// The orders of some hosts.
    private var orders: [HostRule: ResolutionOrder] = [:]
    /// The hosts that are on the public internet.
    private var publicHosts: Set<HostRule> = []

    /// The domains whose names a public resolver cannot know, unless the app has a rule for the host: names of
    /// multicast DNS (RFC 6762, section 3), of a home network (RFC 8375, section 4) and of private networks.
    private static let localDomains: Set<HostRule> = Set(
        ["local", "home.arpa", "internal"].map { HostRule(name: $0, isBelow: true) })

    /// Creates rules without exceptions.
    public init() {}

    /// Sets the order for hosts. The rule for the host itself precedes that of the longest domain.
    /// - Parameter hosts: names such as `host.example`, or `*.host.example` for all hosts below a domain.
    /// - Throws: ``NameResolutionError`` with code `invalidName`.
    public mutating func use(_ order: ResolutionOrder, for hosts: String...) throws(NameResolutionError) {
        for host in hosts { orders[try Self.rule(host)] = order }
    }

    /// Makes answers with an address that is not public implausible for hosts, because they are on the public internet.
    /// - Parameter hosts: names such as `host.example`, or `*.host.example` for all hosts below a domain.
    /// - Throws: ``NameResolutionError`` with code `invalidName`.
    public mutating func requirePublicAddresses(for hosts: String...) throws(NameResolutionError) {
        for host in hosts { publicHosts.insert(try Self.rule(host)) }
    }

    private static func rule(_ host: String) throws(NameResolutionError) -> HostRule {
        guard let rule = HostRule(host) else {
            throw NameResolutionError(.invalidName, "neither a host name nor *. and a domain", at: host)
        }
        return rule
    }

    /// Returns the order for a host.
    ///
    /// Addresses, `localhost`, names below it (RFC 6761, section 6.3) and invalid names never go to a secure resolver.
    /// Names of one label and names of local domains go to one only if a rule matches them.
    public func order(for host: String) -> ResolutionOrder {
        guard !HostSyntax.isLocalhost(Substring(host).utf8), let name = try? DomainName(host: host) else { return .off }
        let candidates = Self.candidates(for: name.description)
        if let order = candidates.lazy.compactMap({ orders[$0] }).first { return order }
        // The host itself and its domains: a name of one label has no domain.
        guard candidates.count > 1, !candidates.contains(where: Self.localDomains.contains) else { return .off }
        return defaultOrder
    }

    /// Returns a Boolean value that indicates whether the app lists a host as public.
    public func isPublic(_ host: String) -> Bool {
        guard !publicHosts.isEmpty, let name = try? DomainName(host: host) else { return false }
        return Self.candidates(for: name.description).contains(where: publicHosts.contains)
    }

    /// The rules that match a host, the narrowest first.
    private static func candidates(for host: String) -> [HostRule] {
        var rules = [HostRule(name: host, isBelow: false)]
        var rest = Substring(host)
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            rules.append(HostRule(name: String(rest), isBelow: true))
        }
        return rules
    }
}
