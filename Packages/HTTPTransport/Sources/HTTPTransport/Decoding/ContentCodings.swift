// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The codings of a body that can be removed (RFC 9110, section 8.4): gzip, its alias x-gzip, and deflate.
struct ContentCodings: Equatable {
    enum Coding: Equatable {
        case gzip
        case deflate
    }

    /// What can be removed, in the order of removal.
    let removable: [Coding]
    /// What is left after that, as the head should name it; `nil` for nothing.
    let rest: String?

    /// Reads `Content-Encoding`, in which the last coding was applied last. What is beneath an unknown coding stays.
    /// - Throws: `ResourceError` with code `tooLarge` for more codings than `limit`.
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
        while let coding = names.last.flatMap({ Self.coding($0.lowercased()) }) {
            removable.append(coding)
            names.removeLast()
        }
        self.removable = removable
        rest = names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private static func coding(_ name: String) -> Coding? {
        switch name {
        case "gzip", "x-gzip": .gzip
        case "deflate": .deflate
        default: nil
        }
    }
}

/// What both decorators do: ask for codings that can be removed, and remove them.
struct BodyDecoding: Sendable {
    let limits: DecodingLimits

    /// The request as it goes on: it accepts what can be decoded, and nothing else.
    ///
    /// A part of an encoded body cannot be decoded, so where a part is asked for it is asked for as it is (Fetch,
    /// HTTP-network-or-cache fetch: `Range`). Who asks for no coding gets none.
    func asking(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        let wished = request.headerFields[.acceptEncoding].map { $0.filter { !$0.isWhitespace }.lowercased() }
        let isPlain = request.headerFields[.range] != nil || wished == "identity"
        request.headerFields[.acceptEncoding] = isPlain ? "identity" : "gzip, deflate"
        return request
    }

    /// Removes the codings that are known, and the fields that speak of the encoded bytes. A part (206) stays as it is.
    /// - Throws: `ResourceError` with code `tooLarge` for too many codings.
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
