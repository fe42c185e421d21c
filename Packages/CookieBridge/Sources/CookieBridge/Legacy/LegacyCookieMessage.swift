// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The message that older pages send for `document.cookie = …`, as it came: every part is text.
///
/// What a page says of itself is not believed: ``change(in:rules:now:)`` checks it against the document that sent it.
@_spi(Facade) public struct LegacyCookieMessage: Sendable, Hashable {
    /// The name of the message handler, where the app does not choose another.
    public static let handlerName = "COOKIECALL"
    /// The request header field, in lower case, that asks for the answer's cookies to be in the web view's store before the
    /// page sees the answer. It is removed before the request leaves.
    public static let markerField = "x-wkwebview-request-type"
    /// The longest message, in bytes of JSON.
    public static let maxBytes = 16_384

    public var name: String
    public var value: String
    /// The URL of the document that the page says it is.
    public var originURL: String?
    public var domain: String
    public var path: String
    /// A date as in `Expires`.
    public var expires: String?
    /// Seconds as in `Max-Age`.
    public var maximumAge: String?
    /// Whether the message has `secure`, with whatever text.
    public var isSecure: Bool

    /// Decodes a message.
    /// - Throws: ``CookieBridgeError`` with code `badMessage` for what is too long, no object of strings, or lacks a part.
    public init(json: Data) throws {
        guard json.count <= Self.maxBytes else {
            throw CookieBridgeError(.badMessage, "\(json.count) bytes, more than \(Self.maxBytes)")
        }
        do {
            self = try JSONDecoder().decode(Payload.self, from: json).message
        } catch let error as DecodingError {
            throw CookieBridgeError(.badMessage, Self.reason(error))
        } catch {
            throw CookieBridgeError(.badMessage, "no JSON")
        }
    }

    public init(
        name: String, value: String, originURL: String? = nil, domain: String, path: String, expires: String? = nil,
        maximumAge: String? = nil, isSecure: Bool = false
    ) {
        self.name = name
        self.value = value
        self.originURL = originURL
        self.domain = domain
        self.path = path
        self.expires = expires
        self.maximumAge = maximumAge
        self.isSecure = isSecure
    }

    /// Without any of the message's text, which may be a secret or as long as it likes.
    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "no \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "no string: \(context.codingPath.last?.stringValue ?? "the message")"
        default: "no JSON"
        }
    }

    private struct Payload: Decodable {
        let message: LegacyCookieMessage

        private enum Key: String, CodingKey {
            case name, value, originurl, domain, path, expires, maximumage, secure
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            func text(_ key: Key) throws -> String? {
                values.contains(key) ? try values.decode(String.self, forKey: key) : nil
            }
            message = LegacyCookieMessage(
                name: try values.decode(String.self, forKey: .name),
                value: try values.decode(String.self, forKey: .value),
                originURL: try text(.originurl), domain: try values.decode(String.self, forKey: .domain),
                path: try values.decode(String.self, forKey: .path), expires: try text(.expires),
                maximumAge: try text(.maximumage), isSecure: try text(.secure) != nil)
        }
    }
}
