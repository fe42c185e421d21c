// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading
internal import WebSyntax

/// Gives absolute URLs of covered hosts their names, in documents, style sheets and header fields, while they stream.
///
/// It goes directly around the loader that follows redirects, so that it sees what the engine sees, and learns where a
/// style sheet lies in the end: the engine would look for what it names relative to itself beside the URL asked for. Bodies must be decoded below it:
/// one with a `Content-Encoding` passes as it is. Answers of other types pass at the cost of a look at their fields.
///
/// A rewritten body has other bytes than its server's: `Content-Length`, digests and `Accept-Ranges` go, a strong `ETag`
/// becomes weak, and a range of it is answered by the whole (RFC 9110, section 14.2 permits that). What is to be saved
/// (`Content-Disposition: attachment`) stays as it is, unless an element asks for it as its style sheet. A style sheet whose
/// `integrity` was taken out of its page's document is checked against the bytes as they came, and fails on a mismatch.
public struct RewritingLoader: ResourceLoader {
    /// Whether the page's request for a real URL is answered under its name. Navigations ask for themselves.
    public typealias Covers = @Sendable (_ url: String, _ page: String) -> Bool

    private let base: any ResourceLoader
    private let names: SchemeNames
    private let options: Options
    private let hashing: (any IntegrityHashing)?
    private let covers: Covers
    private let rewriteRecord: RewriteRecord

    /// - Parameters:
    ///   - base: the loader that answers; the one that follows redirects, if there is one.
    ///   - names: the names that covered URLs get.
    ///   - options: the limits of the bytes that are held in memory.
    ///   - hashing: the digests for `integrity`; `nil`, the default, if every `integrity` stays, and the engine refuses
    ///     what was rewritten.
    ///   - rewriteRecord: one for all loaders that answer the same pages.
    ///   - covers: whether the page's request for a real URL is answered under its name.
    public init(
        _ base: any ResourceLoader, names: SchemeNames, options: Options = Options(),
        hashing: (any IntegrityHashing)? = nil, rewriteRecord: RewriteRecord = RewriteRecord(), covers: @escaping Covers
    ) {
        self.base = base
        self.names = names
        self.options = options
        self.hashing = hashing
        self.rewriteRecord = rewriteRecord
        self.covers = covers
    }

    nonisolated(nonsending) public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let isHeld = !demands(on: request).isEmpty
        guard var response = try await answer(isHeld ? request.unconditional : request) else { return nil }
        if response.isInterim { return response }
        let fields = RewrittenFields(response.head.headerFields, of: request)
        // Once more: the document may have demanded it meanwhile.
        let demands = demands(on: request)
        guard fields.type != nil || fields.hasURLs || !demands.isEmpty else { return response }

