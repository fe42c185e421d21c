// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The meaning of an answer for its question, after the aliases of the name are followed.
struct ResolvedAnswer: Sendable, Hashable {
    /// The maximum number of aliases that are followed.
    static let maxAliases = 16
    /// The maximum number of addresses or services that are used.
    static let maxResults = 64

    /// The name at the end of the aliases.
    let name: DomainName
    /// The names that the question's name is an alias of, in their order; the last one is ``name``.
    private(set) var aliases: [DomainName] = []
    /// A Boolean value that indicates whether the name does not exist.
    let isNameError: Bool
    /// The addresses of the name, in the order of the answer and without duplicates; empty for other questions.
    private(set) var addresses: [IPAddress] = []
    /// The HTTPS records of the name, in the order of their priorities; an alias (RFC 9460, section 2.4.2) is the only
    /// one. Records that the client cannot use are omitted.
    private(set) var services: [ServiceBinding] = []
    /// The time for which the answer is valid, in seconds, the lowest of all used records (RFC 2181, section 5.2). A
    /// negative answer without the start of its zone has none, and is not cached (RFC 2308, section 5).
    private(set) var timeToLive: UInt32?

    /// A Boolean value that indicates whether the name does not exist or has no records of the type (RFC 2308, section
    /// 2).
    var isNegative: Bool { addresses.isEmpty && services.isEmpty }

    /// Evaluates an answer. Records of names that are not reached from the question are ignored.
    /// - Throws: ``NameResolutionError`` with code `truncated`, `serverFailure`, `tooManyAliases` or `badMessage`.
    init(_ message: AnswerMessage, to question: DNSQuestion) throws(NameResolutionError) {
        let place = "\(question.name)"
        guard !message.isTruncated else { throw NameResolutionError(.truncated, "a truncated answer", at: place) }
        guard message.code == .noError || message.code == .nameError else {
            throw NameResolutionError(.serverFailure, "response code \(message.code.rawValue)", at: place)
        }
        var aliases: [DomainName: (target: DomainName, timeToLive: UInt32)] = [:]
        for record in message.records {
            guard case .alias(let target) = record.content else { continue }
            if let other = aliases[record.owner] {
                // RFC 2181, section 10.1: a name has one canonical name.
                guard other.target == target else {
                    throw NameResolutionError(.badMessage, "a name with two aliases", at: place)
                }
            }
            aliases[record.owner] = (target, min(record.timeToLive, aliases[record.owner]?.timeToLive ?? .max))
        }
        var name = question.name
        var lowest: UInt32?
        var count = 0
        while let alias = aliases[name] {
            count += 1
            guard count <= Self.maxAliases else {
                throw NameResolutionError(.tooManyAliases, "more than \(Self.maxAliases) aliases", at: place)
            }
            name = alias.target
            self.aliases.append(name)
            lowest = min(alias.timeToLive, lowest ?? .max)
        }
        self.name = name
        isNameError = message.code == .nameError
        guard message.code == .noError else {
            timeToLive = Self.negativeTimeToLive(message, name, lowest)
            return
        }
        var known: Set<IPAddress> = []
        for record in message.records where record.owner == name {
            switch (record.content, question.type) {
            case (.address(let address), .a) where address.family == .ipv4,
                (.address(let address), .aaaa) where address.family == .ipv6:
                guard addresses.count < Self.maxResults, known.insert(address).inserted else { continue }
                addresses.append(address)
            case (.service(let service), .https):
                guard services.count < Self.maxResults, service.isUsable else { continue }
                services.append(service)
            default: continue
            }
            lowest = min(record.timeToLive, lowest ?? .max)
        }
        services =
            services.contains(where: \.isAlias)
            ? Array(services.filter(\.isAlias).prefix(1)) : services.sorted { $0.priority < $1.priority }
        timeToLive = isNegative ? Self.negativeTimeToLive(message, name, lowest) : lowest
    }

    /// The time for which a negative answer is valid. The zone must contain the name.
    private static func negativeTimeToLive(
        _ message: AnswerMessage, _ name: DomainName, _ lowestOfAliases: UInt32?
    ) -> UInt32? {
        guard let zone = message.zone, name.isAtOrBelow(zone.name) else { return nil }
        return min(zone.negativeTimeToLive, lowestOfAliases ?? .max)
    }
}
