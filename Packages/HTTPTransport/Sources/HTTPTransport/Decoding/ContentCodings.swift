// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The content codings of a body that can be removed: gzip, its alias x-gzip, and deflate (RFC 9110, section 8.4.1),
/// and br, which is Brotli (RFC 7932).
struct ContentCodings: Equatable {
    enum Coding: Equatable {
        case gzip
        case deflate
        case brotli
    }

    /// The removable codings, in the order of removal.
    let removable: [Coding]
    /// The value of `Content-Encoding` after removal; `nil` if no coding remains.
    let rest: String?

    /// Parses `Content-Encoding`, which lists the codings in the order of application. Codings before an unknown coding
    /// remain.
    /// - Throws: `ResourceError` with code `tooLarge` if there are more than `limit` codings.
    init(_ fields: HTTPFields, limit: Int, at url: String) throws(ResourceError) {
        var names: [Substring] = []
        for name in FieldList.members(of: fields[values: .contentEncoding])
        where !name.utf8.equalsIgnoringCase("identity") {
            names.append(name)
            guard names.count <= limit else {
                throw ResourceError(.tooLarge, "more than \(limit) content codings", at: url)
            }
        }
        var removable: [Coding] = []
        while let coding = names.last.flatMap({ Self.coding($0.asciiLowercased) }) {
            removable.append(coding)
            names.removeLast()
        }
        self.removable = removable
        rest = names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// Returns a Boolean value that indicates whether a member of `Accept-Encoding`, which may have a weight (RFC 9110,
    /// section 12.5.3), names a removable coding or `identity`.
    static func accepts(_ member: Substring) -> Bool {
        // The weight is found by its byte: U+037E GREEK QUESTION MARK equals a semicolon as a character.
        let name = Substring(member.utf8.prefix { $0 != UInt8(ascii: ";") }).trimmingFieldWhitespace.asciiLowercased
        return name == "identity" || coding(name) != nil
    }

    private static func coding(_ name: String) -> Coding? {
        switch name {
        case "gzip", "x-gzip": .gzip
        case "deflate": .deflate
        case "br": .brotli
        default: nil
        }
    }
}

/// The shared implementation of ``DecodingTransport`` and ``DecodingLoader``: requests and removes known codings.
struct BodyDecoding: Sendable {
    let limits: DecodingLimits

    /// Returns the request with an `Accept-Encoding` of codings that can be removed.
    ///
    /// A value of the request is kept, without the codings that cannot be removed (such as `zstd`) and without `*`. A
    /// request without a value accepts all codings, but Brotli over https only, as in engines: some intermediaries of
    /// http damage codings that they do not know. A range request accepts only `identity` (Fetch, HTTP-network-or-cache
    /// fetch), because a part of an encoded body cannot be decoded.
    func addingAcceptEncoding(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        if request.headerFields[.range] != nil {
            request.headerFields[.acceptEncoding] = "identity"
        } else if request.headerFields[.acceptEncoding] == nil {
            request.headerFields[.acceptEncoding] = request.scheme == "https" ? "gzip, deflate, br" : "gzip, deflate"
        } else {
            let members = FieldList.members(of: request.headerFields[values: .acceptEncoding])
            let known = members.filter(ContentCodings.accepts)
            if known.isEmpty {
                request.headerFields[.acceptEncoding] = "identity"
            } else if known.count < members.count {
                request.headerFields[.acceptEncoding] = known.joined(separator: ", ")
            }
        }
        return request
    }

    /// Removes the known codings, and the header fields that describe the encoded bytes. A partial response (206) is
    /// not changed.
    /// - Throws: `ResourceError` with code `tooLarge` if there are too many codings.
    func decode(_ head: inout HTTPResponse, _ body: inout ResourceBody, of request: HTTPRequest) throws {
        guard head.status != .partialContent, head.headerFields[.contentEncoding] != nil else { return }
        let codings = try ContentCodings(head.headerFields, limit: limits.codings, at: request.urlText)
        head.headerFields[.contentEncoding] = codings.rest
        guard !codings.removable.isEmpty else { return }
        head.headerFields[.contentLength] = nil
        guard request.method != .head, let chunks = BodyChunks(body) else { return }
        body = .stream(ByteStream(DecodedBody(chunks, codings.removable, limits: limits, url: request.urlText)))
    }
}
