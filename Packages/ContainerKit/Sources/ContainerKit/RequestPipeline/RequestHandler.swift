// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import Prefetch
internal import PublicSuffixList
internal import ResourceLoading
@_spi(Facade) internal import SchemeMode
internal import SchemeRouter
internal import WebEngine

/// Answers requests in one mode. The file reads in the order of a request: resolve, decide, complete, answer, settle.
///
/// The traits of the engine state what has to be completed and settled; they are read once, when the handler is made. A
/// class, though it never changes, because each request holds it.
///
/// Isolation: any.
final class RequestHandler: Sendable {
    /// The parts that a handler is made of.
    struct Parts {
        var loaders: LoaderStack.Parts
        var policy: InterceptionPolicy
        var memory: MemoryBudget
        /// The name of the field that requests that the cookies of the response are in the engine's store before the page
        /// sees the response.
        var handOverField: String?
    }

    let policy: InterceptionPolicy
    private let names: SchemeNames
    private let traits: EngineTraits
    private let loaders: LoaderStack
    private let completion: RequestCompletion
    private let rewriteRecord: RewriteRecord
    private let documentRedirects: DocumentRedirects
    private let handOverField: HTTPField.Name?
    private let hasCache: Bool
    private let cacheSwitch: FeatureSwitch

    init(_ parts: Parts) {
        let (names, traits, policy) = (parts.loaders.names, parts.loaders.traits, parts.policy)
        let completion = RequestCompletion(names, sites: SuffixList(), acceptLanguage: traits.acceptLanguage)
        let (rewriteRecord, documentRedirects) = (RewriteRecord(), DocumentRedirects())
        self.names = names
        self.traits = traits
        self.policy = policy
        self.completion = completion
        self.rewriteRecord = rewriteRecord
        self.documentRedirects = documentRedirects
        handOverField = parts.handOverField.flatMap { HTTPField.Name($0) }
        hasCache = parts.loaders.cache != nil
        cacheSwitch = parts.loaders.cacheSwitch
        loaders = LoaderStack(parts.loaders) { loader in
            guard !traits.followsRedirects else { return loader }
            let followed = RedirectFollower(
                loader, names: names, documentRedirects: documentRedirects, sites: SuffixList(), completion: completion,
                opensByName: { policy.opensByName(documentAt: $0) })
            var options = RewritingLoader.Options()
            options.maxCheckedBytes = min(options.maxCheckedBytes, parts.memory.checked)
            return RewritingLoader(
                followed, names: names, options: options, hashing: IntegrityDigests(), rewriteRecord: rewriteRecord
            ) { url, page in
                guard let request = HTTPRequest(urlText: url) else { return false }
                // All of a page's own origin is served, also where it is named without its host.
                let document = url == page ? nil : HTTPRequest(urlText: page)
                return request.scheme == document?.scheme && request.authority == document?.authority
                    || policy.intercepts(request, page: page, isDocument: url == page)
            }
        }
    }

    var prefetch: PrefetchLoader? { loaders.prefetch }

    // MARK: 1 Resolve

    /// A request of the engine with its real URL, its page, and the decision about it, which stays as it is.
    struct ResolvedRequest: Sendable {
        fileprivate let request: ResourceRequest
        fileprivate let session: PageSession?
        fileprivate let disposition: Disposition
        /// Whether the body is known, or known to be missing.
        fileprivate let hasBody: Bool
        /// Whether a script has sent it; the engine keeps nothing of such responses.
        fileprivate let isOfScript: Bool
        /// The site of which the document of the script has proven to be.
        fileprivate let provenSite: String?
        /// Whether it is for a page of another mode, to whose custom-scheme URL a page has led.
        fileprivate let isOfOtherMode: Bool
        /// Whether its cookies are to be in the engine's store before the page sees the response.
        let wantsHandOver: Bool

        /// Whether it is for a document, the page's own or a frame's.
        var isDocument: Bool { [.document, .nestedDocument].contains(request.destination) }
    }

