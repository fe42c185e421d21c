// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import HTTPCache
internal import HTTPSemantics
internal import HTTPTransport
internal import HTTPTypes
internal import OfflinePackage
internal import Prefetch
internal import PublicSuffixList
internal import ResourceLoading
internal import ResourceTable
internal import SchemeMode
internal import SchemeRouter
internal import WebEngine

/// The way of one request, in the order in which it goes.
///
/// What has to be completed and settled is not guessed: it is read from the engine's traits, once, when the path is
/// built. An object, though it never changes: each request takes it along, and it has some twenty parts.
final class RequestHandler: Sendable {
    private let names: SchemeNames
    private let traits: EngineTraits
    let library: PackageLibrary
    let interceptionPolicy: InterceptionPolicy
    private let completion: RequestCompletion
    private let rewriteRecord: RewriteRecord
    private let documentRedirects: DocumentRedirects
    let chain: any ResourceLoader
    /// For what the rules keep from the container.
    let direct: any ResourceLoader
    /// For files that are saved: as they came, redirects too.
    private let unsettled: any ResourceLoader
    private let unsettledDirect: any ResourceLoader
    /// For the app's own requests, which no web's rules bind.
    private let appChain: any ResourceLoader
    private let appDirect: any ResourceLoader
    /// Whether the HTTP cache may answer now.
    private let hasCache: @Sendable () -> Bool
    /// What asks ahead of pages, where that is wanted.
    let prefetch: PrefetchLoader?
    /// Says that an answer waits for its cookies; it goes no further.
    private let handOverField: HTTPField.Name?

    init(
        names: SchemeNames, traits: EngineTraits, interceptionPolicy: InterceptionPolicy, network: NetworkLoader,
        cache: CachingLoader?,
        isCacheOfOthers: Bool = false, fileAnswers: FileAnswerOptions, cookies: PageCookies?,
        handOverField: String?, memory: MemoryBudget, prefetchSetup: Prefetcher.Setup? = nil
    ) {
        let (library, updater, table) = (
            interceptionPolicy.library, interceptionPolicy.updater, interceptionPolicy.table
        )
        let (previews, switches) = (interceptionPolicy.previews, interceptionPolicy.switches)
        self.names = names
        self.handOverField = handOverField.flatMap { HTTPField.Name($0) }
        self.traits = traits
        self.library = library
        completion = RequestCompletion(names, sites: SuffixList(), acceptLanguage: traits.acceptLanguage)
        self.interceptionPolicy = interceptionPolicy

        // 3 Answer it: the first loader that has it.
        var packaged: [any ResourceLoader] = [.previews(previews, network: network)]
        packaged.append(SwitchedLoader(switches[.packages], on: .package(library)))
        // Of two versions that arrive one after the other a page gets files of one, for which it has to be known.
        if traits.identifiesPage {
            let partial = PartialLoader.partial(updater, sizeLimit: Int64(memory.partial))
            packaged.append(SwitchedLoader(switches[.packages], on: partial))
        }
        var loaders: [any ResourceLoader] = [.settled(LoaderChain(packaged), options: fileAnswers.semantics)]
        if let table {
            loaders.append(
                SwitchedLoader(
                    switches[.resourceTable],
                    on: .settled(.resourceTable(table), options: Self.ofTables)))
        }
        let permissions = PreflightCache()
        let asking = { (network: any ResourceLoader) -> any ResourceLoader in
            if traits.preflights { return network }
            return PreflightLoader(network, names: names, cache: permissions)
        }
        let completing = { (asked: any ResourceLoader) -> any ResourceLoader in
            cookies.map { CookieSendingLoader(asked, cookies: $0) } ?? asked
        }
        // Previews, packages and tables ask the network themselves: what they fetch is kept by them, or by nobody.
        let storing: any ResourceLoader = cookies.map { CookieStoringLoader(network, cookies: $0) } ?? network
        let passedOfApp: any ResourceLoader = cache.map { BypassLoader(network: storing, cache: $0) } ?? storing
        let passed = isCacheOfOthers ? storing : passedOfApp
        let decoding = { (answer: any ResourceLoader) -> any ResourceLoader in
            traits.decodes ? DecodingLoader(answer) : answer
        }
        let cached = { (other: any ResourceLoader) -> any ResourceLoader in
            guard let cache else { return other }
            return SwitchedLoader(switches[.httpCache], on: cache, off: passedOfApp)
        }
        appChain = decoding(LoaderChain(loaders + [CloseDelimitedLoader(cached(network))]))
        appDirect = decoding(CloseDelimitedLoader(passedOfApp))
        hasCache = { cache != nil && switches.isOn(.httpCache) }
        // An engine that keeps answers itself does so by the rules of HTTP; two caches would hold everything twice.
        let source: any ResourceLoader = traits.caches ? storing : cached(storing)
        // What is fetched ahead is asked for as by the page: below the page's cookies, by which it is told apart.
        let beneath: any ResourceLoader =
            if traits.preflights { PrefetchPreflightLoader(source, cache: permissions) } else { asking(source) }
        prefetch = prefetchSetup.map {
            PrefetchLoader(next: beneath, completing: $0.completion, configuration: $0.configuration)
        }
        loaders.append(CloseDelimitedLoader(completing(prefetch ?? asking(source))))

        // 4 Settle it: what the engine does not do.
        let rewriteRecord = RewriteRecord()
        self.rewriteRecord = rewriteRecord
        let documentRedirects = DocumentRedirects()
        self.documentRedirects = documentRedirects
        let completion = completion
        let settle = { (answer: any ResourceLoader) -> any ResourceLoader in
            guard !traits.followsRedirects else { return answer }
            let followed = RedirectFollower(
                answer, names: names, documentRedirects: documentRedirects, sites: SuffixList(), completion: completion,
                opensByName: { interceptionPolicy.opensByName(documentAt: $0) })
            return RewritingLoader(
                followed, names: names, options: Self.rewriting(within: memory), hashing: IntegrityDigests(),
                rewriteRecord: rewriteRecord
            ) { url, page in
                guard let request = HTTPRequest(urlText: url) else { return false }
                // All of a page's own origin is served, as where it is named without its host.
                let document = url == page ? nil : HTTPRequest(urlText: page)
                return request.scheme == document?.scheme && request.authority == document?.authority
                    || interceptionPolicy.decide(request, page: page, isDocument: url == page).action == .intercept
            }
        }
        unsettled = LoaderChain(loaders)
        unsettledDirect = CloseDelimitedLoader(completing(asking(passed)))
        chain = settle(unsettled)
        direct = settle(unsettledDirect)
    }

