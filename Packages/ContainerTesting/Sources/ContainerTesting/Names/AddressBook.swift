// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import WebSyntax

/// A resolver that knows the addresses of some names and records what it is asked and told.
public final class AddressBook: AddressResolving {
    /// The error for a name that is not in the book.
    public struct UnknownName: Error {
        /// The name.
        public let host: String
    }

    private struct Records {
        var lookUps: [String] = []
        var outcomes: [AddressOutcome: [IPAddress]] = [:]
    }

    private let entries: [String: [IPAddress]]
    private let others: [IPAddress]?
    private let records = Mutex(Records())

    /// Creates a resolver.
    /// - Parameters:
    ///   - entries: the addresses of names in lower case, as text.
    ///   - others: the addresses of all other names; `nil` if they are unknown.
    public init(_ entries: [String: [String]], others: [String]? = nil) {
        self.entries = entries.mapValues { $0.map(DNSAnswer.address) }
        self.others = others?.map(DNSAnswer.address)
    }

    /// A resolver for which each name is at 127.0.0.1.
    public static var loopback: AddressBook { AddressBook([:], others: ["127.0.0.1"]) }

    /// The names of all look-ups in their order.
    public var lookUps: [String] { records.withLock { $0.lookUps } }

    /// Returns the addresses of all attempts with an outcome, in their order.
    public func addresses(_ outcome: AddressOutcome) -> [IPAddress] {
        records.withLock { $0.outcomes[outcome] ?? [] }
    }

    public func addresses(of host: String) async throws -> [IPAddress] {
        records.withLock { $0.lookUps.append(host) }
        guard let found = entries[host] ?? others else { throw UnknownName(host: host) }
        return found
    }

    public func record(_ outcome: AddressOutcome, of address: IPAddress, for host: String) {
        records.withLock { $0.outcomes[outcome, default: []].append(address) }
    }
}
