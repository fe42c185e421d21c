// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import WebSyntax

/// What a `Set-Cookie` field says, or a script's assignment to `document.cookie` (RFC 6265bis, section 5.6): nothing is
/// known yet about who says it.
@_spi(Fuzzing) public struct SetCookie: Sendable, Hashable {
    /// May be empty: `Set-Cookie: token` names nothing.
    public var name: String
    /// As it came, quotes included.
    public var value: String
    /// The last date that could be read.
    public var expires: Date?
    /// The last `Max-Age` that could be read, in seconds; counts before ``expires``. Held within ±10¹⁵.
    public var maxAge: Int?
    /// The last `Domain`, in lower case, without one leading dot; may be empty, which is as if it were not there.
    public var domain: String?
    /// The last `Path`; empty where it has no slash at its start, which stands for the default path.
    public var path: String?
    /// Whether it says `Secure`.
    public var isSecure = false
    /// Whether it says `HttpOnly`.
    public var isHTTPOnly = false
    /// The last `SameSite`; other words than the three known ones say nothing.
    public var sameSite = Cookie.SameSite.unspecified
    /// Whether it says `Partitioned`. The jar keeps no partitions: such a cookie is stored as any other.
    public var isPartitioned = false

    /// The most bytes that name and value have together.
    public static let maxPairBytes = 4_096
    /// The most bytes that the value of an attribute has; longer ones are passed over.
    public static let maxAttributeBytes = 1_024

    /// Makes a field with name and value alone; nothing is checked.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Reads the value of one field.
    /// - Throws: ``CookieRefusal`` with `controlCharacter` or
    ///   `tooLong`; attributes that cannot be read are passed over.
    public init(parsing field: String) throws(CookieRefusal) {
        guard !field.utf8.contains(where: CookieBytes.isControl) else { throw CookieRefusal(.controlCharacter) }
        let (pair, attributes) = CookieBytes.split(field[...].utf8, at: UInt8(ascii: ";"))
        let (left, right) = CookieBytes.split(pair, at: UInt8(ascii: "="))
        // Without a `=` all is the value.
        let name = (right == nil ? ""[...].utf8 : left).trimmingFieldWhitespace
        let value = (right ?? left).trimmingFieldWhitespace
        guard name.count + value.count <= Self.maxPairBytes else { throw CookieRefusal(.tooLong) }
        self.init(name: String(Substring(name)), value: String(Substring(value)))

        var rest = attributes
        while let unread = rest {
            let (attribute, more) = CookieBytes.split(unread, at: UInt8(ascii: ";"))
            let (key, text) = CookieBytes.split(attribute, at: UInt8(ascii: "="))
            read(key.trimmingFieldWhitespace, (text ?? ""[...].utf8).trimmingFieldWhitespace)
            rest = more
        }
    }

    /// A field that means the same when it is read: what ``init(parsing:)`` took comes out as it was, but for what was
    /// passed over.
    public var fieldValue: String {
        var text = "\(name)=\(value)"
        if let expires { text += "; Expires=\(CookieDate.format(expires))" }
        if let maxAge { text += "; Max-Age=\(maxAge)" }
        if let domain {
            // In reading one leading dot is taken away, and blanks before it are, but none behind it.
            let isRead = domain.utf8.first.map { ". \t".utf8.contains($0) } ?? false
            text += "; Domain=\(isRead ? "." : "")\(domain)"
        }
        if let path { text += "; Path=\(path)" }
        if isSecure { text += "; Secure" }
        if isHTTPOnly { text += "; HttpOnly" }
        switch sameSite {
        case .unspecified: break
        case .none: text += "; SameSite=None"
        case .lax: text += "; SameSite=Lax"
        case .strict: text += "; SameSite=Strict"
        }
        if isPartitioned { text += "; Partitioned" }
        return text
    }

    /// Takes one attribute (sections 5.6.1 to 5.6.7).
    private mutating func read(_ key: Substring.UTF8View, _ text: Substring.UTF8View) {
        guard text.count <= Self.maxAttributeBytes else { return }
        if key.equalsIgnoringCase("expires") {
            expires = CookieDate.parse(Substring(text)) ?? expires
        } else if key.equalsIgnoringCase("max-age") {
            maxAge = Self.seconds(text) ?? maxAge
        } else if key.equalsIgnoringCase("domain") {
            domain = Substring(text.first == UInt8(ascii: ".") ? text.dropFirst() : text).asciiLowercased
        } else if key.equalsIgnoringCase("path") {
            path = text.first == UInt8(ascii: "/") ? String(Substring(text)) : ""
        } else if key.equalsIgnoringCase("secure") {
            isSecure = true
        } else if key.equalsIgnoringCase("httponly") {
            isHTTPOnly = true
        } else if key.equalsIgnoringCase("samesite") {
            sameSite = Self.sameSite(text)
        } else if key.equalsIgnoringCase("partitioned") {
            isPartitioned = true
        }
    }

    private static func sameSite(_ text: Substring.UTF8View) -> Cookie.SameSite {
        if text.equalsIgnoringCase("none") { return .none }
        if text.equalsIgnoringCase("lax") { return .lax }
        return text.equalsIgnoringCase("strict") ? .strict : .unspecified
    }

    /// Digits, with a minus before them or not (section 5.6.2).
    private static func seconds(_ text: Substring.UTF8View) -> Int? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        let size = digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1_000_000_000_000_000) }
        return isNegative ? -size : size
    }
}

/// What cookies ask of bytes. Cookies are octets, not characters: a combining mark behind a `=` makes one character of the
/// two, and yet there is a `=`.
enum CookieBytes {
    /// Whether a byte ends the processing of a cookie (RFC 6265bis, section 5.6, step 1): all control characters but the tab.
    static func isControl(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != 0x09) || byte == 0x7F
    }

    /// Splits at the first of these bytes, which is in neither part.
    static func split(
        _ bytes: Substring.UTF8View, at separator: UInt8
    ) -> (head: Substring.UTF8View, tail: Substring.UTF8View?) {
        guard let place = bytes.firstIndex(of: separator) else { return (bytes, nil) }
        return (bytes[..<place], bytes[bytes.index(after: place)...])
    }
}
