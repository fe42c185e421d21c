// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

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
    var domain: String
    var path: String
    /// A date in the format of `Expires`.
    var expires: String?
    /// A number of seconds, as in `Max-Age`.
    var maximumAge: String?
    /// A Boolean value that indicates whether the message has the key `secure`, with any text.
    var isSecure = false
}

@_spi(Facade) extension LegacyCookieMessage {
    /// Creates a message from JSON.
    /// - Throws: ``CookieBridgeError`` with code `badMessage` if the data is too long, is not an object of strings, or
    ///   lacks a required key.
    public init(json: Data) throws {
        guard json.count <= Self.maxBytes else {
            throw CookieBridgeError(.badMessage, "the message has \(json.count) bytes, more than \(Self.maxBytes)")
        }
        do {
            self = try JSONDecoder().decode(Payload.self, from: json).message
        } catch let error as DecodingError {
            throw CookieBridgeError(.badMessage, Self.reason(error))
        } catch {
            throw CookieBridgeError(.badMessage, "invalid JSON")
        }
    }

    /// Returns the reason without any text of the message, because the text may be secret or long.
    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "missing key: \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "not a string: \(context.codingPath.last?.stringValue ?? "the message")"
        default: "invalid JSON"
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
