// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a view calls itself, in the field `User-Agent` (RFC 9110, section 10.1.5) and to scripts.
public struct UserAgent: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: Hashable {
        case engine
        case appending(String)
        case text(String)
    }

    /// The longest text, in bytes.
    public static let limit = 512

    private let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// The engine's own.
    public static let engine = UserAgent(.engine)

    /// The engine's own, with the app's token behind it, such as `Shop/2.1`.
    /// - Throws: ``EngineError`` with code `invalidUserAgent` for a text that is empty, longer than ``limit``, begins or
    ///   ends with a space, or has anything else than visible ASCII and spaces.
    public static func appending(_ token: String) throws -> UserAgent {
        UserAgent(.appending(try checked(token)))
    }

    /// Another in place of the engine's. Servers and pages take an engine for what it calls itself, so this may cost
    /// features.
    /// - Throws: as ``appending(_:)``.
    public static func text(_ text: String) throws -> UserAgent {
        UserAgent(.text(try checked(text)))
    }

    private static func checked(_ text: String) throws -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard isPlain, !text.isEmpty, text.utf8.count <= limit, !text.hasPrefix(" "), !text.hasSuffix(" ") else {
            throw EngineError(.invalidUserAgent, "not 1 to \(limit) visible ASCII characters and spaces within")
        }
        return text
    }

    /// The whole text.
    /// - Parameter own: what the engine calls itself.
    public func text(of own: String) -> String {
        switch kind {
        case .engine: own
        case .appending(let token): "\(own) \(token)"
        case .text(let text): text
        }
    }

    /// The whole text, as far as it is known without what the engine calls itself.
    public func knownText(of own: String?) -> String? {
        if case .text(let text) = kind { return text }
        return own.map { text(of: $0) }
    }

    /// Returns a Boolean value that indicates whether a text replaces the engine's own and is the whole user agent.
    public func isWhole(_ text: String) -> Bool { kind == .text(text) }

    /// Returns the engine's own user agent, by the text that a view with this agent sends; `nil` if no such view has sent
    /// that, and if the text does not contain the engine's own.
    public func own(by text: String) -> String? {
        guard case .appending(let token) = kind, text.hasSuffix(" \(token)") else { return nil }
        return String(text.dropLast(token.count + 1))
    }

    /// The text, with `…` for the engine's own.
    public var description: String { text(of: "…") }
}