    /// Finds the real URL, the page and its attribution, and decides about the request.
    /// - Parameters:
    ///   - request: the request as the engine sends it, with a custom-scheme URL.
    ///   - session: the page of the request; `nil` if the engine does not say, or the page is closed.
    ///   - bridged: the body and credentials that the page's script has handed over.
    /// - Throws: `ResourceError` with code `invalidRequest` for a URL that is neither intercepted nor served to the page.
    func resolve(
        _ request: EngineRequest, for session: PageSession?, bridged: BridgedBody = BridgedBody()
    ) throws -> ResolvedRequest {
        var head = request.head
        guard let scheme = names.realScheme(for: head.scheme ?? "") else {
            throw ResourceError(.invalidRequest, "not a scheme of this container", at: head.urlText)
        }
        head.scheme = scheme
        head.path = head.path.map(names.realTarget)
        let wantsHandOver = removeHandOverField(from: &head)
        let page = request.isMainDocument ? head.urlText : session?.documentURL
        if !traits.preflights { head = try completion.checked(head, in: page) }
        let disposition = policy.disposition(of: head, page: page, isDocument: request.isMainDocument)
        let isOfOtherMode = request.isMainDocument && isOfOtherMode(head, for: session)
        guard disposition == .intercept || isOfOtherMode || isServed(head, to: session) else {
            throw ResourceError(.invalidRequest, "no rule covers this host", at: head.urlText)
        }
        var resolved = ResourceRequest(
            head, body: bridged.body ?? .empty,
            // What a script requests is no document, whatever `Accept` says: the script reads the response.
            destination: bridged.id == nil ? destination(of: request) : .subresource,
            mode: bridged.asksWithoutCORS ? .noCORS : .unknown, credentials: bridged.credentials,
            page: session.map { PageAttribution($0.reference, confidence: traits.identifiesPage ? .exact : .inferred) })
        resolved.followsRedirects = bridged.followsRedirects
        return ResolvedRequest(
            request: resolved, session: session, disposition: disposition, hasBody: bridged.body != nil,
            isOfScript: bridged.id != nil, provenSite: bridged.provenSite, isOfOtherMode: isOfOtherMode,
            wantsHandOver: wantsHandOver)
    }

    @discardableResult
    private func removeHandOverField(from head: inout HTTPRequest) -> Bool {
        guard let name = handOverField, head.headerFields.contains(name) else { return false }
        head.headerFields[name] = nil
        return true
    }

    private func destination(of request: EngineRequest) -> ResourceRequest.Destination {
        if request.isMainDocument { return .document }
        return request.head.asksForDocument ? .nestedDocument : .subresource
    }

    // MARK: 2 Decide

    /// Returns `true` if a page gets a URL by the custom scheme that is not intercepted now: one that a version covers on
    /// which the page stays, and all of the page's own origin and of origins that are covered in part, now or when the page
    /// got a custom-scheme URL of them, because relative URLs lead there. An open page goes on, whatever the rules become.
    private func isServed(_ head: HTTPRequest, to session: PageSession?) -> Bool {
        guard let session, session.mode != .plain else { return false }
        if policy.covers(head, for: session.reference) { return true }
        let document = HTTPRequest(urlText: session.documentURL)
        if document?.scheme == head.scheme, document?.authority == head.authority?.lowercased() { return true }
        return rewriteRecord.hasNames(on: head, for: session.id) || policy.hasNames(on: head)
    }

    /// Returns `true` if a page leads from its custom-scheme URL to a page that another mode opens. The page itself, also
    /// when it is loaded again, stays in its mode; so does what is posted, and what is of the page's own origin and named
    /// nowhere, because that is the mode in which the origin was opened.
    private func isOfOtherMode(_ head: HTTPRequest, for session: PageSession?) -> Bool {
        guard head.method == .get, let session, HTTPRequest(urlText: session.documentURL)?.urlText != head.urlText,
            policy.modes.areSeveral
        else { return false }
        if let named = policy.modes.named(for: head) { return named != .customScheme }
        return head.webOrigin != WebOrigin(url: session.documentURL) && policy.intendedMode(of: head) != .customScheme
    }

    /// Decides about a request that came over loopback, by the page that was inferred: rules that name pages are as
    /// reliable as that. Whether a package answers does not depend on it.
    private func disposition(ofLoopback request: ResourceRequest, askers: [String]?) -> Disposition {
        let page = request.destination == .document ? request.head.urlText : request.page?.page.documentURL
        return policy.disposition(
            of: request.head, page: page, isDocument: request.destination == .document, askers: askers)
    }

    // MARK: 3 Complete

    /// Restores what the engine loses on the way.
    /// - Throws: `ResourceError` with code `invalidRequest` if the engine has lost the body.
    private func complete(_ request: inout ResourceRequest, of resolved: ResolvedRequest) throws {
        if traits.preflights {
            names.restoreOriginFields(in: &request.head.headerFields)
        } else {
            completion.complete(&request, opener: opener(of: request, in: resolved.session))
            if request.mayComeFromOtherSite, let site = resolved.provenSite, let page = resolved.session?.documentURL {
                request.mayComeFromOtherSite = PageSite(of: page, sites: SuffixList())?.name != site
            }
        }
        guard traits.bodies != .all, !resolved.hasBody, request.head.mayCarryBody else { return }
        // Without its body the request would mean something else: it fails instead.
        throw ResourceError(.invalidRequest, "this engine loses the body of the request", at: request.head.urlText)
    }

