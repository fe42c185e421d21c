// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import BodyBridge
internal import ContentDigest
@_spi(Facade) internal import CookieBridge
internal import Foundation
@_spi(Facade) internal import HTTPCache
internal import HTTPTypes
package import Prefetch
internal import PublicSuffixList
package import ResourceLoading
@_spi(Facade) internal import SchemeMode
internal import SchemeRouter
package import WebEngine
internal import WebSyntax

// The steps of a custom-scheme request, in order: resolve, decide, complete, answer, settle, deliver. They begin in
// `SchemeRequestHandler.answer(_:to:)`, at the end of this file. Of a request over loopback, this file has only the
// steps decide and answer, in `answer(loopback:of:)`. The engine and LoopbackServer perform the others.
//
// The step answer also performs the actions of route rules, below the step settle, so that each hop of a redirect is
// decided again: see `InterceptionPolicy.action(of:)` and `LoaderStack`.

/// The handler of the requests of one mode.
///
/// The traits of the engine determine which steps of completion and settlement are needed. They are read once, at
/// initialization. The handler is immutable; it is a class because each request retains it.
///
/// Isolation: any.
package final class RequestHandler: Sendable {
    package let policy: InterceptionPolicy
    let names: SchemeNames
    let traits: EngineTraits
    let completion: RequestCompletion
    let loaders: LoaderStack
    private let transferField: HTTPField.Name?
    private let hasCache: Bool
    private let cacheSwitch: FeatureSwitch

    /// Creates a handler and the loaders of its mode.
    /// - Parameters:
    ///   - parts: the parts of the loaders.
    ///   - policy: the policy that decides about requests.
    ///   - checkedBytes: the maximum number of bytes of a style sheet that is held in memory until it is verified.
    ///   - transferField: the name of a request header field. If a request has the field, the cookies of the response
    ///     are in the engine's store before the page receives the response; `nil` for none.
    package init(_ parts: LoaderStack.Parts, policy: InterceptionPolicy, checkedBytes: Int, transferField: String?) {
        let (names, traits) = (parts.names, parts.traits)
        let completion = RequestCompletion(names, sites: SuffixList(), acceptLanguage: traits.acceptLanguage)
        self.names = names
        self.traits = traits
        self.policy = policy
        self.completion = completion
        self.transferField = transferField.flatMap { HTTPField.Name($0) }
        hasCache = parts.cache != nil
        cacheSwitch = parts.cacheSwitch
        loaders = LoaderStack(parts, action: policy.action) { loader in
            guard !traits.followsRedirects else { return loader }
            let followed = RedirectFollower(
                loader, names: names, completion: completion, opensByName: { policy.opensByName(documentAt: $0) })
            if names.areRealURLs { return followed }
            return RewritingLoader(
                followed, names: names, maxCheckedBytes: min(RewritingLoader.standardCheckedBytes, checkedBytes),
                hashing: IntegrityDigests(), completion: completion
            ) { url, page in
                guard let request = HTTPRequest(urlText: url) else { return false }
                // All requests to the page's own origin are intercepted, so that relative and absolute URLs are treated
                // alike.
                let document = url == page ? nil : HTTPRequest(urlText: page)
                return request.scheme == document?.scheme && request.authority == document?.authority
                    || policy.intercepts(request, page: page, isDocument: url == page)
            }
        }
    }

    /// The loader of prefetched responses, or `nil` if prefetching is not in use.
    package var prefetch: PrefetchLoader? { loaders.prefetch }

    // MARK: 1 Resolve

    /// A request of the engine with its real URL, its page, and the decision about it, which does not change.
    package struct ResolvedRequest: Sendable {
        let request: ResourceRequest
        let session: PageSession?
        let disposition: Disposition
        /// A Boolean value that indicates whether the body is known, or known to be absent.
        fileprivate let hasBody: Bool
        /// A Boolean value that indicates whether a script sent the request. Engines do not cache responses to scripts.
        fileprivate let isOfScript: Bool
        /// The site to which the document of the script has proven to belong.
        fileprivate let provenSite: String?
        /// A Boolean value that indicates whether a custom-scheme page navigates to a page of another mode.
        fileprivate let isOfOtherMode: Bool
        /// A Boolean value that indicates whether the cookies of the response must be in the engine's store before the
        /// page receives the response.
        fileprivate let needsTransfer: Bool

        /// A Boolean value that indicates whether the request is for a document of a page or a frame.
        fileprivate var isDocument: Bool { [.document, .nestedDocument].contains(request.destination) }
    }

    /// Resolves a request without data from the bridge; see ``resolve(_:for:bridged:body:)``.
    package func resolve(_ request: EngineRequest, for session: PageSession?) throws -> ResolvedRequest {
        try resolve(request, for: session, bridged: .undescribed, body: nil)
    }

    /// Determines the real URL, the page and its attribution, and decides about the request.
    /// - Parameters:
    ///   - request: the request as the engine sends it, with a custom-scheme URL.
    ///   - session: the page of the request; `nil` if it is unknown or closed.
    ///   - bridged: the settings that the page's script has passed through the bridge.
    ///   - body: the body; `nil` if it is unknown whether the request has a body.
    /// - Throws: `ResourceError` with code `invalidRequest` for a URL that is neither intercepted nor served to the
    ///   page.
    func resolve(
        _ request: EngineRequest, for session: PageSession?, bridged: BridgedRequest, body: ResourceBody?
    ) throws -> ResolvedRequest {
        var head = request.head
        guard let scheme = names.realScheme(for: head.scheme ?? "") else {
            throw ResourceError(.invalidRequest, "not a scheme of this container", at: head.urlText)
        }
        head.scheme = scheme
        head.path = head.path.map(names.realTarget)
        let needsTransfer = removeTransferField(from: &head)
        let page = request.isMainDocument ? head.urlText : session?.documentURL
        if !traits.preflights { head = try completion.checked(head, in: page) }
        let disposition = policy.disposition(of: head, page: page, isDocument: request.isMainDocument)
        let isAlias = names.aliases.contains(request.head.scheme ?? "") && head.method == .get
        let isOfOtherMode = request.isMainDocument && (isAlias || isOfOtherMode(head, for: session))
        guard names.areRealURLs || disposition.isIntercepted || isOfOtherMode || isServed(head, to: session) else {
            throw ResourceError(.invalidRequest, "no rule covers this host", at: head.urlText)
        }
        var resolved = ResourceRequest(
            head, body: body ?? .empty,
            // A request of a script is not a document request, even if `Accept` contains HTML, because the script reads
            // the response.
            destination: bridged.id == nil ? destination(of: request) : .subresource,
            mode: bridged.requestsWithoutCORS ? .noCORS : .unknown, credentials: bridged.credentials,
            page: session.map { PageAttribution($0.reference, confidence: traits.identifiesPage ? .exact : .inferred) })
        resolved.followsRedirects = bridged.followsRedirects
        return ResolvedRequest(
            request: resolved, session: session, disposition: disposition,
            hasBody: body != nil, isOfScript: bridged.id != nil, provenSite: bridged.provenSite,
            isOfOtherMode: isOfOtherMode, needsTransfer: needsTransfer)
    }

    @discardableResult
    private func removeTransferField(from head: inout HTTPRequest) -> Bool {
        guard let name = transferField, head.headerFields.contains(name) else { return false }
        head.headerFields[name] = nil
        return true
    }

    private func destination(of request: EngineRequest) -> ResourceRequest.Destination {
        if request.isMainDocument { return .document }
        return request.head.isDocumentRequest ? .nestedDocument : .subresource
    }

    // MARK: 2 Decide

    /// Returns a Boolean value that indicates whether a page gets a custom-scheme URL that is not intercepted now.
    /// These are URLs that the pinned versions of the page cover, all URLs of the page's own origin, and all URLs of
    /// partially covered origins. Relative URLs resolve to URLs of these origins. An origin also counts if it was
    /// partially covered when the page received a URL of it. A change of the rules therefore does not break an open
    /// page.
    private func isServed(_ head: HTTPRequest, to session: PageSession?) -> Bool {
        guard let session, session.mode != .plain else { return false }
        if policy.covers(head, for: session.reference) { return true }
        let document = HTTPRequest(urlText: session.documentURL)
        if document?.scheme == head.scheme,
            (document?.authority).hasSameBytes(as: head.authority?.asciiLowercased)
        {
            return true
        }
        return completion.hasNames(on: head, for: session.id) || policy.hasNames(on: head)
    }

    /// Returns a Boolean value that indicates whether a custom-scheme page navigates to a page that opens in another
    /// mode.
    ///
    /// A reload of the page stays in its mode, and so does any request other than GET. URLs of the page's own origin
    /// without an entry in the list of modes stay in the mode of the origin.
    private func isOfOtherMode(_ head: HTTPRequest, for session: PageSession?) -> Bool {
        guard head.method == .get, let session, HTTPRequest(urlText: session.documentURL)?.urlText != head.urlText,
            policy.modes.areSeveral
        else { return false }
        if let named = policy.modes.named(for: head) { return named != .customScheme }
        return head.webOrigin != WebOrigin(url: session.documentURL) && policy.intendedMode(of: head) != .customScheme
    }

    /// Returns the decision about a request that arrived over loopback, according to the attributed page. Rules that
    /// name pages are as reliable as the attribution. The response of a package does not depend on the attribution.
    private func disposition(ofLoopback request: ResourceRequest, requesters: [String]?) -> Disposition {
        let page = request.destination == .document ? request.head.urlText : request.page?.page.documentURL
        return policy.disposition(
            of: request.head, page: page, isDocument: request.destination == .document, requesters: requesters)
    }

    // MARK: 3 Complete

    /// Restores the parts of a request that the engine loses.
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
        // A request without its body has another meaning, so it fails.
        throw ResourceError(.invalidRequest, "this engine loses the body of the request", at: request.head.urlText)
    }

    /// Returns the document that initiated a request, or `nil` for a document that the app opens.
    private func opener(of request: ResourceRequest, in session: PageSession?) -> String? {
        guard let document = session?.documentURL, request.destination == .document else { return session?.documentURL }
        return HTTPRequest(urlText: document)?.urlText == request.head.urlText ? nil : document
    }

    // MARK: 4 Answer, and 5 settle

    // The loaders for pages also settle their responses: redirects, CORS, custom-scheme URLs, cookies.

    /// Returns the response to a request of the engine if it is available without suspension. Has no side effects.
    /// - Returns: the response, or `nil` if ``answer(_:)`` must be called.
    package func immediateResponse(to resolved: ResolvedRequest) -> ResourceResponse? {
        var request = resolved.request
        guard !resolved.disposition.forbidsContent, request.destination == .subresource else { return nil }
        // Content in memory needs only `Origin`, for the CORS check. The other completed fields are for servers.
        if request.head.headerFields.contains(.origin) {
            guard (try? complete(&request, of: resolved)) != nil else { return nil }
        }
        guard case .known(let response) = loaders.page.immediateResponse(to: request) else { return nil }
        return response.map { limitingFreshness($0, to: resolved) }
    }

    /// Returns the response to a request of the engine.
    package nonisolated(nonsending) func answer(_ resolved: ResolvedRequest) async throws -> ResourceResponse {
        guard !resolved.isOfOtherMode else { return try .leading(to: resolved.request.head.urlText) }
        var request = resolved.request
        try complete(&request, of: resolved)
        let response = try await load(request, resolved.disposition, by: loaders.page, bypass: loaders.pageBypass)
        guard let response else {
            throw ResourceError(.internal, "no loader has a response", at: request.head.urlText)
        }
        return limitingFreshness(response, to: resolved)
    }

    /// Returns the response to a request that arrived over loopback if it is available without suspension. The engine
    /// itself resolves, completes and settles requests over loopback.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - requesters: the documents that may have sent the request; `nil` if the attributed page is sufficient.
    package func immediateResponse(loopback request: ResourceRequest, of requesters: [String]? = nil) -> ImmediateResult
    {
        var request = request
        removeTransferField(from: &request.head)
        let disposition = disposition(ofLoopback: request, requesters: requesters)
        return disposition.forbidsContent ? .later : loaders.page.immediateResponse(to: request)
    }

    /// Returns the response to a request that arrived over loopback.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - requesters: the documents that may have sent the request; `nil` if the attributed page is sufficient.
    package nonisolated(nonsending) func answer(
        loopback request: ResourceRequest, of requesters: [String]? = nil
    ) async throws -> ResourceResponse? {
        var request = request
        removeTransferField(from: &request.head)
        let disposition = disposition(ofLoopback: request, requesters: requesters)
        var response = try await load(request, disposition, by: loaders.page, bypass: loaders.pageBypass)
        // The engine caches the response under the URL of a package file, which other pages request, too.
        if disposition == .bypass(.plainPage), isPackaged(request) { response?.head.demandRevalidation() }
        return response
    }

    private func isPackaged(_ request: ResourceRequest) -> Bool {
        policy.sources.cover(request.head) || request.page.map { policy.covers(request.head, for: $0.page) } ?? false
    }

    /// Returns the response to a request of the app. The request is complete, and the app's session settles the
    /// response.
    package nonisolated(nonsending) func answer(_ request: ResourceRequest) async throws -> ResourceResponse? {
        var request = request
        removeTransferField(from: &request.head)
        let disposition = policy.disposition(of: request.head, page: nil)
        if request.head.headerFields[.cacheControl]?.contains("only-if-cached") == true,
            disposition.forbidsContent || !hasCache || !cacheSwitch.isOn
        {
            return Self.gatewayTimeout
        }
        return try await load(request, disposition, by: loaders.app, bypass: loaders.appBypass)
    }

    /// The response to `only-if-cached` without a stored response (RFC 9111, section 5.2.1.7).
    private static var gatewayTimeout: ResourceResponse {
        ResourceResponse(
            head: HTTPResponse(status: .gatewayTimeout), body: .empty,
            provenance: Provenance(.synthetic, reason: "only-if-cached, and no cache"))
    }

    nonisolated(nonsending) func load(
        _ request: ResourceRequest, _ disposition: Disposition, by loader: any ResourceLoader,
        bypass: any ResourceLoader
    ) async throws -> ResourceResponse? {
        switch disposition {
        case .bypass where disposition.forbidsContent:
            var response = try await bypass.load(request)
            response?.provenance.reason += "; \(disposition)"
            return response
        case .intercept, .bypass: return try await loader.load(request)
        }
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
    /// A Boolean value that indicates whether a request of an engine may have a body.
    fileprivate var mayCarryBody: Bool {
        // Engines send a typed array without `Content-Type` and `Content-Length`, so these methods may always have a
        // body.
        if [.post, .put, .patch].contains(method) { return true }
        // Engines send no body with these methods, even if a script sets `Content-Type`.
        guard ![.get, .head, .options, .trace].contains(method) else { return false }
        return headerFields[.contentType] != nil || headerFields[.contentLength] != nil
    }
}

