// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
@_spi(Facade) internal import PackageFormat
internal import ResourceLoading
internal import WebSyntax

/// The header fields of a document that have an effect on the page, and the form in which the engine receives them. A
/// document that is given as text has no header fields.
struct DocumentFields {
    /// The values of the `Content-Security-Policy` fields.
    private(set) var policies: [String] = []
    private(set) var referrerPolicy: String?
    private(set) var contentLanguage: String?
    private(set) var refresh: String?
    /// The encoding that the response declares; `nil` if there is none. A label that names no encoding has no effect
    /// (HTML, section "Determining the character encoding").
    let encoding: CharacterEncoding?
    /// A Boolean value that indicates whether the response declares no encoding other than UTF-8.
    var mayBeUTF8: Bool { encoding.map { $0 == .utf8 } ?? true }
    /// The name of a field whose effect a document without header fields would not have; `nil` if there is none.
    private(set) var inexpressible: String?

    /// Creates the fields of a response, or returns `nil` if the response is not an HTML document for display.
    init?(_ fields: HTTPFields) {
        guard let type = fields[.contentType], MediaType.essence(of: type) == "text/html",
            ["", "identity"].contains((fields[.contentEncoding] ?? "").asciiLowercased),
            fields[.contentDisposition].map({ FieldParameters($0).value.utf8.equalsIgnoringCase("attachment") }) != true
        else { return nil }
        encoding = FieldParameters(type)["charset"].flatMap(CharacterEncoding.init(label:))
        for field in fields {
            switch field.name.canonicalName {
            case "content-security-policy":
                policies.append(field.value)
                if Self.hasSandbox(field.value) { inexpressible = "Content-Security-Policy: sandbox" }
            case "referrer-policy": referrerPolicy = field.value
            case "content-language": contentLanguage = field.value
            case "refresh": refresh = field.value
            case "cross-origin-opener-policy" where field.value.asciiLowercased != "unsafe-none",
                "cross-origin-embedder-policy" where field.value.asciiLowercased != "unsafe-none",
                "clear-site-data":
                inexpressible = field.name.rawName
            default: break
            }
        }
    }

    private static func hasSandbox(_ policy: String) -> Bool {
        policy.split { $0 == ";" || $0 == "," }.contains { directive in
            directive.split(whereSeparator: \.isWhitespace).first.map { $0.utf8.equalsIgnoringCase("sandbox") } ?? false
        }
    }
}

/// The text of an HTML document.
enum DocumentText {
    /// The maximum number of bytes of a document that is given to the engine; 16 MB.
    static let limit = 16 << 20

    /// Returns the UTF-8 bytes without a byte order mark; `nil` if the document has another charset, or contains a NUL.
    ///
    /// The engine receives a text, so that `document.characterSet` is always UTF-8. It determines the encoding of forms
    /// and of URL queries, so that documents of other charsets must be loaded by the engine. A document in ASCII that
    /// declares no charset is an exception: a second request may cost more than an encoding that nobody has chosen.
    /// - Parameters:
    ///   - bytes: the body of the response.
    ///   - encoding: the encoding that the response declares; `nil` if there is none.
    ///   - assumesUTF8: a Boolean value that indicates whether a document without a charset is UTF-8.
    static func text(of bytes: [UInt8], encoding: CharacterEncoding?, assumesUTF8: Bool) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let isMarked = bytes.starts(with: mark)
        let encoding = encoding ?? HTMLPrescan.encoding(in: bytes)
        let isUTF8 = encoding.map { $0 == .utf8 } ?? (assumesUTF8 || bytes.allSatisfy { $0 < 0x80 })
        guard !bytes.contains(0), isMarked || isUTF8 else { return nil }
        return String(validUTF8: isMarked ? bytes[mark.count...] : bytes[...])
    }
}