    /// A table says the types of its files as its server would, and what is filled on first use is a whole file, too.
    private static var ofTables: SemanticsLoader.Options {
        var options = SemanticsLoader.Options()
        options.sources.insert(.network)
        return options
    }

    private static func rewriting(within memory: MemoryBudget) -> RewritingLoader.Options {
        var options = RewritingLoader.Options()
        options.maxCheckedBytes = min(options.maxCheckedBytes, memory.checked)
        return options
    }

    /// Forgets what was noted for a page that is closed.
    func forget(_ page: PageID) {
        rewriteRecord.forget(page)
        documentRedirects.forget(page)
        completion.forget(page)
    }

    /// Notes that a page shows another document.
    func documentChanged(of session: PageSession) {
        completion.documentChanged(in: session.id, to: session.documentURL)
    }

    /// Notes a frame of a page that the engine loads past the container.
    func recordFrame(of url: String, in session: PageSession) {
        completion.recordFrame(of: url, in: session.reference)
    }

    /// Returns a Boolean value that indicates whether a document that a frame has been given may be shown below these real
    /// origins.
    func mayShow(documentAt url: String, below ancestors: [String]) -> Bool {
        completion.mayShow(documentAt: url, below: ancestors)
    }

    /// Whether a request for this real URL is intercepted.
    func covers(_ url: String) -> Bool {
        interceptionPolicy.contains(url)
    }

    /// The URL as a page of this mode knows it: by its name, where the page would ask for it by that.
    func place(of url: String, in session: PageSession?) -> String {
        let isOwn = session.flatMap { WebOrigin(url: $0.documentURL) } == WebOrigin(url: url)
        return isOwn || covers(url) ? names.name(of: url) ?? url : url
    }

    /// Whether a request of a page comes here, and goes on to the network as far as that is known from memory.
    /// - Parameter isOriginBound: whether pages reach other origins past the container.
    func asksNetwork(_ request: HTTPRequest, of page: String, isOriginBound: Bool) -> Bool {
        let decision = interceptionPolicy.decide(request, page: page)
        let isOwn = request.webOrigin == WebOrigin(url: page)
        guard !isBypassed(decision), isOwn || decision.action == .intercept && !isOriginBound else { return false }
        return ![.get, .head].contains(request.method) || !interceptionPolicy.isListed(request)
    }

    /// Whether a request of the app's own is intercepted.
    func covers(_ request: HTTPRequest) -> Bool {
        interceptionPolicy.decide(request, page: nil).action == .intercept
    }

