// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

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
