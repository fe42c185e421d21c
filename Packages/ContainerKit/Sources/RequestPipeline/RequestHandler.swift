// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
@_spi(Facade) internal import CookieBridge
internal import Foundation
internal import HTTPTypes
package import Prefetch
internal import PublicSuffixList
package import ResourceLoading
@_spi(Facade) internal import SchemeMode
internal import SchemeRouter
package import WebEngine

// The file reads in the order of a request: resolve, decide, complete, answer, settle, deliver.

/// Answers requests in one mode.
///
/// The traits of the engine state what has to be completed and settled; they are read once, when the handler is made. A
/// class, though it never changes, because each request holds it.
///
/// Isolation: any.
package final class RequestHandler: Sendable {
    /// The parts that a handler is made of.
    package struct Parts {
        let loaders: LoaderStack.Parts
        let policy: InterceptionPolicy
        let checkedBytes: Int
        let handOverField: String?

        /// - Parameters:
        ///   - loaders: the parts of the loaders.
        ///   - policy: the policy that decides about requests.
        ///   - checkedBytes: the most bytes of a style sheet that is held in memory until it is verified.
        ///   - handOverField: the name of the field that requests that the cookies of the response are in the engine's
        ///     store before the page sees the response; `nil` for none.
        package init(
            loaders: LoaderStack.Parts, policy: InterceptionPolicy, checkedBytes: Int, handOverField: String?
        ) {
            self.loaders = loaders
            self.policy = policy
            self.checkedBytes = checkedBytes
            self.handOverField = handOverField
        }
    }

    package let policy: InterceptionPolicy
    let names: SchemeNames
    let traits: EngineTraits
    let completion: RequestCompletion
    let rewriteRecord: RewriteRecord
    let documentRedirects: DocumentRedirects
    let loaders: LoaderStack
    private let handOverField: HTTPField.Name?
    private let hasCache: Bool
    private let cacheSwitch: FeatureSwitch

    /// Creates a handler and the loaders of its mode.
    package init(_ parts: Parts) {
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
            options.maxCheckedBytes = min(options.maxCheckedBytes, parts.checkedBytes)
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

    /// The loader that makes requests ahead of pages; `nil` if nothing is requested ahead.
    package var prefetch: PrefetchLoader? { loaders.prefetch }

    // MARK: 1 Resolve

    /// A request of the engine with its real URL, its page, and the decision about it, which stays as it is.
    package struct ResolvedRequest: Sendable {
        let request: ResourceRequest
        let session: PageSession?
        let disposition: Disposition
        /// Whether the body is known, or known to be missing.
        fileprivate let hasBody: Bool
        /// Whether a script has sent it; the engine keeps nothing of such responses.
        fileprivate let isOfScript: Bool
        /// The site of which the document of the script has proven to be.
        fileprivate let provenSite: String?
        /// Whether it is for a page of another mode, to whose custom-scheme URL a page has led.
        fileprivate let isOfOtherMode: Bool
        /// Whether its cookies are to be in the engine's store before the page sees the response.
        fileprivate let wantsHandOver: Bool

        /// Whether it is for a document, the page's own or a frame's.
        fileprivate var isDocument: Bool { [.document, .nestedDocument].contains(request.destination) }
    }

    /// Resolves a request of which the page's script has handed over nothing; see ``resolve(_:for:bridged:)``.
    package func resolve(_ request: EngineRequest, for session: PageSession?) throws -> ResolvedRequest {
        try resolve(request, for: session, bridged: BridgedBody())
    }

    /// Finds the real URL, the page and its attribution, and decides about the request.
    /// - Parameters:
    ///   - request: the request as the engine sends it, with a custom-scheme URL.
    ///   - session: the page of the request; `nil` if the engine does not say, or the page is closed.
    ///   - bridged: the body and credentials that the page's script has handed over.
    /// - Throws: `ResourceError` with code `invalidRequest` for a URL that is neither intercepted nor served to the page.
    func resolve(
        _ request: EngineRequest, for session: PageSession?, bridged: BridgedBody
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
        guard disposition.isIntercepted || isOfOtherMode || isServed(head, to: session) else {
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
    func complete(_ request: inout ResourceRequest, of resolved: ResolvedRequest) throws {
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
    package func immediateResponse(to resolved: ResolvedRequest) -> ResourceResponse? {
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
    package nonisolated(nonsending) func answer(_ resolved: ResolvedRequest) async throws -> ResourceResponse {
        guard !resolved.isOfOtherMode else { return try .leading(to: resolved.request.head.urlText) }
        var request = resolved.request
        try complete(&request, of: resolved)
        let response = try await load(request, resolved.disposition, by: loaders.page, bypass: loaders.pageBypass)
        guard let response else {
            throw ResourceError(.internal, "no loader answered", at: request.head.urlText)
        }
        return limitingFreshness(response, to: resolved)
    }

    /// Answers a request that came over loopback from memory. The engine has resolved and completed it, and settles the
    /// response.
    /// - Parameter askers: the pages of which one has sent the request; `nil` if the inferred page is enough.
    package func immediateResponse(loopback request: ResourceRequest, of askers: [String]? = nil) -> ImmediateResult {
        var request = request
        removeHandOverField(from: &request.head)
        let disposition = disposition(ofLoopback: request, askers: askers)
        return disposition.forbidsContent ? .later : loaders.page.immediateResponse(to: request)
    }

    /// Answers a request that came over loopback.
    /// - Parameter askers: as above.
    package nonisolated(nonsending) func answer(
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
    package nonisolated(nonsending) func answer(_ request: ResourceRequest) async throws -> ResourceResponse? {
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

// MARK: - 6 Deliver

extension SchemeRequestHandler {
    /// Answers a request. A response in memory is delivered before this returns.
    package func answer(_ request: EngineRequest, to sink: any SchemeTaskSink) -> SchemeTaskDelivery {
        let started = ContinuousClock.now
        let delivery = SchemeTaskDelivery(to: sink)
        let session = request.view.flatMap { host.session(of: $0) }
        var request = request
        let post = posts.removePost(for: request)
        var asked = legacy?.bare(request) ?? request
        if post != nil { asked.head.method = .post }
        func makeRecord() -> RequestRecord {
            RequestRecord(asked, session: session, names: path.names, started: started)
        }
        if request.isMainDocument { host.documentRequested(by: asked, of: session) }
        do {
            let bridged: BridgedBody
            switch try bridges?.read(&request) ?? .request(BridgedBody()) {
            case .own(let answer):
                delivery.start(answer: answer)
                return delivery
            case .worker(let script, let bridge):
                let resolved = try path.resolve(asked, for: session)
                lead(resolved, of: asked, script, in: bridge, of: session, by: delivery, makeRecord())
                return delivery
            case .request(let body): bridged = try restoringBody(of: &request, bridged: body, post)
            }
            let resolved = try path.resolve(request, for: session, bridged: bridged)
            if let response = path.immediateResponse(to: resolved), let body = WholeBody(response.body) {
                let responded = ContinuousClock.now
                host.received(response, to: request, of: session)
                let outcome = delivery.deliver(response.head, body)
                let ended = ContinuousClock.now
                // The page does not wait for the record.
                var record = makeRecord()
                record.record(response, at: responded)
                record.record(outcome, at: ended)
                host.requestEnded(record, pendingFor: nil)
            } else {
                answer(request, .success(resolved), of: session, by: delivery, makeRecord(), bridged)
            }
        } catch {
            answer(request, .failure(error), of: session, by: delivery, makeRecord(), BridgedBody())
        }
        return delivery
    }

    /// Completes a request with what its page, or the app that opens the page, has handed over for it.
    private func restoringBody(
        of request: inout EngineRequest, bridged: BridgedBody, _ post: OpeningPosts.Post?
    ) throws -> BridgedBody {
        var bridged = bridged
        if let handed = try legacy?.removeBody(for: &request) {
            handed.complete(&request.head)
            bridged.body = handed.body(for: request.head.method)
        }
        if let post {
            request.head.method = .post
            for field in post.fields { request.head.headerFields[field.name] = field.value }
            bridged.body = post.body.isEmpty ? .empty : .bytes(post.body)
        }
        return bridged
    }

    /// The longest time of a request that outlives its page.
    private static var keptAliveLimit: Duration { .seconds(300) }

    /// Loads the response, and delivers it when it is there.
    private func answer(
        _ request: EngineRequest, _ resolved: Result<RequestHandler.ResolvedRequest, any Error>,
        of session: PageSession?, by delivery: SchemeTaskDelivery, _ record: RequestRecord, _ bridged: BridgedBody
    ) {
        let epoch = host.downloadEpoch
        var record = record
        let pending = host.requestBegan(in: request.view)
        // No engine stops a request that outlives its page.
        let timer = (bridged.timeLimit ?? (bridged.isKeptAlive ? Self.keptAliveLimit : nil)).map { limit in
            Task { [weak delivery] in
                try await Task.sleep(for: limit)
                delivery?.giveUp()
            }
        }
        delivery.start(outlivesStop: bridged.isKeptAlive) { [path, cookies, host, weak self] in
            let resolved = try resolved.get()
            if request.isMainDocument { try await self?.prepareSite(of: request) }
            guard resolved.wantsHandOver, let cookies else {
                let response = try await path.answer(resolved)
                if request.isMainDocument { await host.prepare(session, for: response) }
                return host.divert(
                    response, to: request, isDocument: resolved.isDocument, of: session, askedIn: epoch) ?? response
            }
            return try await cookies.handingOver { try await path.answer(resolved) }
        } observe: { [path, host, weak self] response in
            record.record(response)
            host.received(response, to: request, of: session)
            if let place = response.movedTo, let id = bridged.id, let view = request.view {
                self?.bridges?.record(path.place(of: place, in: session), of: id, in: view)
            }
        } completion: { [host, failures] outcome in
            timer?.cancel()
            if record.isMainDocument {
                if case .failed(let error, _) = outcome {
                    failures.failed(record.url, because: error)
                } else {
                    failures.answered(record.url)
                }
            }
            record.record(outcome)
            host.requestEnded(record, pendingFor: pending)
        }
    }

    /// Loads a worker's script, and delivers it behind that of the bridge.
    private func lead(
        _ resolved: RequestHandler.ResolvedRequest, of request: EngineRequest, _ script: WorkerScript,
        in bridge: PageBridge, of session: PageSession?, by delivery: SchemeTaskDelivery, _ record: RequestRecord
    ) {
        var record = record
        var own: Int64?
        let pending = host.requestBegan(in: session?.view)
        delivery.start { [path] in
            let led = try await BodyBridgeHost.lead(path.answer(resolved), script, in: bridge)
            own = led.own
            return led.answer
        } observe: { [host] response in
            record.record(response)
            host.received(response, to: request, of: session)
        } completion: { [host] outcome in
            record.record(outcome, of: own)
            host.requestEnded(record, pendingFor: pending)
        }
    }

    private func prepareSite(of request: EngineRequest) async throws {
        try await sites?.prepare(for: path.names.realURL(of: request.head), in: request.view, bridges)
    }
}
