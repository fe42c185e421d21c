// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import StrictJSON

/// The message that older pages send for `document.cookie = …`. All parts are undecoded text.
///
/// The message is untrusted. ``cookie(in:schemes:now:)`` checks it against the document that sent it.
@_spi(Facade) public struct LegacyCookieMessage: Sendable, Hashable {
    /// The name of the request header field that requests a transfer, in lower case: the web view's store gets the
    /// cookies of the response before the page receives the response. The field is removed before the request is sent.
    public static let markerField = "x-wkwebview-request-type"
    /// The maximum length of a message, in bytes of JSON.
    private static let maxBytes = 16_384

    var name: String
    var value: String
    /// The URL of the document, as claimed by the page.
    var originURL: String?
    /// The domain; `nil` stands for the host of the document.
    var domain: String?
    /// The path; `nil` stands for the default path of the document.
    var path: String?
    /// A date in the format of `Expires`, or of ISO 8601 as in `Date.prototype.toJSON`.
    var expires: String?
    /// The expiry time of a message whose `expires` is a number. It takes precedence over ``expires``.
    var expiryTime: Date?
    /// A number of seconds, as in `Max-Age`.
    var maximumAge: String?
    /// A Boolean value that indicates whether the message has the key `secure`, with another value than `false` and
    /// `null`.
    var isSecure = false
}

@_spi(Facade) extension LegacyCookieMessage {
    /// Creates a message from JSON. All values are strings according to the protocol. Pages also send other values:
    ///
    /// - `null` counts as missing, and only `name` is required. A missing `value` is empty.
    /// - Numbers, `true` and `false` count as their text, objects and arrays as their JSON text.
    /// - A number for `maximumage` counts without its fraction; a number for `expires` is in milliseconds since 1970.
    /// - `secure: false` counts as missing.
    /// - Throws: ``CookieBridgeError`` with code `badMessage` if the data is too long, is not an object, has duplicate
    ///   names, or lacks `name`. The error contains no text of the message, because the text may be secret or long.
    public init(json: Data) throws {
        guard json.count <= Self.maxBytes else {
            throw CookieBridgeError(.badMessage, "the message has \(json.count) bytes, more than \(Self.maxBytes)")
        }
        self.init(name: "", value: "")
        let name: String?
        do {
            name = try json.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes)
                let name = try read(&scanner)
                try scanner.finish()
                return name
            }
        } catch {
            throw CookieBridgeError(.badMessage, "invalid JSON")
        }
        guard let name else { throw CookieBridgeError(.badMessage, "missing key: name") }
        self.name = name
    }

    /// Reads the members except the name.
    /// - Returns: the name.
    private mutating func read(_ scanner: inout JSONScanner) throws -> String? {
        var name: String?
        try scanner.readObject { scanner, key in
            switch scanner.string(key) {
            case "name": name = try scanner.readAsText()
            case "value": value = try scanner.readAsText() ?? ""
            case "originurl": originURL = try scanner.readAsText()
            case "domain": domain = try scanner.readAsText()
            case "path": path = try scanner.readAsText()
            case "expires":
                if scanner.isAtNumber() {
                    expiryTime = Self.number(try scanner.readAsText()).flatMap(Self.time)
                } else {
                    expires = try scanner.readAsText()
                }
            case "maximumage":
                let isNumber = scanner.isAtNumber()
                let text = try scanner.readAsText()
                maximumAge = isNumber ? Self.number(text).map(Self.wholeSeconds) : text
            case "secure": isSecure = try scanner.readBool() ?? (scanner.readAsText() != nil)
            default: try scanner.skipValue()
            }
        }
        return name
    }

    private static func number(_ text: String?) -> Double? {
        text.flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the time of milliseconds since 1970, or `nil` if no `Date` of a script has the time (ECMA-262,
    /// section 21.4.1.1).
    private static func time(milliseconds: Double) -> Date? {
        abs(milliseconds) <= 8.64e15 ? Date(timeIntervalSince1970: milliseconds / 1_000) : nil
    }

    /// Returns the seconds without the fraction, within the bounds of the jar's own parser.
    private static func wholeSeconds(_ seconds: Double) -> String {
        String(Int64(max(-1e15, min(1e15, seconds))))
    }
}
