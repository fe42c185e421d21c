// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import HTTPTypes
internal import Prefetch
internal import ResourceLoading
internal import SchemeMode

/// Completes requests that are made ahead as the page's own reach the prefetch: by what the engine adds to its
/// requests, by the page's origin, and by the cookies of the store that the page's requests have theirs from.
struct PrefetchCompletion: PrefetchCompleting {
    let fields: EngineFields
    let cookies: OpeningCookies
    let agents: OpeningAgents
    let sendsCookiesToOtherOrigins: Bool
    /// What answers before the network.
    let packages: any ResourceLoader
    let completion: RequestCompletion

    /// - Throws: `ResourceError` where a package answers, or the page is closed; `EngineError` where the engine does not tell
    ///   its cookies; `CancellationError`.
    func completed(_ request: ResourceRequest) async throws -> ResourceRequest {
        guard let page = request.page?.page, let document = HTTPRequest(urlText: page.documentURL) else {
            throw ResourceError(.invalidRequest, "no page", at: request.head.urlText)
        }
        guard try await packages.load(Self.anonymous(request)) == nil else {
            throw ResourceError(.cancelled, "packaged", at: request.head.urlText)
        }
        var request = request
        let isDocument = request.destination == .document
        for field in try await fields.known() { request.head.headerFields[field.name] = field.value }
        request.head.headerFields[.userAgent] = agents.agent(of: page.id).knownText(
            of: request.head.headerFields[.userAgent])
        if !isDocument {
            // What `fetch` and XMLHttpRequest say.
            request.head.headerFields[.accept] = "*/*"
            request.head.headerFields[.referer] = document.urlText
            let isOwn = request.head.webOrigin == document.webOrigin
            if !isOwn || ![.get, .head].contains(request.head.method) {
                request.head.headerFields[.origin] = document.webOrigin?.description
            }
            request.credentials = sendsCookiesToOtherOrigins ? .include : .sameOrigin
        }
        completion.complete(&request, opener: isDocument ? nil : page.documentURL)
        request.head.headerFields[.cookie] = try await cookies.cookies(of: page.id).header(for: request)
        return request
    }

    /// A page that is being opened is on no generation yet: it will be on the active ones.
    private static func anonymous(_ request: ResourceRequest) -> ResourceRequest {
        var request = request
        request.page = nil
        return request
    }
}