/// The digests of `integrity` attributes for SchemeMode, which does not depend on a cryptographic library.
private struct IntegrityDigests: IntegrityHashing {
    func digest(of data: Data, by algorithm: IntegrityAlgorithm) -> [UInt8] {
        switch algorithm {
        case .sha256: SHA256Digest(of: data).bytes
        case .sha384: LongDigest.sha384(of: data)
        case .sha512: LongDigest.sha512(of: data)
        }
    }
}

// MARK: - 6 Deliver

extension SchemeRequestHandler {
    /// Responds to a request of the engine. A response in memory is delivered before the method returns.
    package func answer(_ request: EngineRequest, to sink: any SchemeTaskSink) -> SchemeTaskDelivery {
        let started = ContinuousClock.now
        let delivery = SchemeTaskDelivery(to: sink)
        let session = request.view.flatMap { host.session(of: $0) }
        var request = request
        let post = request.view.flatMap { view in
            request.isMainDocument && request.head.method == .get
                ? posts.removePost(at: request.head.urlText, for: view) : nil
        }
        var bareRequest = legacy?.bare(request) ?? request
        if post != nil { bareRequest.head.method = .post }
        func makeRecord() -> RequestRecord {
            RequestRecord(bareRequest, session: session, names: path.names, started: started)
        }
        if request.isMainDocument { host.documentRequested(by: bareRequest, of: session) }
        do {
            let bridged: BridgedRequest
            let body: ResourceBody?
            switch try bridges?.read(&request) ?? .request(.undescribed, body: nil) {
            case .own(let answer):
                delivery.start(answer: answer)
                return delivery
            case .worker(let script, let bridge):
                let resolved = try path.resolve(bareRequest, for: session)
                lead(resolved, of: bareRequest, script, in: bridge, of: session, by: delivery, makeRecord())
                return delivery
            case .request(let read, let passed):
                bridged = read
                body = try restoredBody(of: &request, post) ?? passed
            }
            let resolved = try path.resolve(request, for: session, bridged: bridged, body: body)
            if let response = path.immediateResponse(to: resolved), let body = WholeBody(response.body) {
                let responded = ContinuousClock.now
                host.received(response, to: request, of: session)
                let outcome = delivery.deliver(response.head, body)
                let ended = ContinuousClock.now
                // The record is created after the delivery, so that the page does not wait for it.
                var record = makeRecord()
                record.record(response, at: responded)
                record.record(outcome, at: ended)
                host.requestEnded(record, pendingFor: nil)
            } else {
                answer(request, .success(resolved), of: session, by: delivery, makeRecord(), bridged)
            }
        } catch {
            answer(request, .failure(error), of: session, by: delivery, makeRecord(), .undescribed)
        }
        return delivery
    }

