// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading
internal import WebSyntax

/// A loader that replaces absolute URLs of covered hosts with custom-scheme URLs in documents, style sheets and header
/// fields, while they stream.
///
/// It directly wraps the loader that follows redirects, so it receives final responses with their final URLs. The
/// engine would resolve the relative URLs of a redirected style sheet against the requested URL. The base loader must
/// decode bodies: a body with a `Content-Encoding` is not rewritten. For responses of other types, only the fields are
/// read.
///
/// A rewritten body differs from the server's bytes. `Content-Length`, digests and `Accept-Ranges` are removed, a
/// strong `ETag` becomes weak, and a range request gets the complete body (RFC 9110, section 14.2, permits this). An
/// attachment (`Content-Disposition: attachment`) is unchanged, unless an element requests it as a style sheet. A
/// style sheet whose `integrity` was removed from the page's document is checked against the unrewritten bytes; a
/// mismatch is an error.
public struct RewritingLoader: ResourceLoader {
    /// A closure that returns whether a page's request for a real URL is handled under its custom-scheme URL. The page
    /// of a navigation is the requested document.
    public typealias Covers = @Sendable (_ url: String, _ page: String) -> Bool

    /// The maximum size in bytes of a body that is rewritten at once, and therefore has a `Content-Length`. It applies
    /// to bodies in memory or in a file; other bodies are streamed.
    private static let maxImmediateBytes = 256 << 10

    private let base: any ResourceLoader
    private let names: SchemeNames
    /// The default maximum size of a checked style sheet: 16 MB.
    public static let standardCheckedBytes = 16 << 20
    private let maxCheckedBytes: Int
    private let hashing: (any IntegrityHashing)?
    private let covers: Covers
    private let rewriteRecord: RewriteRecord

    /// Creates a loader.
    /// - Parameters:
    ///   - base: The base loader: the loader that follows redirects, if the engine does not follow them.
    ///   - names: The custom schemes that covered URLs receive.
    ///   - maxCheckedBytes: The maximum size in bytes of a checked style sheet, which is completely in memory. A larger
    ///     style sheet is an error.
    ///   - hashing: The provider of digests for `integrity`. With `nil`, the default, every `integrity` stays in the
    ///     document, and the engine refuses rewritten style sheets.
    ///   - completion: The completion of the requests, which holds the state of pages, shared by all loaders of the
    ///     same pages.
    ///   - covers: A closure that returns whether a page's request for a real URL is handled under its custom-scheme
    ///     URL.
    public init(
        _ base: any ResourceLoader, names: SchemeNames, maxCheckedBytes: Int = standardCheckedBytes,
        hashing: (any IntegrityHashing)? = nil, completion: RequestCompletion? = nil, covers: @escaping Covers
    ) {
        self.base = base
        self.names = names
        self.maxCheckedBytes = maxCheckedBytes
        self.hashing = hashing
        rewriteRecord = completion?.rewriteRecord ?? RewriteRecord()
        self.covers = covers
    }

    nonisolated(nonsending) public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let isHeld = !demands(on: request).isEmpty
        guard var response = try await answer(isHeld ? request.unconditional : request) else { return nil }
        if response.isInterim { return response }
        let fields = RewrittenFields(response.head.headerFields, of: request)
        // Read again, because the document may have set requirements in the meantime.
        let demands = demands(on: request)
        guard fields.type != nil || fields.hasURLs || !demands.isEmpty else { return response }

