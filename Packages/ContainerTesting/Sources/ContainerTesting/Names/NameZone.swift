// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import WebSyntax

/// The names of a DNS server for tests, and the questions that it was asked.
///
/// It is a recursive resolver for its own names: an answer follows aliases, and ends with the records of the question's
/// type. A name without an entry does not exist. Negative answers contain the start of a zone, the last label of the
/// name (RFC 2308, section 3).
///
/// Isolation: any.
public final class NameZone: Sendable {
    /// A question that the server was asked.
    public struct Question: Sendable, Hashable {
        /// The name in lower case, without the final dot.
        public let name: String
        /// The type of the records, such as 1 for A, 28 for AAAA and 65 for HTTPS.
        public let type: UInt16

        /// Creates a question.
        public init(name: String, type: UInt16) {
            self.name = name
            self.type = type
        }
    }

    /// An HTTPS record (RFC 9460).
    public struct Service: Sendable, Hashable {
        /// The priority; 0 for an alias. Default: 1.
        public var priority: UInt16 = 1
        /// The target; empty, the default, for the owner of the record.
        public var target = ""
        /// The identifiers of protocols, such as `h2`. Default: none.
        public var protocols: [String] = []
        /// The port; `nil`, the default, for the port of the URL.
        public var port: UInt16?
        /// The address hints. Default: none.
        public var hints: [String] = []

        /// Creates a record for the owner, without parameters.
        public init() {}
    }

    /// A fault of all answers for a name.
    public enum AnswerFault: Sendable, Hashable {
        /// The records belong to another name, `foreign.invalid`.
        case foreignOwner
        /// The answer belongs to a question for another name, `foreign.invalid`.
        case otherQuestion
        /// The answer has no records, and the truncation flag is set.
        case truncated
        /// The body is not a DNS message.
        case garbage
        /// The response code is 2, SERVFAIL.
        case serverFailure
    }

    /// The records of a name.
    public struct Entry: Sendable, Hashable {
        /// The IPv4 and IPv6 addresses. Default: none.
        public var addresses: [String] = []
        /// The target of the CNAME record; `nil`, the default, for a name that is no alias. An alias has no other
        /// records.
        public var alias: String?
        /// The HTTPS records. Default: none.
        public var services: [Service] = []
        /// The time to live of the records in seconds. Default: 300.
        public var timeToLive: UInt32 = 300
        /// The fault; `nil`, the default, for correct answers.
        public var fault: AnswerFault?

        /// Creates an entry without records: each answer is negative, and the name exists.
        public init() {}

        /// Returns an entry with addresses.
        public static func addresses(_ addresses: String..., timeToLive: UInt32 = 300) -> Entry {
            var entry = Entry()
            entry.addresses = addresses
            entry.timeToLive = timeToLive
            return entry
        }

        /// Returns an entry for an alias. Aliases can form a loop.
        public static func alias(of target: String, timeToLive: UInt32 = 300) -> Entry {
            var entry = Entry()
            entry.alias = target
            entry.timeToLive = timeToLive
            return entry
        }

        /// Returns an entry with an address and a fault.
        public static func fault(_ fault: AnswerFault, address: String = "192.0.2.66") -> Entry {
            var entry = Entry.addresses(address)
            entry.fault = fault
            return entry
        }
    }

    private struct State {
        var entries: [String: Entry]
        var questions: [Question] = []
    }

    /// The maximum number of aliases that an answer follows.
    private static let maxAliases = 32
    /// The number of latest questions that are stored.
    private static let maxQuestions = 100_000
    /// The name of records and questions that were not asked for.
    private static let foreignName = "foreign.invalid"
    /// The time for which negative answers are valid, in seconds.
    private let negativeTimeToLive: UInt32
    private let state: Mutex<State>

    /// Creates a zone.
    /// - Parameters:
    ///   - entries: the entries by name; names are in lower case, without the final dot.
    ///   - negativeTimeToLive: the time for which negative answers are valid, in seconds.
    public init(_ entries: [String: Entry] = [:], negativeTimeToLive: UInt32 = 60) {
        self.negativeTimeToLive = negativeTimeToLive
        state = Mutex(State(entries: entries))
    }

    /// The entry of a name in lower case; `nil` for a name that does not exist.
    public subscript(name: String) -> Entry? {
        get { state.withLock { $0.entries[name] } }
        set { state.withLock { $0.entries[name] = newValue } }
    }

    /// The latest questions in their order, at most 100,000.
    public var questions: [Question] { state.withLock { $0.questions } }

    /// Returns the answer to a query, and records its question.
    func answer(to query: DNSQuery) -> DNSAnswer {
        let entries = state.withLock { state in
            if state.questions.count < Self.maxQuestions {
                state.questions.append(Question(name: query.name, type: query.type))
            }
            return state.entries
        }
        var answer = DNSAnswer(to: query)
        switch entries[query.name]?.fault {
        case .garbage:
            answer.isGarbage = true
            return answer
        case .truncated:
            answer.isTruncated = true
            return answer
        case .serverFailure:
            answer.code = DNSAnswer.serverFailure
            return answer
        case .otherQuestion: answer.questionName = Self.foreignName
        case .foreignOwner, nil: break
        }
        var name = query.name
        var seen: Set<String> = []
        while let entry = entries[name], let target = entry.alias, seen.count < Self.maxAliases,
            seen.insert(name).inserted
        {
            answer.add(name, .cname, DNSAnswer.name(target), timeToLive: entry.timeToLive)
            name = target
        }
        let entry = entries[name]
        let owner = entry?.fault == .foreignOwner ? Self.foreignName : name
        for data in entry?.data(ofType: query.type) ?? [] {
            answer.add(owner, DNSAnswer.RecordType(rawValue: query.type), data, timeToLive: entry?.timeToLive ?? 0)
        }
        let isNegative = !answer.records.contains { $0.type == query.type }
        if isNegative, entry?.alias == nil {
            if entry == nil { answer.code = DNSAnswer.nameError }
            answer.zone = DNSAnswer.Zone(
                name: name.split(separator: ".").last.map { String($0) } ?? "", timeToLive: negativeTimeToLive)
        }
        return answer
    }
}

extension NameZone.Entry {
    /// Returns the data of the records of a type.
    fileprivate func data(ofType type: UInt16) -> [[UInt8]] {
        switch DNSAnswer.RecordType(rawValue: type) {
        case .a: addresses.map(DNSAnswer.octets).filter { $0.count == 4 }
        case .aaaa: addresses.map(DNSAnswer.octets).filter { $0.count == 16 }
        case .https: services.map(DNSAnswer.data)
        default: []
        }
    }
}