    /// Answers a request of the app's own: named already, whole, and settled by its session.
    nonisolated(nonsending) func answer(_ request: ResourceRequest) async throws -> ResourceResponse? {
        var request = request
        removeHandOverField(from: &request.head)
        let decision = interceptionPolicy.decide(request.head, page: nil)
        if request.head.headerFields[.cacheControl]?.contains("only-if-cached") == true,
            isBypassed(decision) || !hasCache()
        {
            return Self.nothingKept
        }
        guard isBypassed(decision) else { return try await appChain.load(request) }
        var response = try await appDirect.load(request)
        response?.provenance.reason += "; \(decision)"
        return response
    }

    /// RFC 9111, section 5.2.1.7.
    private static var nothingKept: ResourceResponse {
        ResourceResponse(
            head: HTTPResponse(status: .gatewayTimeout), body: .empty,
            provenance: Provenance(.synthetic, reason: "only-if-cached, and no cache"))
    }

    /// A request of the engine that has its real URL, and whose it is, which stays decided.
    struct ResolvedRequest: Sendable {
        fileprivate let request: ResourceRequest
        fileprivate let session: PageSession?
        fileprivate let decision: RouteDecision
        /// Whether it is known what its body is.
        fileprivate let hasBody: Bool
        /// Whether a script asks, of whose answers the engine keeps nothing.
        fileprivate let isOfScript: Bool
        /// The site that the document of the script that asks has proven to be of.
        fileprivate let provenSite: String?
        /// Whether it is for a document, the page's own or a frame's.
        var isDocument: Bool { [.document, .nestedDocument].contains(request.destination) }
        /// Whether it is for a page of another mode, which a page by the scheme has led to its name.
        fileprivate let isOfOtherMode: Bool
        /// Whether its cookies are to be in the engine's store before the page sees the answer.
        let wantsHandOver: Bool
    }

    /// Answers a request of the engine from memory; `nil` for the rest, which ``answer(_:)`` has. It changes nothing.
    func immediateResponse(to named: ResolvedRequest) -> ResourceResponse? {
        var request = named.request
        guard !isBypassed(named.decision), request.destination == .subresource else { return nil }
        // What completes a request is for servers, but for the origin that a permission is given to.
        if request.head.headerFields.contains(.origin) {
            guard (try? complete(&request, of: named)) != nil else { return nil }
        }
        guard case .known(let response) = chain.immediateResponse(to: request) else { return nil }
        return response.map { limited($0, to: named) }
    }

    /// Answers a request of the engine.
    nonisolated(nonsending) func answer(_ named: ResolvedRequest) async throws -> ResourceResponse {
        guard !named.isOfOtherMode else { return try .leading(to: named.request.head.urlText) }
        var request = named.request
        try complete(&request, of: named)
        let isPassed = isBypassed(named.decision)
        guard var response = try await (isPassed ? direct : chain).load(request) else {
            throw ResourceError(.internal, "no loader answered", at: request.head.urlText)
        }
        if isPassed { response.provenance.reason += "; \(named.decision)" }
        return limited(response, to: named)
    }

    /// Answers the request for a file that is saved: its bytes as they came, and from wherever redirects lead, as nobody but
    /// the host reads them.
    nonisolated(nonsending) func answer(saving named: ResolvedRequest) async throws -> ResourceResponse {
        var request = named.request
        try complete(&request, of: named)
        request.destination = .unknown
        request.isSaved = true
        var decision = named.decision
        for _ in 0...Redirect.limit {
            let chain = isBypassed(decision) ? unsettledDirect : unsettled
            guard let response = try await chain.load(request) else {
                throw ResourceError(.internal, "no loader answered", at: request.head.urlText)
            }
            guard let redirect = try names.redirect(of: response.head, to: request.head) else { return response }
            guard request.head.scheme != "https" || redirect.target.hasPrefix("https:") else {
                throw ResourceError(.blocked, "redirect from https to http", at: redirect.target)
            }
            var hop = try redirect.following(request)
            completion.complete(&hop, after: request)
            request = hop
            decision = interceptionPolicy.decide(hop.head, page: named.session?.documentURL)
        }
        throw ResourceError(.tooManyRedirects, "more than \(Redirect.limit) redirects", at: request.head.urlText)
    }

    private func limited(_ response: ResourceResponse, to named: ResolvedRequest) -> ResourceResponse {
        guard !traits.caches, !named.isOfScript, named.request.destination == .subresource else { return response }
        var response = response
        response.head.limitFreshness()
        return response
    }

