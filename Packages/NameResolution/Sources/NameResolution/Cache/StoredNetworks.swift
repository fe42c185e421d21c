// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import StrictJSON

/// The document that contains the answers of several networks.
struct StoredNetworks: Sendable, Hashable, Codable {
    /// The maximum number of networks.
    static let maxNetworks = 4
    /// The maximum number of names of a network.
    static let maxNames = 1_000
    /// The maximum length of the document in bytes.
    static let maxBytes = 256 << 10
    /// The length of the document without networks, and the comma after each, are below this number of bytes.
    private static let frameBytes = 64

    /// The networks, the most recently used first.
    let networks: [StoredAnswers]

    /// Creates a document. Networks and names that exceed the limits are not part of it.
    init(_ networks: [StoredAnswers]) {
        var rest = Self.maxBytes - Self.frameBytes
        var stored: [StoredAnswers] = []
        for network in networks.prefix(Self.maxNetworks) {
            var part = network.newest()
            while let bytes = try? part.json().count, bytes > rest, !part.answers.isEmpty {
                part = part.newest(part.answers.count / 2)
            }
            guard !part.answers.isEmpty, let bytes = try? part.json().count else { continue }
            rest -= bytes
            stored.append(part)
        }
        self.networks = stored
    }

    /// Reads a document.
    /// - Throws: ``NameResolutionError`` with code `tooLarge` or `badMessage`.
    init(json: Data) throws(NameResolutionError) {
        guard json.count <= Self.maxBytes else {
            throw NameResolutionError(.tooLarge, "stored answers of more than \(Self.maxBytes) bytes")
        }
        do {
            try json.withUnsafeBytes { try JSONScanner.validate($0, limits: .init(depth: 8)) }
            let document = try JSONDecoder().decode(StoredNetworks.self, from: json)
            networks = document.networks.prefix(Self.maxNetworks).map { $0.newest() }
        } catch {
            throw NameResolutionError(.badMessage, "no stored answers: \(error)")
        }
    }

    /// Returns the document; `nil` without networks.
    func json() -> Data? {
        guard !networks.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(self)
    }

    /// Returns networks with a network as the most recently used one, and without those that exceed the limit. A
    /// network without answers is not added.
    static func inserting(_ network: StoredAnswers, into networks: [StoredAnswers]) -> [StoredAnswers] {
        let others = networks.filter { $0.network != network.network }
        return Array(((network.answers.isEmpty ? [] : [network]) + others).prefix(maxNetworks))
    }
}
