// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NameResolution
internal import WebSyntax

/// The answer for a host, as `h5 resolve` prints it.
struct ResolveOutput: Encodable {
    private struct Address: Encodable {
        var address: String
        var family: Int
        var origin: String
    }

    private struct Cache: Encodable {
        var ageMs: Double
        var state: String
    }

    private enum CodingKeys: String, CodingKey {
        case addresses, aliases, cache, host, ms, reason, server, source, status, ttl
    }

    private let answer: NameAnswer
    private let duration: Duration

    /// Creates the output for an answer.
    /// - Parameters:
    ///   - answer: the answer.
    ///   - duration: the time that the look-up took.
    init(_ answer: NameAnswer, after duration: Duration) {
        self.answer = answer
        self.duration = duration
    }

    /// The line without `--json`.
    var text: String {
        var parts = [answer.host, answer.status.rawValue]
        parts += answer.addresses.map { "\($0.address)" }
        parts += answer.aliases.map { "alias \($0)" }
        if let timeToLive = answer.timeToLive { parts.append("ttl \(timeToLive)") }
        parts += [answer.cacheState.rawValue, answer.reason.rawValue]
        return parts.joined(separator: "  ")
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let addresses = answer.addresses.map {
            Address(
                address: $0.address.description, family: Int($0.address.family.rawValue), origin: $0.origin.rawValue)
        }
        try container.encode(addresses, forKey: .addresses)
        try container.encode(answer.aliases, forKey: .aliases)
        let age = Self.milliseconds(answer.age)
        try container.encode(Cache(ageMs: age, state: answer.cacheState.rawValue), forKey: .cache)
        try container.encode(answer.host, forKey: .host)
        try container.encode(Self.milliseconds(duration), forKey: .ms)
        try container.encode(answer.reason.rawValue, forKey: .reason)
        // A missing value is encoded as null.
        try container.encode(answer.server, forKey: .server)
        try container.encode(answer.source?.rawValue, forKey: .source)
        try container.encode(answer.status.rawValue, forKey: .status)
        try container.encode(answer.timeToLive, forKey: .ttl)
    }

    /// Returns milliseconds with one decimal place.
    private static func milliseconds(_ duration: Duration) -> Double {
        (duration / .milliseconds(1) * 10).rounded() / 10
    }
}