    /// Returns the document that a request comes from; `nil` for a document that the app opens.
    private func opener(of request: ResourceRequest, in session: PageSession?) -> String? {
        guard let document = session?.documentURL, request.destination == .document else { return session?.documentURL }
        return HTTPRequest(urlText: document)?.urlText == request.head.urlText ? nil : document
    }

    // MARK: 4 Answer, and 5 settle

    // The loaders of the stack for pages settle what they answer: redirects, CORS, custom-scheme URLs, cookies.

    /// Answers a request of the engine from memory. It changes nothing.
    /// - Returns: `nil` if ``answer(_:)`` is to be called.
    func immediateResponse(to resolved: ResolvedRequest) -> ResourceResponse? {
        var request = resolved.request
        guard !resolved.disposition.forbidsContent, request.destination == .subresource else { return nil }
        // Completion is for servers, except for the origin to which a permission is given.
        if request.head.headerFields.contains(.origin) {
            guard (try? complete(&request, of: resolved)) != nil else { return nil }
        }
        guard case .known(let response) = loaders.page.immediateResponse(to: request) else { return nil }
        return response.map { limitingFreshness($0, to: resolved) }
    }

    /// Answers a request of the engine.
    nonisolated(nonsending) func answer(_ resolved: ResolvedRequest) async throws -> ResourceResponse {
        guard !resolved.isOfOtherMode else { return try .leading(to: resolved.request.head.urlText) }
        var request = resolved.request
        try complete(&request, of: resolved)
        let response = try await load(request, resolved.disposition, by: loaders.page, bypass: loaders.pageBypass)
        guard let response else {
            throw ResourceError(.internal, "no loader answered", at: request.head.urlText)
        }
        return limitingFreshness(response, to: resolved)
    }

    /// Answers the request for a file that is saved: with its bytes as they come, from wherever redirects lead, because only
    /// the app reads them.
    nonisolated(nonsending) func answer(saving resolved: ResolvedRequest) async throws -> ResourceResponse {
        var request = resolved.request
        try complete(&request, of: resolved)
        request.destination = .unknown
        request.isSaved = true
        var disposition = resolved.disposition
        for _ in 0...Redirect.limit {
            let loader = disposition.forbidsContent ? loaders.savedBypass : loaders.saved
            guard let response = try await loader.load(request) else {
                throw ResourceError(.internal, "no loader answered", at: request.head.urlText)
            }
            guard let redirect = try names.redirect(of: response.head, to: request.head) else { return response }
            guard request.head.scheme != "https" || redirect.target.hasPrefix("https:") else {
                throw ResourceError(.blocked, "redirect from https to http", at: redirect.target)
            }
            var hop = try redirect.following(request)
            completion.complete(&hop, after: request)
            request = hop
            disposition = policy.disposition(of: hop.head, page: resolved.session?.documentURL)
        }
        throw ResourceError(.tooManyRedirects, "more than \(Redirect.limit) redirects", at: request.head.urlText)
    }

    /// Answers a request that came over loopback from memory. The engine has resolved and completed it, and settles the
    /// response.
    /// - Parameter askers: the pages of which one has sent the request; `nil` if the inferred page is enough.
    func immediateResponse(loopback request: ResourceRequest, of askers: [String]? = nil) -> ImmediateResult {
        var request = request
        removeHandOverField(from: &request.head)
        let disposition = disposition(ofLoopback: request, askers: askers)
        return disposition.forbidsContent ? .later : loaders.page.immediateResponse(to: request)
    }

    /// Answers a request that came over loopback.
    /// - Parameter askers: as above.
    nonisolated(nonsending) func answer(
        loopback request: ResourceRequest, of askers: [String]? = nil
    ) async throws -> ResourceResponse? {
        var request = request
        removeHandOverField(from: &request.head)
        let disposition = disposition(ofLoopback: request, askers: askers)
        var response = try await load(request, disposition, by: loaders.page, bypass: loaders.pageBypass)
        // The engine keeps it under the URL of a package's file, which another page gets.
        if disposition == .bypass(.plainPage), isPackaged(request) { response?.head.demandRevalidation() }
        return response
    }

    private func isPackaged(_ request: ResourceRequest) -> Bool {
        policy.sources.cover(request.head) || request.page.map { policy.covers(request.head, for: $0.page) } ?? false
    }

