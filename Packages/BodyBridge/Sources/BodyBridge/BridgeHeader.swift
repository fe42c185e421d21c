// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading
internal import WebSyntax

/// The description of a request by the injected script. It is in a header field of the request. If the request cannot
/// have the field, the script announces the description before the request.
///
/// The text without the token has this form:
///
/// ```
/// plain | none | take ID LENGTH | store ID OFFSET | ask
/// ```
///
/// `plain`, `none` and `take` may be followed by any of the words `keep`, `omit`, `include` and `manual`, a number of
/// milliseconds, and an id.
@_spi(Fuzzing) public struct BridgeHeader: Sendable, Hashable {
    /// The purpose of a request.
    @_spi(Fuzzing) public enum Purpose: Sendable, Hashable {
        /// A request without a body.
        case bodyless
        /// A request whose body is plain bytes, which the engine can supply.
        case plain
        /// A request whose body is in the relay or will arrive there; with its length in bytes.
        case relayed(BodyID, length: Int64)
        /// A request that carries a piece of a body for the relay; with the offset of the piece in bytes.
        case store(BodyID, offset: Int64)
        /// A request that carries a message for the bridge.
        case ask
    }

    /// The purpose of the request.
    public var purpose: Purpose
    /// A Boolean value that indicates whether the request continues after its page is closed (Fetch, `keepalive`).
    public var isKeptAlive = false
    /// The credentials mode of the request; `sameOrigin` is the default for scripts.
    public var credentials = ResourceRequest.Credentials.sameOrigin
    /// A Boolean value that indicates whether redirects are followed (Fetch, "redirect mode").
    public var followsRedirects = true
    /// The time limit for the whole response; `nil` for none.
    public var timeLimit: Duration?
    /// The id with which the script requests the final URL of the response.
    public var id: BodyID?

    /// A Boolean value that indicates whether the request is a beacon. Every other keepalive request has an id, with
    /// which the script requests the final URL.
    var isBeacons: Bool { isKeptAlive && id == nil }

    /// The maximum length, in bytes of UTF-8.
    private static let limit = 192

    /// Creates a header from its text without the token; `nil` for text of another form.
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

    /// Returns the purpose that a word names, and consumes the arguments of the purpose from the tokens.
    /// - Returns: the purpose, or `nil` if the word or an argument is invalid.
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

/// The tokens between single spaces, including empty tokens. The text is split by bytes, because splitting by
/// characters takes ten times as long, and every request has this header.
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

/// The id of a body in the relay: 32 hexadecimal digits, usually chosen by the injected script.
public struct BodyID: Sendable, Hashable {
    /// The 32 hexadecimal digits.
    public let text: String

    /// Creates an id from its digits; `nil` for other text.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, text.utf8.allSatisfy(\.isLowercaseHexDigit) else { return nil }
        self.text = String(text)
    }

    /// Creates a random id, which cannot be guessed.
    init() {
        text = BridgeToken().text
    }
}
