// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The user agent of a view, sent in `User-Agent` (RFC 9110, section 10.1.5) and visible to scripts.
public struct UserAgent: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: Hashable {
        case engine
        case appending(String)
        case text(String)
    }

    /// The maximum length of a text, in bytes.
    public static let limit = 512

    private let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// The engine's own user agent.
    public static let engine = UserAgent(.engine)

    /// Returns the engine's own user agent with a token of the app appended, such as `Shop/2.1`.
    /// - Throws: ``EngineError`` with code `invalidUserAgent` if the text is empty, is longer than ``limit``, begins or
    ///   ends with a space, or contains characters other than visible ASCII and spaces.
    public static func appending(_ token: String) throws -> UserAgent {
        UserAgent(.appending(try checked(token)))
    }

    /// Returns a user agent that replaces the engine's own. Servers and pages detect engines by this text, so a
    /// replacement may disable features.
    /// - Throws: ``EngineError`` with code `invalidUserAgent`, under the conditions of ``appending(_:)``.
    public static func text(_ text: String) throws -> UserAgent {
        UserAgent(.text(try checked(text)))
    }

    private static func checked(_ text: String) throws -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard isPlain, !text.isEmpty, text.utf8.count <= limit, !text.hasPrefix(" "), !text.hasSuffix(" ") else {
            throw EngineError(
                .invalidUserAgent,
                "a user agent has 1 to \(limit) visible ASCII characters and spaces, and no space at its ends")
        }
        return text
    }

    /// Returns the complete user agent.
    /// - Parameter own: the engine's own user agent.
    public func text(of own: String) -> String {
        switch kind {
        case .engine: own
        case .appending(let token): "\(own) \(token)"
        case .text(let text): text
        }
    }

    /// Returns the complete user agent; `nil` if it depends on the engine's own user agent and `own` is `nil`.
    public func knownText(of own: String?) -> String? {
        if case .text(let text) = kind { return text }
        return own.map { text(of: $0) }
    }

    /// Returns a Boolean value that indicates whether this value replaces the engine's own user agent by `text`.
    public func isWhole(_ text: String) -> Bool { kind == .text(text) }

    /// Returns the engine's own user agent, extracted from the complete user agent of a view with this value.
    /// - Returns: the user agent; `nil` if this value appends no token, or `text` does not end with the token.
    public func own(by text: String) -> String? {
        guard case .appending(let token) = kind, text.hasSuffix(" \(token)") else { return nil }
        return String(text.dropLast(token.count + 1))
    }

    /// The complete user agent, with `…` for the engine's own.
    public var description: String { text(of: "…") }
}
