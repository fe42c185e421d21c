// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The properties of a response that rewriting requires, read from the fields of the response.
struct RewrittenFields {
    private(set) var type: RewrittenType?
    private(set) var charset: TextCharset?
    /// A Boolean value that indicates whether the body has a content coding and cannot be rewritten.
    private(set) var isEncoded = false
    /// A Boolean value that indicates whether a field contains URLs.
    private(set) var hasURLs = false
    private(set) var upgradesInsecureRequests = false

    /// A Boolean value that indicates whether the charset is not ASCII-compatible.
    var isOpaque: Bool { charset == .opaque }

    /// Reads the fields of a response.
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - request: The request of the response.
    init(_ fields: HTTPFields, of request: ResourceRequest) {
        read(fields)
        // An attachment is saved unchanged, because no page uses its content or fields. An element that requests a
        // style sheet ignores `Content-Disposition`.
        guard let disposition = fields[.contentDisposition], Self.isAttachment(disposition),
            type != .styleSheet || !request.head.isStyleRequest
        else { return }
        type = nil
        hasURLs = false
    }

    private static func isAttachment(_ disposition: String) -> Bool {
        FieldParameters(disposition).value.utf8.equalsIgnoringCase("attachment")
    }

    private mutating func read(_ fields: HTTPFields) {
        for field in fields {
            switch field.name {
            case .contentType:
                type = RewrittenType(field.value)
                guard type != nil else { continue }
                charset = TextCharset.label(in: field.value.utf8).map {
                    TextCharset(label: String(decoding: $0, as: UTF8.self))
                }
            case .contentEncoding:
                isEncoded = !["", "identity"].contains(field.value.asciiLowercased)
            case .contentSecurityPolicy:
                hasURLs = true
                if PolicyField.upgradesInsecureRequests(Array(field.value.utf8)) { upgradesInsecureRequests = true }
            case .contentSecurityPolicyReportOnly, .link, .refresh: hasURLs = true
            default: break
            }
        }
    }

    /// Replaces the covered URLs in fields with custom-scheme URLs.
    static func rewrite(_ fields: inout HTTPFields, in context: RewritingContext) {
        var result = HTTPFields()
        for var field in fields {
            switch field.name {
            case .contentSecurityPolicy, .contentSecurityPolicyReportOnly:
                field.value = PolicyField.rewrite(field.value, in: context)
            case .link: field.value = LinkField.rewrite(field.value, in: context)
            case .refresh:
                let bytes = Array(field.value.utf8)
                let edits = RefreshValue.edits(of: bytes, in: context)
                if !edits.isEmpty {
                    field.value = String(decoding: ByteEdit.apply(edits, to: bytes), as: UTF8.self)
                }
            default: break
            }
            result.append(field)
        }
        fields = result
    }

    /// Removes the fields that describe only the unrewritten bytes.
    static func removeStaleFields(_ fields: inout HTTPFields) {
        for name in [HTTPField.Name.contentLength, .acceptRanges, .digest, .contentDigest, .reprDigest, .contentMD5] {
            fields[name] = nil
        }
        weakenEntityTag(&fields)
    }

    /// Makes a strong `ETag` weak: the bytes differ, but the representation is equivalent (RFC 9110, section 8.8.1).
    static func weakenEntityTag(_ fields: inout HTTPFields) {
        if let tag = fields[.eTag], tag.hasPrefix("\"") { fields[.eTag] = "W/" + tag }
    }
}

extension HTTPField.Name {
    fileprivate static let contentSecurityPolicyReportOnly = make("Content-Security-Policy-Report-Only")
    fileprivate static let link = make("Link")
    static let refresh = make("Refresh")
    fileprivate static let digest = make("Digest")
    fileprivate static let contentDigest = make("Content-Digest")
    fileprivate static let reprDigest = make("Repr-Digest")
    fileprivate static let contentMD5 = make("Content-MD5")

    private static func make(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .contentLength
    }
}

/// The types of responses that are rewritten, by `Content-Type`.
///
/// XHTML and SVG are parsed as XML; other XML is data. A response without a type is not rewritten, because only the
/// engine sniffs types.
enum RewrittenType: Equatable {
    case document(DocumentSyntax)
    case styleSheet

    init?(_ type: String) {
        let name = type.utf8.prefix { $0 != UInt8(ascii: ";") }.drop { $0.isASCIIWhitespace }
        // The first character excludes most other types.
        guard let first = name.first, "tTaAiI".utf8.contains(first) else { return nil }
        let end = name.lastIndex { !$0.isASCIIWhitespace }.map { name.index(after: $0) } ?? name.startIndex
        let essence = name[..<end]
        if essence.equalsIgnoringCase("text/html") {
            self = .document(.html)
        } else if essence.equalsIgnoringCase("text/css") {
            self = .styleSheet
        } else if essence.equalsIgnoringCase("application/xhtml+xml") || essence.equalsIgnoringCase("image/svg+xml") {
            self = .document(.xml)
        } else {
            return nil
        }
    }
}
