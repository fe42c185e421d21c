// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import StrictJSON

/// The form in which the answers of a network are stored in a file.
struct StoredAnswers: Sendable, Hashable, Codable {
    /// The answer for one host.
    struct Answer: Sendable, Hashable, Codable {
        /// The name of the host.
        let host: String
        /// The addresses as text.
        let addresses: [String]
        /// The remaining lifetime at the time of the file, in seconds; negative for a stale answer.
        let lifetime: Int64
        /// The source of the answer.
        let source: AnswerSource
    }

    /// The maximum length of a file in bytes.
    static let maxBytes = 8 << 20
    private static let knownVersion = 1

    private let version: Int
    /// The network.
    let network: NetworkIdentity
    /// The time at which the answers were stored, in seconds since 1970.
    let time: Int64
    /// The answers, the most recently used first.
    private(set) var answers: [Answer]

    /// Creates the stored form.
    init(network: NetworkIdentity, time: Int64, answers: [Answer]) {
        version = Self.knownVersion
        self.network = network
        self.time = time
        self.answers = answers
    }

    /// A Boolean value that indicates whether this version of the module can use the answers.
    var isKnownVersion: Bool { version == Self.knownVersion }

    /// Returns the most recently used answers.
    func newest(_ count: Int = StoredNetworks.maxNames) -> StoredAnswers {
        var copy = self
        copy.answers = Array(answers.prefix(count))
        return copy
    }

    /// Returns the answers that satisfy a condition.
    func filtered(_ isIncluded: (Answer) -> Bool) -> StoredAnswers {
        var copy = self
        copy.answers = answers.filter(isIncluded)
        return copy
    }

    /// Reads a file.
    /// - Throws: ``NameResolutionError`` with code `tooLarge` or `badMessage`.
    init(json: Data) throws(NameResolutionError) {
        guard json.count <= Self.maxBytes else {
            throw NameResolutionError(.tooLarge, "stored answers of more than \(Self.maxBytes) bytes")
        }
        do {
            try json.withUnsafeBytes { try JSONScanner.validate($0, limits: .init(depth: 8)) }
            self = try JSONDecoder().decode(StoredAnswers.self, from: json)
        } catch {
            throw NameResolutionError(.badMessage, "no stored answers: \(error)")
        }
    }

    /// Returns the content of a file.
    /// - Throws: the error of the encoder.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
