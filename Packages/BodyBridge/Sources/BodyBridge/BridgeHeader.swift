// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// What the injected script says of a request: in a header field of the request, or ahead of it where the request can
/// have none. Without its token:
///
///     plain | none | take ID LENGTH | store ID OFFSET | ask
///
/// followed, for the first three, by any of the words `keep`, `omit`, `include` and `manual`, a number of
/// milliseconds, and an id.
public struct BridgeHeader: Sendable, Hashable {
    /// What the request is for.
    @_spi(Fuzzing) public enum Purpose: Sendable, Hashable {
        /// It has no body.
        case bodyless
        /// Its body is plain bytes: the engine may be asked for it.
        case plain
        /// Its body, of so many bytes, is in the relay, or on its way there.
        case relayed(BodyID, length: Int64)
        /// It brings a piece of a body for the relay, which begins at so many bytes.
        case store(BodyID, offset: Int64)
        /// It brings a question.
        case ask
    }

    /// Whether cookies go along (Fetch, "credentials mode"), where that is not as for most requests of scripts.
    public enum Credentials: Sendable, Hashable {
        /// To the page's own origin alone.
        case sameOrigin
        /// To nobody.
        case omit
        /// To all.
        case include
    }

    /// What the request is for.
    @_spi(Fuzzing) public var purpose: Purpose
    /// Whether the request goes on when its page is gone (Fetch, `keepalive`).
    public var isKeptAlive = false
    /// Whether cookies go along.
    public var credentials = Credentials.sameOrigin
    /// Whether an answer that leads elsewhere is followed there (Fetch, "redirect mode").
    public var followsRedirects = true
    /// How long the answer may take in all; `nil` where nothing is said.
    public var timeLimit: Duration?
    /// By which the script asks of the request's answer.
    public var id: BodyID?

    /// Whether it is of a beacon: of all else that is kept alive the script asks where it went.
    var isBeacons: Bool { isKeptAlive && id == nil }

    /// In bytes of UTF-8.
    private static let limit = 192

    /// `nil` for texts of another form.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.limit else { return nil }
        var tokens = Tokens(text)
        guard let first = tokens.next(), let purpose = Self.purpose(first, &tokens) else { return nil }
        self.purpose = purpose
        while let word = tokens.next() {
            switch (purpose, word) {
            case (.ask, _), (.store, _): return nil
            case (_, "keep"): isKeptAlive = true
            case (_, "omit"): credentials = .omit
            case (_, "include"): credentials = .include
            case (_, "manual"): followsRedirects = false
            case (_, let word) where word.utf8.count <= 10 && timeLimit == nil && UInt32(word) != nil:
                timeLimit = UInt32(word).map { .milliseconds(Int64($0)) }
            default:
                guard id == nil, let named = BodyID(word) else { return nil }
                id = named
            }
        }
    }

    /// Takes the words that belong to it, too.
    private static func purpose(_ word: Substring, _ tokens: inout Tokens) -> Purpose? {
        switch word {
        case "none": return .bodyless
        case "plain": return .plain
        case "ask": return .ask
        case "take", "store":
            guard let id = tokens.next().flatMap({ BodyID($0) }), let number = tokens.next().flatMap({ Int64($0) }),
                number >= 0
            else { return nil }
            return word == "take" ? .relayed(id, length: number) : .store(id, offset: number)
        default: return nil
        }
    }
}

/// What lies between single blanks, empty words too. By bytes, one after the other: each request has a mark, and to look
/// for characters takes ten times as long.
private struct Tokens {
    private var rest: Substring?

    init(_ text: some StringProtocol) { rest = Substring(text) }

    mutating func next() -> Substring? {
        guard let text = rest else { return nil }
        guard let blank = text.utf8.firstIndex(of: UInt8(ascii: " ")) else {
            rest = nil
            return text
        }
        rest = text[text.utf8.index(after: blank)...]
        return text[..<blank]
    }
}

/// Names a body in the relay: 32 hexadecimal digits, mostly made up by the injected script.
public struct BodyID: Sendable, Hashable {
    /// The digits.
    public let text: String

    /// `nil` for other texts.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, text.utf8.allSatisfy(\.isLowercaseHexDigit) else { return nil }
        self.text = String(text)
    }

    /// A new one, which nobody can guess.
    init() {
        text = BridgeToken().text
    }
}
