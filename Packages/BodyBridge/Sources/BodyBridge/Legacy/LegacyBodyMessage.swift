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
        /// A string without `bodyEncoding`, a number or a Boolean; sent as UTF-8.
        case text
        /// A string with `bodyEncoding: "base64"`.
        case binary
        /// An object or an array; sent as its original JSON text.
        case json
        /// `null`, or no body.
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
    ///
    /// Numbers, `true` and `false` count as their text. A missing body counts as `null`. Base64 may lack its padding,
    /// contain white space, use the URL-safe alphabet (RFC 4648, section 5), or be a `data:` URL. In `headers` a `null`
    /// value is skipped, and an empty array counts as no headers.
    /// - Throws: `ResourceError` with code `tooLarge` beyond a limit, `invalidRequest` for any other data. The error
    ///   contains no text of the message.
    public init(json: Data) throws {
        guard json.count <= Self.maxBytes else {
            throw ResourceError(.tooLarge, "the message has \(json.count) bytes, more than \(Self.maxBytes)")
        }
        let members: Members
        do {
            members = try Members(json)
        } catch let error as ResourceError {
            throw error
        } catch {
            throw ResourceError(.invalidRequest, "not a body message: invalid JSON")
        }
        guard let id = members.requestID else {
            throw ResourceError(.invalidRequest, "not a body message: missing requestId")
        }
        guard (1...Self.maxIDBytes).contains(id.utf8.count), id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ResourceError(.invalidRequest, "requestId is empty, too long, or has control characters")
        }
        requestID = id
        (kind, body) = try Self.body(members)
        fields = try Self.fields(members.headers)
    }

    /// A copy of the message without the body.
    var withoutBody: LegacyBodyMessage {
        var message = self
        message.body = Data()
        return message
    }

    private static func body(_ members: Members) throws -> (Kind, Data) {
        let encoding = members.encoding.asciiLowercased
        guard ["", "base64", "text", "utf8", "utf-8"].contains(encoding) else {
            throw ResourceError(.invalidRequest, "unknown bodyEncoding")
        }
        switch members.body {
        case .none: return (.none, Data())
        case .text(let text) where encoding == "base64":
            guard let bytes = base64(text) else { throw ResourceError(.invalidRequest, "body is not base64") }
            return (.binary, bytes)
        case .text(let text): return (.text, Data(text.utf8))
        case .json where encoding == "base64":
            throw ResourceError(.invalidRequest, "bodyEncoding is base64, but body is not a string")
        case .json(let json): return (.json, json)
        }
    }

    /// Returns the bytes of base64 in one of the forms that pages produce, or `nil` for other text.
    private static func base64(_ text: String) -> Data? {
        var rest = text[...].utf8
        if rest.prefix(5).map({ $0 | 0x20 }).elementsEqual("data:".utf8) {
            // `FileReader` produces such a URL (RFC 2397).
            guard let comma = rest.firstIndex(of: UInt8(ascii: ",")),
                String(Substring(rest[..<comma])).asciiLowercased.hasSuffix(";base64")
            else { return nil }
            rest = rest[rest.index(after: comma)...]
        }
        var bytes = Data(capacity: rest.count + 2)
        for byte in rest {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0C, 0x0D: continue
            case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): bytes.append(UInt8(ascii: "/"))
            default: bytes.append(byte)
            }
        }
        // The decoder needs the padding.
        if !bytes.contains(UInt8(ascii: "=")), bytes.count % 4 > 1 {
            bytes.append(contentsOf: "==".utf8.prefix(4 - bytes.count % 4))
        }
        return Data(base64Encoded: bytes)
    }

    private static func fields(_ headers: [(name: String, value: String)]) throws -> HTTPFields {
        guard headers.count <= maxFields.count,
            headers.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= maxFields.bytes
        else { throw ResourceError(.tooLarge, "more than \(maxFields.count) headers or \(maxFields.bytes) bytes") }
        var fields = HTTPFields()
        for (key, text) in headers.sorted(by: { $0.name < $1.name }) {
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

    /// The members of a message, whose kinds and contents are not all checked yet.
    private struct Members {
        enum Body {
            case none
            case text(String)
            /// An object or an array: its original bytes. A decoded object would lose the order of its names and the
            /// spelling of its numbers. A server may verify a signature over the original bytes.
            case json(Data)
        }

        var requestID: String?
        var body = Body.none
        var encoding = ""
        var headers: [(name: String, value: String)] = []

        /// Reads the members.
        /// - Throws: `JSONError`, or `ResourceError` for a member of a wrong kind.
        init(_ json: Data) throws {
            try json.withUnsafeBytes { bytes in
                var limits = JSONScanner.Limits()
                // The depth limit of `JSONDecoder`.
                limits.depth = 512
                var scanner = JSONScanner(bytes, limits: limits)
                try scanner.readObject { scanner, name in
                    switch scanner.string(name) {
                    case "requestId": requestID = try Self.scalar(&scanner, "requestId")
                    case "body" where scanner.isAtContainer():
                        body = .json(Data(bytes[try scanner.skipValue(checksText: false)]))
                    case "body": body = try scanner.readAsText().map(Body.text) ?? .none
                    case "bodyEncoding": encoding = try Self.scalar(&scanner, "bodyEncoding") ?? ""
                    case "headers": headers = try Self.headers(&scanner)
                    default: try scanner.skipValue(checksText: false)
                    }
                }
                try scanner.finish()
            }
        }

        private static func scalar(_ scanner: inout JSONScanner, _ name: String) throws -> String? {
            guard !scanner.isAtContainer() else { throw wrongType(of: name) }
            return try scanner.readAsText()
        }

        private static func headers(_ scanner: inout JSONScanner) throws -> [(name: String, value: String)] {
            var headers: [(name: String, value: String)] = []
            if try scanner.readNull() { return headers }
            switch scanner.nextToken() {
            case UInt8(ascii: "["): try scanner.readArray { _ in throw wrongType(of: "headers") }
            case UInt8(ascii: "{"):
                try scanner.readObject { scanner, key in
                    let name = scanner.string(key)
                    if let value = try scanner.readAsText() { headers.append((name, value)) }
                }
            default: throw wrongType(of: "headers")
            }
            return headers
        }

        private static func wrongType(of name: String) -> ResourceError {
            ResourceError(.invalidRequest, "not a body message: wrong type of \(name)")
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
