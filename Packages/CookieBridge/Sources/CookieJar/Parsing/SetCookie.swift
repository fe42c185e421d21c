// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import WebSyntax

/// The parsed value of a `Set-Cookie` field, or of an assignment to `document.cookie` (RFC 6265bis, section 5.6). The
/// sender is not considered yet.
@_spi(Fuzzing) public struct SetCookie: Sendable, Hashable {
    /// The name; empty if the field has none, as in `Set-Cookie: token`.
    public var name: String
    /// The value as received, including quotes.
    public var value: String
    /// The last `Expires` date that could be parsed.
    public var expires: Date?
    /// The last `Max-Age` that could be parsed, in seconds, clamped to ±10¹⁵. It takes precedence over ``expires``.
    public var maxAge: Int?
    /// The last `Domain`, in lower case, without one leading dot. An empty value counts as missing.
    public var domain: String?
    /// The last `Path`. It is empty if the attribute does not start with a slash, which means the default path.
    public var path: String?
    /// A Boolean value that indicates whether the field has the attribute `Secure`.
    public var isSecure = false
    /// A Boolean value that indicates whether the field has the attribute `HttpOnly`.
    public var isHTTPOnly = false
    /// The last `SameSite`; unknown values count as unspecified.
    public var sameSite = Cookie.SameSite.unspecified
    /// A Boolean value that indicates whether the field has the attribute `Partitioned`. The jar has no partitions, and
    /// stores the cookie like other cookies.
    public var isPartitioned = false

    /// The maximum length of name and value together, in bytes.
    public static let maxPairBytes = 4_096
    /// The maximum length of an attribute value, in bytes; longer attributes are ignored.
    public static let maxAttributeBytes = 1_024

    /// Creates a field with a name and a value, without any check.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Parses the value of one field. Attributes that cannot be parsed are ignored.
    /// - Throws: ``CookieRefusal`` with `controlCharacter` or
    ///   `tooLong`.
    public init(parsing field: String) throws(CookieRefusal) {
        guard !field.utf8.contains(where: CookieBytes.isControl) else { throw CookieRefusal(.controlCharacter) }
        let (pair, attributes) = CookieBytes.split(field[...].utf8, at: UInt8(ascii: ";"))
        let (left, right) = CookieBytes.split(pair, at: UInt8(ascii: "="))
        // Without a `=`, the whole text is the value.
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

    /// A field value that parses to the same properties. It does not contain attributes that ``init(parsing:)``
    /// ignored.
    public var fieldValue: String {
        var text = "\(name)=\(value)"
        if let expires { text += "; Expires=\(CookieDate.format(expires))" }
        if let maxAge { text += "; Max-Age=\(maxAge)" }
        if let domain {
            // The parser removes one leading dot and whitespace before it, but no whitespace after it.
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

    /// Applies one attribute (sections 5.6.1 to 5.6.7).
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

    /// Returns the value of decimal digits with an optional minus sign (section 5.6.2).
    package static func seconds(_ text: Substring.UTF8View) -> Int? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        let size = digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1_000_000_000_000_000) }
        return isNegative ? -size : size
    }
}

/// Byte operations for cookies. Cookies are octets, not characters: a combining mark after a `=` would merge with it
/// into one `Character`.
enum CookieBytes {
    /// Returns a Boolean value that indicates whether a byte makes a cookie invalid (RFC 6265bis, section 5.6, step 1):
    /// any control character except the tab.
    static func isControl(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != 0x09) || byte == 0x7F
    }

    /// Splits the bytes at the first separator, which is in neither part.
    static func split(
        _ bytes: Substring.UTF8View, at separator: UInt8
    ) -> (head: Substring.UTF8View, tail: Substring.UTF8View?) {
        guard let place = bytes.firstIndex(of: separator) else { return (bytes, nil) }
        return (bytes[..<place], bytes[bytes.index(after: place)...])
    }
}