    /// Adds the data that a legacy page, or the app that opens the page, has provided for a request.
    /// - Returns: the body, or `nil` if none was provided.
    private func restoredBody(of request: inout EngineRequest, _ post: PostNavigation?) throws -> ResourceBody? {
        let handed = try legacy?.removeBody(for: &request)
        handed?.complete(&request.head)
        guard let post else { return handed.map { $0.body(for: request.head.method) } }
        request.head.method = .post
        for field in post.request.headerFields { request.head.headerFields[field.name] = field.value }
        return post.body.isEmpty ? .empty : .bytes(post.body)
    }

    /// The maximum duration of a request that outlives its page.
    private static var keptAliveLimit: Duration { .seconds(300) }

    /// Loads a response and delivers it asynchronously.
    private func answer(
        _ request: EngineRequest, _ resolved: Result<RequestHandler.ResolvedRequest, any Error>,
        of session: PageSession?, by delivery: SchemeTaskDelivery, _ record: RequestRecord, _ bridged: BridgedRequest
    ) {
        let epoch = host.downloadEpoch
        var record = record
        let pending = host.requestBegan(in: request.view)
        // Engines do not stop a request that outlives its page.
        let timer = (bridged.timeLimit ?? (bridged.isKeptAlive ? Self.keptAliveLimit : nil)).map { limit in
            Task { [weak delivery] in
                try await Task.sleep(for: limit)
                delivery?.cancel()
            }
        }
        delivery.start(outlivesStop: bridged.isKeptAlive) { [path, cookies, host, weak self] in
            let resolved = try resolved.get()
            if request.isMainDocument { try await self?.prepareSite(of: request) }
            guard resolved.needsTransfer, let cookies else {
                let response = try await path.answer(resolved)
                if request.isMainDocument { await host.prepare(session, for: response) }
                return host.divert(
                    response, to: request, isDocument: resolved.isDocument, of: session, askedIn: epoch) ?? response
            }
            return try await cookies.transferringCookies { try await path.answer(resolved) }
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

    /// Loads the script of a worker, and delivers it after the bridge's script.
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