    /// Answers a request of the app's own, which is whole; its session settles the response.
    nonisolated(nonsending) func answer(_ request: ResourceRequest) async throws -> ResourceResponse? {
        var request = request
        removeHandOverField(from: &request.head)
        let disposition = policy.disposition(of: request.head, page: nil)
        if request.head.headerFields[.cacheControl]?.contains("only-if-cached") == true,
            disposition.forbidsContent || !hasCache || !cacheSwitch.isOn
        {
            return Self.gatewayTimeout
        }
        return try await load(request, disposition, by: loaders.app, bypass: loaders.appBypass)
    }

    /// RFC 9111, section 5.2.1.7.
    private static var gatewayTimeout: ResourceResponse {
        ResourceResponse(
            head: HTTPResponse(status: .gatewayTimeout), body: .empty,
            provenance: Provenance(.synthetic, reason: "only-if-cached, and no cache"))
    }

    private nonisolated(nonsending) func load(
        _ request: ResourceRequest, _ disposition: Disposition, by loader: any ResourceLoader,
        bypass: any ResourceLoader
    ) async throws -> ResourceResponse? {
        guard disposition.forbidsContent else { return try await loader.load(request) }
        var response = try await bypass.load(request)
        response?.provenance.reason += "; \(disposition)"
        return response
    }

    private func limitingFreshness(_ response: ResourceResponse, to resolved: ResolvedRequest) -> ResourceResponse {
        guard !traits.caches, !resolved.isOfScript, resolved.request.destination == .subresource else {
            return response
        }
        var response = response
        response.head.limitFreshness()
        return response
    }

    // MARK: Pages

    /// Records that a page shows another document.
    func documentChanged(of session: PageSession) {
        completion.documentChanged(in: session.id, to: session.documentURL)
    }

    /// Records a frame of a page that the engine loads past the container.
    func recordFrame(of url: String, in session: PageSession) {
        completion.recordFrame(of: url, in: session.reference)
    }

    /// Removes the records of a page that is closed.
    func forget(_ page: PageID) {
        rewriteRecord.forget(page)
        documentRedirects.forget(page)
        completion.forget(page)
    }

    /// Returns `true` if a document in a frame may be shown below these real origins.
    func mayShow(documentAt url: String, below ancestors: [String]) -> Bool {
        completion.mayShow(documentAt: url, below: ancestors)
    }

    /// Returns the URL that a page of this mode has for a real URL: its custom-scheme URL, if the page would request it by
    /// that.
    func place(of url: String, in session: PageSession?) -> String {
        let isOwn = session.flatMap { WebOrigin(url: $0.documentURL) } == WebOrigin(url: url)
        return isOwn || policy.covers(url) ? names.name(of: url) ?? url : url
    }

    /// Returns `true` if a request of a page comes to the container and, as far as is known without reading, needs the
    /// network.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - page: the real URL of the page.
    ///   - isOriginBound: whether pages reach other origins past the container.
    func asksNetwork(_ request: HTTPRequest, of page: String, isOriginBound: Bool) -> Bool {
        let disposition = policy.disposition(of: request, page: page)
        let isOwn = request.webOrigin == WebOrigin(url: page)
        guard !disposition.forbidsContent, isOwn || disposition == .intercept && !isOriginBound else { return false }
        return ![.get, .head].contains(request.method) || !policy.lists(request)
    }

    /// Records the mode in which a document was shown, for the next pages of its origin.
    /// - Parameters:
    ///   - url: the real URL.
    ///   - isIntercepted: whether it was shown at its custom-scheme URL. A document is not recorded if it is at such a URL
    ///     although its mode has none, or plain because of the app's own rules or of remote config.
    func recordDocument(_ url: String, isIntercepted: Bool) {
        guard let origins = policy.origins, let request = HTTPRequest(urlText: url) else { return }
        if isIntercepted {
            guard policy.opensByName(documentAt: url) else { return }
        } else {
            guard policy.disposition(ofDocumentAt: url) == .bypass(.uncovered), !policy.hasNames(on: request) else {
                return
            }
        }
        origins.record(isIntercepted, of: url)
    }
}

extension HTTPRequest {
    /// Returns `true` if a request of an engine may have a body.
    fileprivate var mayCarryBody: Bool {
        // A typed array is sent without `Content-Type` and `Content-Length`, so these methods may always have a body.
        if [.post, .put, .patch].contains(method) { return true }
        // Engines send no body with these, though scripts set `Content-Type` on them.
        guard ![.get, .head, .options, .trace].contains(method) else { return false }
        return headerFields[.contentType] != nil || headerFields[.contentLength] != nil
    }
}
