// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPSemantics
internal import HTTPTypes
internal import LoopbackServer
internal import ResourceLoading
internal import WebSyntax

/// The loader of requests that arrive over loopback: it attributes them to pages and passes them to the request
/// pipeline.
///
/// Isolation: any.
struct LoopbackRequests: ResourceLoader, InterceptPolicy {
    let pipeline: any LoopbackPipeline
    let pages: PageAttributor
    /// The stores of request bodies that the engine does not send.
    var bodies: [any LoopbackBodies] = []
    var observer: (any LoopbackRequestObserver)?
    /// The requests of the container that code of the app sends.
    var outgoing: OutgoingRequests?
    /// The receiver of the cookies of the local server's responses; `nil` for none.
    var cookies: (any LocalServerCookieSharing)?

    func opens(_ target: HostPort) -> Bool {
        guard !ProofArrivals.isName(target.host) else { return false }
        // The protocol is known only after the first byte of a connection. A non-default port can use either scheme.
        let schemes = target.port == 443 ? [true] : target.port == 80 ? [false] : [true, false]
        return schemes.contains { isSecure in
            pipeline.opens(
                originOf: HTTPRequest(
                    method: .get, scheme: isSecure ? "https" : "http", authority: target.authority(isSecure: isSecure),
                    path: "/"))
        }
    }

    func complete(_ request: inout ResourceRequest) {
        pages.attribute(&request)
        if request.destination == .document { observer?.documentWasRequested(request.head) }
    }

    func hasReturned(_ request: ResourceRequest, from isOwnProcess: () -> Bool) -> Bool {
        outgoing?.contains(request.head, from: isOwnProcess) ?? false
    }

    func permitsWebSocket(_ request: ResourceRequest) -> Bool { !pipeline.blocks(request) }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        guard !bodies.contains(where: { $0.isCarried(by: request) }) else { return .later }
        return pipeline.immediateResponse(loopback: request, of: requesters(of: request))
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let wait = pages.began(request)
        defer { pages.ended(wait) }
        guard request.destination == .document else { return try await answer(request) }
        var report = LoopbackDocumentReport(of: request)
        if ![.get, .head].contains(request.head.method) {
            report.hasBody = true
            await observer?.record(report)
        }
        let response = try await answer(document: request)
        if response?.head.leavesDocumentEmpty == true {
            report.isEmpty = true
            await observer?.record(report)
        }
        return response
    }

    private nonisolated(nonsending) func answer(document request: ResourceRequest) async throws -> ResourceResponse? {
        guard let observer else { return try await answer(request) }
        do {
            let response = try await answer(request)
            observer.documentWasAnswered(request.head.urlText)
            return response
        } catch {
            observer.documentFailed(request.head.urlText, because: ResourceError(error))
            throw error
        }
    }

    private nonisolated(nonsending) func answer(_ request: ResourceRequest) async throws -> ResourceResponse? {
        var (request, hasStandIn) = (request, false)
        for bodies in bodies where bodies.isCarried(by: request) {
            if try await bodies.complete(&request) { hasStandIn = true }
        }
        let response = try await pipeline.answer(loopback: request, of: requesters(of: request))
        if let response { recordCookies(of: response, to: request) }
        if hasStandIn, let response { try checkRedirect(response, of: request) }
        return response
    }

    private func recordCookies(of response: ResourceResponse, to request: ResourceRequest) {
        guard let cookies else { return }
        let fields = response.head.headerFields[values: .setCookie]
        let url = request.head.urlText
        guard !fields.isEmpty, let site = LocalSite(url: url) else { return }
        cookies.record(setCookies: fields, from: url, at: site.name)
    }

    /// Checks that the engine does not repeat the stand-in for a body to a host that the proxy does not intercept.
    /// - Throws: `ResourceError` with code `invalidRequest`.
    private func checkRedirect(_ response: ResourceResponse, of request: ResourceRequest) throws {
        guard [307, 308].contains(response.head.status.code),
            let redirect = try? Redirect(of: response.head, to: request.head),
            let target = HTTPRequest(urlText: redirect.target), !pipeline.opens(originOf: target)
        else { return }
        throw ResourceError(
            .invalidRequest, "a POST of the app is redirected to a host that is not covered", at: redirect.target)
    }

    /// Returns the documents that may have sent a request. Returns `nil` for documents, and if the decision does not
    /// depend on the sender.
    private func requesters(of request: ResourceRequest) -> [String]? {
        pipeline.distinguishesRequesters && request.destination != .document ? pages.requesters(of: request) : nil
    }
}