    /// Whether the rules forbid an answer of the container's own. What nobody covers beside them may still lie in a
    /// generation that the page stays on.
    func isBypassed(_ decision: RouteDecision) -> Bool {
        switch decision.reason {
        case .off, .denied, .veto, .plainPage: true
        case .rule: decision.action == .pass
        default: false
        }
    }

    /// 1 Name it: the real URL, the page, and how sure that is; and whose it is.
    /// - Parameter session: the page that asks; `nil` where the engine does not say, or the page is closed.
    /// - Parameter bridged: what the bridge knows of the request's body and credentials.
    func name(
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
        let decision = interceptionPolicy.decide(head, page: page, isDocument: request.isMainDocument)
        let isOfOtherMode = request.isMainDocument && isOfOtherMode(head, for: session)
        guard decision.action == .intercept || isOfOtherMode || isServed(head, page: page, to: session) else {
            throw ResourceError(.invalidRequest, "no rule covers this host", at: head.urlText)
        }
        var named = ResourceRequest(
            head, body: bridged.body ?? .empty,
            // What a script asks for is no document, whatever `Accept` says: its answer is read.
            destination: bridged.id == nil ? destination(of: request) : .subresource,
            mode: bridged.asksWithoutCORS ? .noCORS : .unknown, credentials: bridged.credentials,
            page: session.map { PageAttribution($0.reference, confidence: traits.identifiesPage ? .exact : .inferred) })
        named.followsRedirects = bridged.followsRedirects
        return ResolvedRequest(
            request: named, session: session, decision: decision, hasBody: bridged.body != nil,
            isOfScript: bridged.id != nil, provenSite: bridged.provenSite, isOfOtherMode: isOfOtherMode,
            wantsHandOver: wantsHandOver)
    }

    @discardableResult
    func removeHandOverField(from head: inout HTTPRequest) -> Bool {
        guard let name = handOverField, head.headerFields.contains(name) else { return false }
        head.headerFields[name] = nil
        return true
    }

    private func destination(of request: EngineRequest) -> ResourceRequest.Destination {
        if request.isMainDocument { return .document }
        return request.head.asksForDocument ? .nestedDocument : .subresource
    }

    /// Whether a page gets a URL through the scheme that is not intercepted now: where it is covered by a generation that
    /// the page stays on, or was before a switch or a rule, and all else of the page's own origin and of those that are
    /// covered in part, or were when the page was given a name of theirs: relative URLs lead there. A page that is open
    /// goes on, whatever the rules become.
    private func isServed(_ head: HTTPRequest, page: String?, to session: PageSession?) -> Bool {
        guard let session, session.mode != .plain else { return false }
        if library.covers(head.urlText, for: session.reference) { return true }
        let document = HTTPRequest(urlText: session.documentURL)
        if document?.scheme == head.scheme, document?.authority == head.authority?.lowercased() { return true }
        return rewriteRecord.hasNames(on: head, for: session.id) || interceptionPolicy.hasNames(on: head)
    }

    /// 2 Complete it: what the engine loses on the way.
    private func complete(_ request: inout ResourceRequest, of named: ResolvedRequest) throws {
        if traits.preflights {
            names.restoreOriginFields(in: &request.head.headerFields)
        } else {
            completion.complete(&request, opener: opener(of: request, in: named.session))
            if request.mayComeFromOtherSite, let site = named.provenSite, let page = named.session?.documentURL {
                request.mayComeFromOtherSite = PageSite(of: page, sites: SuffixList())?.name != site
            }
        }
        let method = request.head.method
        let fields = request.head.headerFields
        let announcesBody = fields[.contentType] != nil || fields[.contentLength] != nil
        let carriesBody =
            // A typed array is sent with neither field, so these methods are never known to be without a body.
            [.post, .put, .patch].contains(method)
            // Engines send none with these, though scripts set `Content-Type` on them.
            || ![.get, .head, .options, .trace].contains(method) && announcesBody
        if traits.bodies != .all, !named.hasBody, carriesBody {
            // Without its body the request would mean something else: it fails instead of going out crippled.
            throw ResourceError(.invalidRequest, "this engine loses the body of the request", at: request.head.urlText)
        }
    }

    /// The document that a request comes from; `nil` for a document that the app opens.
    private func opener(of request: ResourceRequest, in session: PageSession?) -> String? {
        guard let document = session?.documentURL, request.destination == .document else { return session?.documentURL }
        return HTTPRequest(urlText: document)?.urlText == request.head.urlText ? nil : document
    }
}
