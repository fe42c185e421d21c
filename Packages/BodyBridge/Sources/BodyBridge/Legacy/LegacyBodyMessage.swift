// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import ResourceLoading
internal import StrictJSON
internal import WebSyntax

/// The message that older pages send before a request, with the body of the request.
@_spi(Fuzzing) public struct LegacyBodyMessage: Sendable, Hashable {
    /// The kind of a body.
    @_spi(Fuzzing) public enum Kind: Sendable, Hashable {
        /// A string without `bodyEncoding`; sent as UTF-8.
        case text
        /// A string with `bodyEncoding: "base64"`.
        case binary
        /// An object or an array; sent as its original JSON text.
        case json
        /// `null`.
        case none
    }

    /// The maximum length of a message, in bytes of JSON.
    public static let maxBytes = 32 << 20
    /// The maximum length of an id, in bytes of UTF-8.
    public static let maxIDBytes = 256
    /// The maximum number of header fields, and the maximum number of their bytes.
    private static let maxFields = (count: 100, bytes: 64 << 10)

    /// The page's id of the request.
    public let requestID: String
    /// The kind of the body.
    public let kind: Kind
    /// The bytes of the body.
    public private(set) var body: Data
    /// The header fields of the request without forbidden fields; see ``isForbidden(_:_:)``.
    public let fields: HTTPFields

    /// Creates a message from JSON: `{"requestId": …, "body": …, "bodyEncoding": …, "headers": …}`.
    /// - Throws: `ResourceError` with code `tooLarge` beyond a limit, `invalidRequest` for any other data. The error
    ///   contains no text of the message.
    public init(json: Data) throws {
        guard json.count <= Self.maxBytes else {
            throw ResourceError(.tooLarge, "the message has \(json.count) bytes, more than \(Self.maxBytes)")
        }
        let values: Payload
        do {
            values = try JSONDecoder().decode(Payload.self, from: json)
        } catch let error as ResourceError {
            throw error
        } catch {
            throw ResourceError(.invalidRequest, "not a body message: \(Self.reason(error))")
        }
        guard (1...Self.maxIDBytes).contains(values.requestId.utf8.count),
            values.requestId.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw ResourceError(.invalidRequest, "requestId is empty, too long, or has control characters") }
        requestID = values.requestId
        (kind, body) = try Self.body(values, in: json)
        fields = try Self.fields(values.headers ?? [:])
    }

    /// A copy of the message without the body.
    var withoutBody: LegacyBodyMessage {
        var message = self
        message.body = Data()
        return message
    }

    private static func body(_ values: Payload, in json: Data) throws -> (Kind, Data) {
        switch (values.body, values.bodyEncoding ?? "") {
        case (.none, ""): return (.none, Data())
        case (.text(let text), ""): return (.text, Data(text.utf8))
        case (.text(let text), "base64"):
            guard let bytes = Data(base64Encoded: text) else {
                throw ResourceError(.invalidRequest, "body is not base64")
            }
            return (.binary, bytes)
        case (.json, ""):
            guard let value = bodyText(in: json) else {
                throw ResourceError(.invalidRequest, "body occurs twice")
            }
            return (.json, value)
        case (_, "base64"): throw ResourceError(.invalidRequest, "bodyEncoding is base64, but body is not a string")
        default: throw ResourceError(.invalidRequest, "unknown bodyEncoding")
        }
    }

    /// Returns the original bytes of the body, an object or an array. A decoded object would lose the order of its
    /// names and the spelling of its numbers. A server may verify a signature over the original bytes.
    private static func bodyText(in json: Data) -> Data? {
        let range = try? json.withUnsafeBytes { bytes -> Range<Int>? in
            var found: Range<Int>?
            var count = 0
            // The depth limit of `JSONDecoder`.
            var scanner = JSONScanner(bytes, limits: JSONScanner.Limits(depth: 512))
            try scanner.readObject(checksNames: false) { scanner, name in
                let isBody = scanner.equals(name, "body")
                let range = try scanner.skipValue(checksText: false)
                guard isBody else { return }
                count += 1
                found =
                    bytes[range.lowerBound] == UInt8(ascii: "{") || bytes[range.lowerBound] == UInt8(ascii: "[")
                    ? range : nil
            }
            return count == 1 ? found : nil
        }
        guard let range = range.flatMap({ $0 }) else { return nil }
        return json.subdata(in: (json.startIndex + range.lowerBound)..<(json.startIndex + range.upperBound))
    }

    private static func fields(_ headers: [String: String]) throws -> HTTPFields {
        guard headers.count <= maxFields.count,
            headers.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= maxFields.bytes
        else { throw ResourceError(.tooLarge, "more than \(maxFields.count) headers or \(maxFields.bytes) bytes") }
        var fields = HTTPFields()
        for (key, text) in headers.sorted(by: { $0.key < $1.key }) {
            let value = String(text.trimmingFieldWhitespace)
            guard let name = HTTPField.Name(key), HTTPField.isValidValue(value) else {
                throw ResourceError(.invalidRequest, "a header has an invalid name or value")
            }
            guard !isForbidden(name, value) else { continue }
            // Names that differ only in case name one field.
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        return fields
    }

    /// Returns the reason without any text of the message.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "missing \(key.stringValue)"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "wrong type of \(context.codingPath.first?.stringValue ?? "the message")"
        default: "invalid JSON"
        }
    }

    private struct Payload: Decodable {
        enum Body: Decodable {
            case text(String)
            case json
            case none

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                if value.decodeNil() {
                    self = .none
                } else if (try? decoder.container(keyedBy: AnyKey.self)) != nil
                    || (try? decoder.unkeyedContainer()) != nil
                {
                    self = .json
                } else {
                    self = .text(try value.decode(String.self))
                }
            }
        }

        /// A coding key that only probes the kind of container.
        struct AnyKey: CodingKey {
            let stringValue: String
            let intValue: Int? = nil
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        let requestId: String
        let body: Body
        let bodyEncoding: String?
        let headers: [String: String]?

        private enum Key: String, CodingKey {
            case requestId, body, bodyEncoding, headers
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            requestId = try values.decode(String.self, forKey: .requestId)
            // `decodeIfPresent` would treat `null` as missing.
            guard values.contains(.body) else {
                throw DecodingError.keyNotFound(
                    Key.body, DecodingError.Context(codingPath: values.codingPath, debugDescription: "no body"))
            }
            body = try values.decode(Body.self, forKey: .body)
            bodyEncoding = try values.decodeIfPresent(String.self, forKey: .bodyEncoding)
            headers = try values.decodeIfPresent([String: String].self, forKey: .headers)
        }
    }
}

@_spi(Fuzzing) extension LegacyBodyMessage {
    /// Returns a Boolean value that indicates whether a header of a message is silently ignored, as in
    /// `setRequestHeader`: a forbidden request-header (Fetch, section 2.2.2), or the bridge header.
    public static func isForbidden(_ name: HTTPField.Name, _ value: String) -> Bool {
        let name = name.canonicalName
        return ForbiddenRequestFields.contains(name, value: value) || name == InjectedScript.field.asciiLowercased
    }
}
