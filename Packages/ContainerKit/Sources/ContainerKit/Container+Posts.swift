// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import BodyBridge
public import Foundation
public import HTTPTypes
internal import ResourceLoading

// Pages that are opened by POST.
extension Container {
    /// Opens a page by a request of the app's own: by GET, or by POST with a body, in custom-scheme mode and where the page is
    /// covered. The container makes the POST of the engine's first request for the document; a reload of the page, or after
    /// its process ended, asks by GET.
    ///
    /// Where ``Configuration/legacyMessages`` are on, a request of the scheme `post` is the POST that older apps write so: its
    /// field `oldScheme` is `http` or `https`, `bodyParam` the body as text, which is urlencoded where there is no
    /// `Content-Type`. No page can ask for that scheme: nobody serves it to the engine.
    /// - Parameters:
    ///   - request: of a GET, which has no body, the URL alone counts. The header fields of a POST are sent.
    ///   - body: the body of a POST; that of a request of the scheme `post` is in its field.
    ///   - options: what this page has that others have not.
    ///   - prepare: may add scripts and message handlers before the load begins.
    /// - Throws: ``ContainerError`` with code `invalidURL`, `unsupported` for a POST where the container cannot make it or
    ///   another method, `proxy` or `server`; or `EngineError`.
    public func open(
        _ request: HTTPRequest, body: Data = Data(), options: PageOptions = PageOptions(),
        prepare: @MainActor (Engine.View) throws -> Void = { _ in }
    ) async throws -> Page<Engine.View> {
        var (request, body) = (request, body)
        if request.scheme == PostNavigation.scheme {
            guard configuration.legacyMessages != nil, let meant = PostNavigation(legacy: request) else {
                throw ContainerError(.invalidURL, "only http and https pages can be opened", at: request.urlText)
            }
            (request, body) = (meant.request, meant.body)
        }
        switch request.method {
        case .get where body.isEmpty: return try await open(request.urlText, posting: nil, options, prepare: prepare)
        case .post:
            let post = OpeningPosts.Post(place: "", fields: request.headerFields, body: body)
            return try await open(request.urlText, posting: post, options, prepare: prepare)
        default:
            throw ContainerError(.unsupported, "a page is opened by GET or POST", at: request.urlText)
        }
    }
}
