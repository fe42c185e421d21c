// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import OfflinePackage
internal import ResourceLoading
internal import SchemeRouter

// Requests that come over loopback: named already, whole, and settled by the engine.
extension RequestHandler {
    /// Whether requests to an origin may be intercepted: a proxy opens the connections to there.
    func opens(originOf request: HTTPRequest) -> Bool {
        interceptionPolicy.opens(originOf: request)
    }

    /// Answers a request that came over loopback, from memory.
    /// - Parameter askers: the pages of which one asks; `nil` where the one that was concluded is as good.
    func immediateResponse(loopback request: ResourceRequest, of askers: [String]? = nil) -> ImmediateResult {
        var request = request
        removeHandOverField(from: &request.head)
        let decision = decide(loopback: request, of: askers)
        return isBypassed(decision) ? .later : chain.immediateResponse(to: request)
    }

    /// Answers a request that came over loopback.
    /// - Parameter askers: as above.
    nonisolated(nonsending) func answer(
        loopback request: ResourceRequest, of askers: [String]? = nil
    ) async throws -> ResourceResponse? {
        var request = request
        removeHandOverField(from: &request.head)
        let decision = decide(loopback: request, of: askers)
        guard isBypassed(decision) else { return try await chain.load(request) }
        var response = try await direct.load(request)
        response?.provenance.reason += "; \(decision)"
        // The engine keeps it under the URL of a package's file, which another page has.
        if decision.reason == .plainPage, isPackaged(request) { response?.head.demandRevalidation() }
        return response
    }

    private func isPackaged(_ request: ResourceRequest) -> Bool {
        library.covers(request.head)
            || request.page.map { library.covers(request.head.urlText, for: $0.page) } ?? false
    }

    /// By the page that was concluded: rules that name pages are as good as that is. Whether a package answers is not
    /// left to it.
    private func decide(loopback request: ResourceRequest, of askers: [String]?) -> RouteDecision {
        let page = request.destination == .document ? request.head.urlText : request.page?.page.documentURL
        return interceptionPolicy.decide(
            request.head, page: page, isDocument: request.destination == .document, askers: askers)
    }
}