        let context = context(for: request, fields, at: response.finalURL ?? request.head.urlText)
        if fields.hasURLs { RewrittenFields.rewrite(&response.head.headerFields, in: context) }
        if !demands.isEmpty { try await check(&response, demands, of: request, fields) }
        guard let type = fields.type, !fields.isEncoded, !fields.isOpaque,
            ![204, 205, 304].contains(response.head.status.code)
        else {
            if fields.type != nil, response.head.status == .notModified {
                RewrittenFields.weaken(&response.head.headerFields)
            }
            return response
        }
        return try await rewritten(response, as: type, fields.charset, in: context, for: request)
    }

    /// What is neither rewritten nor checked.
    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        guard request.destination == .subresource, !request.head.asksForStyle,
            !request.head.headerFields.contains(.range),
            case .known(let found) = base.immediateResponse(to: request)
        else { return .later }
        guard let response = found, !response.isInterim else { return .known(found) }
        let fields = RewrittenFields(response.head.headerFields, of: request)
        guard fields.type == nil, !fields.hasURLs, demands(on: request).isEmpty else { return .later }
        return .known(response)
    }

    /// Loads the response as it comes, and all of it, not a range, if its type is rewritten.
    nonisolated(nonsending) private func answer(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let range = request.head.headerFields[.range] else { return try await base.load(request) }
        var whole = request
        whole.head.headerFields[.range] = nil
        whole.head.headerFields[.ifRange] = nil
        // The type of several parts says nothing of what they are parts of.
        if range.utf8.contains(UInt8(ascii: ",")) { return try await base.load(whole) }
        guard let answer = try await base.load(request) else { return nil }
        let head = answer.head
        // The type of a 416 is that of its error page.
        guard head.status == .partialContent,
            case let fields = RewrittenFields(head.headerFields, of: request), fields.type != nil, !fields.isEncoded,
            case .empty = request.body
        else { return answer }
        return try await base.load(whole)
    }

    /// - Parameter place: where the answer came from in the end.
    private func context(
        for request: ResourceRequest, _ fields: RewrittenFields, at place: String
    ) -> RewritingContext {
        let asked = RealURL.canonical(request.head.urlText) ?? request.head.urlText
        let page = request.destination == .document ? asked : request.page?.page.documentURL ?? asked
        let id = request.page?.page.id
        var context = RewritingContext(names: names, url: asked, page: page) { [covers, rewriteRecord] url, page in
            guard covers(url, page) else { return false }
            if let id { rewriteRecord.recordName(of: url, for: id) }
            return true
        }
        context.upgradesInsecureRequests = fields.upgradesInsecureRequests
        context.hasCharset = fields.charset != nil
        context.hasTwoByteLetters = fields.charset == .twoByte
        guard fields.type == .styleSheet else { return context }
        if place != request.head.urlText {
            context.asked = asked
            context.url = URLSpelling.strict(place)
        }
        context.environment = id.flatMap { rewriteRecord.charset(of: $0) }
        return context
    }

    /// Off the caller's thread: a document takes its time.
    @concurrent
    private func rewritten(
        _ response: ResourceResponse, as type: RewrittenType, _ charset: TextCharset?, in context: RewritingContext,
        for request: ResourceRequest
    ) async throws -> ResourceResponse {
        var response = response
        RewrittenFields.forget(&response.head.headerFields)
        var rewriter: any TextRewriting
        switch type {
        case .styleSheet: rewriter = CSSRewriter(context)
        case .document(let syntax):
            var document = HTMLRewriter(
                context, syntax: syntax, limits: options.document, remember: remember(for: request))
            document.announce = announcement(for: request, charset)
            rewriter = document
        }
        switch response.body {
        case .empty: return response
        case .bytes(let data) where data.count <= options.maxImmediateBytes:
            response.body = .bytes(rewriter.rewrite(data))
        case .file(let slice) where slice.range.count <= options.maxImmediateBytes:
            response.body = .bytes(rewriter.rewrite(try slice.read()))
        default: response.body = .stream(ByteStream(RewrittenBody(response.body, by: rewriter)))
        }
        if let length = response.body.length { response.head.headerFields[.contentLength] = String(length) }
        return response
    }

    /// A page's new document begins anew, and says what charset its style sheets have.
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

    /// Nothing that must be right depends on a guess: where the page is not known for sure, `integrity` stays.
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

    /// Holds the bytes of a style sheet until they are known to be right.
    private func check(
        _ response: inout ResourceResponse, _ demands: [IntegrityMetadata], of request: ResourceRequest,
        _ fields: RewrittenFields
    ) async throws {
        // Of an error the engine takes nothing.
        guard response.head.status.code < 400, let hashing else { return }
        let url = request.head.urlText
        guard !fields.isEncoded, ![.partialContent, .notModified].contains(response.head.status) else {
            throw ResourceError(.blocked, "integrity of a partial or encoded body", at: url)
        }
        let data = try await response.body.collect(upTo: options.maxCheckedBytes)
        guard demands.allSatisfy({ $0.matches(data, by: hashing) }) else {
            throw ResourceError(.blocked, "the body does not match the integrity attribute", at: url)
        }
        response.body = .bytes(data)
    }
}

extension ResourceRequest {
    /// Asks for the bytes themselves.
    fileprivate var unconditional: ResourceRequest {
        var request = self
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .range, .ifRange] {
            request.head.headerFields[name] = nil
        }
        return request
    }
}

extension RewritingLoader {
    /// How much is held in memory.
    public struct Options: Sendable, Hashable {
        /// A body of so many bytes that is in memory or in a file is rewritten at once, and keeps a length. Default: 256 KiB.
        public var maxImmediateBytes = 256 << 10
        /// A style sheet whose bytes are checked is held whole; a larger one fails. Default: 16 MiB.
        public var maxCheckedBytes = 16 << 20
        /// Of documents.
        var document = HTMLRewriter.Limits()

        public init() {}
    }
}