        let context = context(for: request, fields, at: response.finalURL ?? request.head.urlText)
        if fields.hasURLs { RewrittenFields.rewrite(&response.head.headerFields, in: context) }
        if !demands.isEmpty { try await check(&response, demands, of: request, fields) }
        guard let type = fields.type, !fields.isEncoded, !fields.isOpaque,
            ![204, 205, 304].contains(response.head.status.code)
        else {
            if fields.type != nil, response.head.status == .notModified {
                RewrittenFields.weakenEntityTag(&response.head.headerFields)
            }
            return response
        }
        return try await rewritten(response, as: type, fields.charset, in: context, for: request)
    }

    /// Returns an immediate response that is neither rewritten nor checked.
    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        guard request.destination == .subresource, !request.head.isStyleRequest,
            !request.head.headerFields.contains(.range),
            case .known(let found) = base.immediateResponse(to: request)
        else { return .later }
        guard let response = found, !response.isInterim else { return .known(found) }
        let fields = RewrittenFields(response.head.headerFields, of: request)
        guard fields.type == nil, !fields.hasURLs, demands(on: request).isEmpty else { return .later }
        return .known(response)
    }

    /// Loads the response. A range request for a type that is rewritten gets the complete response.
    nonisolated(nonsending) private func answer(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let range = request.head.headerFields[.range] else { return try await base.load(request) }
        var whole = request
        whole.head.headerFields[.range] = nil
        whole.head.headerFields[.ifRange] = nil
        // The type of a multipart response does not show the type of the representation.
        if range.utf8.contains(UInt8(ascii: ",")) { return try await base.load(whole) }
        guard let answer = try await base.load(request) else { return nil }
        let head = answer.head
        // The type of a 416 response is the type of its error page.
        guard head.status == .partialContent,
            case let fields = RewrittenFields(head.headerFields, of: request), fields.type != nil, !fields.isEncoded,
            case .empty = request.body
        else { return answer }
        return try await base.load(whole)
    }

    /// Creates the context of a response.
    /// - Parameter place: The final URL of the response.
    private func context(
        for request: ResourceRequest, _ fields: RewrittenFields, at place: String
    ) -> RewritingContext {
        let requestedURL = RealURL.canonical(request.head.urlText) ?? request.head.urlText
        let page = request.destination == .document ? requestedURL : request.page?.page.documentURL ?? requestedURL
        let id = request.page?.page.id
        var context = RewritingContext(names: names, url: requestedURL, page: page) {
            [covers, rewriteRecord] url, page in
            guard covers(url, page) else { return false }
            if let id { rewriteRecord.recordName(of: url, for: id) }
            return true
        }
        context.upgradesInsecureRequests = fields.upgradesInsecureRequests
        context.hasCharset = fields.charset != nil
        context.hasTwoByteLetters = fields.charset == .twoByte
        guard fields.type == .styleSheet else { return context }
        if place != request.head.urlText {
            context.requestedURL = requestedURL
            context.url = URLSpelling.strict(place)
        }
        context.environment = id.flatMap { rewriteRecord.charset(of: $0) }
        return context
    }

    /// Runs on the concurrent executor, because rewriting a document takes time.
    @concurrent
    private func rewritten(
        _ response: ResourceResponse, as type: RewrittenType, _ charset: TextCharset?, in context: RewritingContext,
        for request: ResourceRequest
    ) async throws -> ResourceResponse {
        var response = response
        RewrittenFields.removeStaleFields(&response.head.headerFields)
        var rewriter: any TextRewriting
        switch type {
        case .styleSheet: rewriter = CSSRewriter(context)
        case .document(let syntax):
            var document = HTMLRewriter(context, syntax: syntax, remember: remember(for: request))
            document.announce = announcement(for: request, charset)
            rewriter = document
        }
        switch response.body {
        case .empty: return response
        case .bytes(let data) where data.count <= Self.maxImmediateBytes:
            response.body = .bytes(rewriter.rewrite(data))
        case .file(let slice) where slice.range.count <= Self.maxImmediateBytes:
            response.body = .bytes(rewriter.rewrite(try slice.read()))
        default: response.body = .stream(ByteStream(RewrittenBody(response.body, by: rewriter)))
        }
        if let length = response.body.length { response.head.headerFields[.contentLength] = String(length) }
        return response
    }

    /// Resets the state for a page's new document. Returns a closure that records the charset of the document, which
    /// also applies to its style sheets.
    private func announcement(for request: ResourceRequest, _ charset: TextCharset?) -> (
        @Sendable (TextCharset) -> Void
    )? {
        guard request.destination == .document, request.head.method == .get, let page = request.page,
            page.confidence == .exact
        else { return nil }
        let id = page.page.id
        rewriteRecord.begin(id, charset: charset)
        return { [rewriteRecord] in rewriteRecord.record($0, of: id) }
    }

    // MARK: Integrity

    /// Returns a closure that records the `integrity` of a page's style sheets. Returns `nil` if the request is not for
    /// the document of an exactly known page; the attributes then stay in the document.
    private func remember(for request: ResourceRequest) -> HTMLRewriter.Remember? {
        guard hashing != nil, request.destination == .document, request.head.method == .get, let page = request.page,
            page.confidence == .exact
        else { return nil }
        let id = page.page.id
        return { [rewriteRecord] url, metadata in rewriteRecord.record(url, metadata, of: id) }
    }

    private func demands(on request: ResourceRequest) -> [IntegrityMetadata] {
        guard hashing != nil, request.destination != .document, request.head.method == .get, let page = request.page,
            rewriteRecord.hasDemands(of: page.page.id), let url = RealURL.canonical(request.head.urlText)
        else { return [] }
        return rewriteRecord.demands(on: url, of: page.page.id)
    }

    /// Reads a complete style sheet and checks its digest.
    private func check(
        _ response: inout ResourceResponse, _ demands: [IntegrityMetadata], of request: ResourceRequest,
        _ fields: RewrittenFields
    ) async throws {
        // The engine uses no style sheet of an error response.
        guard response.head.status.code < 400, let hashing else { return }
        let url = request.head.urlText
        guard !fields.isEncoded, ![.partialContent, .notModified].contains(response.head.status) else {
            throw ResourceError(.blocked, "integrity of a partial or encoded body", at: url)
        }
        let data = try await response.body.collect(upTo: maxCheckedBytes)
        guard demands.allSatisfy({ $0.matches(data, by: hashing) }) else {
            throw ResourceError(.blocked, "the body does not match the integrity attribute", at: url)
        }
        response.body = .bytes(data)
    }
}

extension ResourceRequest {
    /// The request without preconditions and ranges.
    fileprivate var unconditional: ResourceRequest {
        var request = self
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .range, .ifRange] {
            request.head.headerFields[name] = nil
        }
        return request
    }
}
