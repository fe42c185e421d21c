// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The order in which the addresses of a host are tried.
///
/// All times are durations since a moment that the caller fixes.
struct AddressRanking: Sendable {
    /// The maximum number of hosts with remembered results.
    static let maxHosts = 1_000
    /// The maximum number of addresses of a host that are set aside.
    static let maxFailures = 32
    /// The time for which an address is set aside after a failure.
    static let setAsideTime = Duration.seconds(60)

    private struct History: Sendable {
        /// The last address to which a connection succeeded.
        var lastGood: IPAddress?
        /// The failed addresses and the times until which they are set aside.
        var failures: [IPAddress: Duration] = [:]
    }

    private var histories = RecentEntries<String, History>(maxCount: AddressRanking.maxHosts)

    /// Records that a connection succeeded.
    mutating func recordSuccess(of address: IPAddress, for host: String) {
        var history = histories.value(of: host) ?? History()
        history.lastGood = address
        history.failures[address] = nil
        histories.insert(history, for: host)
    }

    /// Records that a connection failed. The address is no longer the last good one.
    mutating func recordFailure(of address: IPAddress, for host: String, now: Duration) {
        var history = histories.value(of: host) ?? History()
        if history.lastGood == address { history.lastGood = nil }
        history.failures = history.failures.filter { $0.value > now }
        if history.failures.count < Self.maxFailures || history.failures[address] != nil {
            history.failures[address] = now + Self.setAsideTime
        }
        histories.insert(history, for: host)
    }

    /// Returns a Boolean value that indicates whether all of the addresses are set aside.
    func areSetAside(_ addresses: [IPAddress], for host: String, now: Duration) -> Bool {
        guard let history = histories.value(of: host) else { return addresses.isEmpty }
        return addresses.allSatisfy { address in history.failures[address].map { $0 > now } ?? false }
    }

    /// Removes all results, because they are of another network.
    mutating func removeAll() { histories.removeAll() }

    /// Returns the addresses in the order in which they are tried.
    ///
    /// The last good address is first. The others alternate between IPv6 and IPv4, IPv6 first (RFC 8305, section 4),
    /// and keep their order in each family. Addresses that are set aside come last, so that a host stays reachable when
    /// all of its addresses have failed; the one whose time ends first is the first of them.
    /// - Parameter host: the host in lower case.
    func ranked(_ addresses: [IPAddress], for host: String, now: Duration) -> [IPAddress] {
        guard let history = histories.value(of: host) else { return Self.interleaved(addresses) }
        var usable: [IPAddress] = []
        var setAside: [(address: IPAddress, end: Duration)] = []
        for address in addresses where address != history.lastGood {
            if let end = history.failures[address], end > now {
                setAside.append((address, end))
            } else {
                usable.append(address)
            }
        }
        let first = addresses.filter { $0 == history.lastGood }.prefix(1)
        // After an address of one family the other family is next.
        let next: IPAddress.Family = first.first?.family == .ipv6 ? .ipv4 : .ipv6
        let rest = setAside.sorted { $0.end < $1.end }.map(\.address)
        return Array(first) + Self.interleaved(usable, first: next) + rest
    }

    /// Returns addresses that alternate between the families.
    static func interleaved(_ addresses: [IPAddress], first: IPAddress.Family = .ipv6) -> [IPAddress] {
        let ones = addresses.filter { $0.family == first }
        let others = addresses.filter { $0.family != first }
        let paired = min(ones.count, others.count)
        return zip(ones, others).flatMap { [$0.0, $0.1] } + Array(ones[paired...]) + Array(others[paired...])
    }
}
