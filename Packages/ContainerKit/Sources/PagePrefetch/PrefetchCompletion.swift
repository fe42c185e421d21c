// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import Prefetch
internal import ResourceLoading
internal import SchemeMode
internal import WebEngine

/// The completion of prefetch requests, which makes them equal to the page's own requests. It adds the engine's header
/// fields, the page's origin and the page's cookies.
struct PrefetchCompletion: PrefetchCompleting {
    let fields: EngineFields
    let pages: OpeningPages
    let sendsCookiesToOtherOrigins: Bool
    /// The loader of offline packages, which takes precedence over the network.
    let packages: any ResourceLoader
    let completion: RequestCompletion

    /// Returns a request as the page would make it.
    /// - Throws: `ResourceError` if a package serves the request or the page is closed; the error of reading the
    ///   cookies; `CancellationError`.
    func completed(_ request: ResourceRequest) async throws -> ResourceRequest {
        guard let page = request.page?.page, let document = HTTPRequest(urlText: page.documentURL) else {
            throw ResourceError(.invalidRequest, "the request has no page", at: request.head.urlText)
        }
        guard try await packages.load(Self.anonymous(request)) == nil else {
            throw ResourceError(.cancelled, "packaged", at: request.head.urlText)
        }
        var request = request
        let isDocument = request.destination == .document
        for field in try await fields.known() { request.head.headerFields[field.name] = field.value }
        request.head.headerFields[.userAgent] = pages.agent(of: page.id).knownText(
            of: request.head.headerFields[.userAgent])
        if !isDocument {
            // The fields of `fetch` and `XMLHttpRequest`.
            request.head.headerFields[.accept] = "*/*"
            request.head.headerFields[.referer] = document.urlText
            let isOwn = request.head.webOrigin == document.webOrigin
            if !isOwn || ![.get, .head].contains(request.head.method) {
                request.head.headerFields[.origin] = document.webOrigin?.description
            }
            request.credentials = sendsCookiesToOtherOrigins ? .include : .sameOrigin
        }
        completion.complete(&request, opener: isDocument ? nil : page.documentURL)
        request.head.headerFields[.cookie] = try await pages.cookies(of: page.id).header(for: request)
        return request
    }

    func record(_ setCookies: [String], of request: ResourceRequest) async {
        guard let page = request.page?.page.id, let cookies = try? await pages.cookies(of: page) else { return }
        cookies.record(setCookies, of: request)
    }

    /// Returns the request without its page. A page that is being opened has no generations yet, so the active
    /// generations apply.
    private static func anonymous(_ request: ResourceRequest) -> ResourceRequest {
        var request = request
        request.page = nil
        return request
    }
}
