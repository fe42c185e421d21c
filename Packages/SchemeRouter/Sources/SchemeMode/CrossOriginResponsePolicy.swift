// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The policy for responses of redirects to other origins.
///
/// The engine receives only the final response and attributes it to the origin that it requested. It would let scripts
/// read the response, and documents run in that origin. The page's own document needs no policy, because its redirects
/// change the URL of the page.
///
/// - CORS requests: the permission is checked at each response. The last one is included, because the engine does not
///   check the response to a synchronous XMLHttpRequest in a document. Requests of the page's script, which have a
///   known credentials mode, are checked in the same way, except `no-cors` requests. A `no-cors` request cannot read
///   responses of other origins.
/// - Other requests: it is unknown whether a script will read the response. Without CORS permission, a rule like the
///   opaque-response blocking of Fetch applies. Only declared types that elements load from any origin pass, and
///   neither HTML, XML nor JSON.
///
/// A response that passes contains only the fields that its server lets the page read.
struct CrossOriginResponsePolicy {
    private let names: SchemeNames
    /// The origin of the first URL.
    private let requestedOrigin: WebOrigin?
    /// The requesting origin: the value of `Origin` if the policy uses it, or else the requested origin. The engine
    /// lets the page read the responses of the requested origin.
    private let origin: WebOrigin?
    private let isDocument: Bool
    private let isCORS: Bool
    /// A Boolean value that indicates whether the page's script made the request. Only then is the credentials mode
    /// known.
    private let isOfScript: Bool
    /// A Boolean value that indicates whether the script made a `no-cors` request.
    private let isScriptsWithoutCORS: Bool
    /// A Boolean value that indicates whether the request may be a `no-cors` request although it has an `Origin`. The
    /// engine sends `Origin` with each POST to another origin.
    private let mayBeNoCORS: Bool
    /// A Boolean value that indicates whether the request is for an image. An SVG image runs no scripts.
    private let isImageRequest: Bool

    /// Creates the policy for a request.
    /// - Parameters:
    ///   - request: The request as the page sent it.
    ///   - names: The custom schemes of pages.
    init(for request: ResourceRequest, by names: SchemeNames) {
        self.names = names
        requestedOrigin = request.head.webOrigin
        isCORS = request.mode == .cors
        isDocument = request.destination == .document
        isImageRequest = request.head.isImageRequest
        isOfScript = request.credentials != .unknown
        isScriptsWithoutCORS = isOfScript && request.mode == .noCORS
        let named = request.head.headerFields[.origin]
        origin = isCORS || isScriptsWithoutCORS && named != nil ? named.flatMap { WebOrigin(url: $0) } : requestedOrigin
        mayBeNoCORS =
            isCORS && !isOfScript && requestedOrigin != origin && request.head.method == .post
            && CORSSafelist.unsafeNames(in: request.head.headerFields).isEmpty
    }

    /// Returns a Boolean value that indicates whether a URL has another origin than the requested URL.
    func isForeign(_ url: String) -> Bool {
        WebOrigin(url: url) != requestedOrigin
    }

    /// Checks a redirect. Refuses a redirect from https to http as mixed content (Mixed Content, section 4.4), and also
    /// a redirect by another origin that gives a CORS request no permission (Fetch, section 4.4, step 5).
    /// - Parameters:
    ///   - head: The redirect response.
    ///   - request: The redirected request.
    ///   - target: The URL of the redirect.
    /// - Throws: `ResourceError` with code `blocked`.
    func checkHop(_ head: HTTPResponse, from request: ResourceRequest, to target: String) throws {
        guard !isDocument else { return }
        let page = request.page.flatMap { HTTPRequest(urlText: $0.page.documentURL)?.scheme }
        if [request.head.scheme, origin?.scheme, page].contains("https"),
            WebOrigin(url: target)?.isPotentiallyTrustworthy != true
        {
            throw ResourceError(.blocked, "redirect from https to http", at: target)
        }
        guard isCORS, !isOwn(request) else { return }
        guard CORSPermission(of: head, to: request, by: names).isGiven else {
            throw ResourceError(
                .blocked, "redirect by another origin without permission (CORS)", at: request.head.urlText)
        }
    }

    /// Returns the redirected request with the fields that it may contain: `Referer` and `Sec-Fetch-Site` according to
    /// their policies, and `Origin` except for images and style sheets. From one foreign origin to another, `Origin`
    /// is `null` (Fetch, HTTP-redirect fetch, step 10).
    func showing(
        _ hop: ResourceRequest, after request: ResourceRequest, sites: any PublicSuffixing
    ) -> ResourceRequest {
        var hop = hop
        hop.head.limitReferrer()
        FetchMetadata.extend(&hop, after: request, sites: sites)
        // Elements send only safelisted methods and fields, so a script made any other request, independently of
        // `Accept`.
        let isScripts =
            !CORSSafelist.contains(hop.head.method)
            || !CORSSafelist.unsafeNames(in: hop.head.headerFields).isEmpty
        let isShown =
            isCORS
            || !isScriptsWithoutCORS && hop.head.webOrigin != origin
                && (isScripts || !hop.head.isImageRequest && !hop.head.isStyleRequest)
        if !isCORS, isOwn(request), isOwn(hop), [.get, .head].contains(hop.head.method) {
            // A same-origin GET request has no `Origin`, but the redirected POST request may have had one.
            hop.head.headerFields[.origin] = nil
        }
        let originField = hop.head.headerFields[.origin]
        // With CORS, a request that returns to the page's origin keeps its `Origin`, and therefore its cookies, as in
        // the plain engine.
        if isShown || isScriptsWithoutCORS && originField != nil, let origin, originField != "null" {
            let isTainted = request.head.webOrigin != origin && request.head.webOrigin != hop.head.webOrigin
            hop.head.headerFields[.origin] = isTainted ? "null" : origin.description
        }
        return hop
    }

    /// Returns the response that the page may receive, with its permission in the form that the engine requires.
    /// - Parameters:
    ///   - response: The final response.
    ///   - request: The last hop.
    /// - Throws: `ResourceError` with code `blocked`.
    func passing(_ response: ResourceResponse, of request: ResourceRequest) throws -> ResourceResponse {
        guard !isDocument else { return response }
        if isScriptsWithoutCORS { return isOwn(request) ? response : unreadable(response) }
        return isCORS ? try permitted(response, of: request) : try checked(response, of: request)
    }

    /// Returns the response to a CORS request.
    private func permitted(_ response: ResourceResponse, of request: ResourceRequest) throws -> ResourceResponse {
        var response = response
        let permission = CORSPermission(of: response.head, to: request, by: names)
        if !isOwn(request) {
            guard permission.isGiven || isRevalidation(response.head, of: request) else {
                guard mayBeNoCORS else { throw refusal(of: request) }
                return unreadable(response)
            }
            response.head.headerFields = permission.readableFields
        }
        if let named = origin.flatMap({ permission.named(for: $0.description, by: names) }) {
            response.head.headerFields[.accessControlAllowOrigin] = named
        }
        return response
    }

    /// Returns the response to a request that an element or a script may have made.
    private func checked(_ response: ResourceResponse, of request: ResourceRequest) throws -> ResourceResponse {
        guard request.head.webOrigin != origin else { return response }
        let requester = request.head.headerFields[.origin] ?? origin?.description
        let permission = CORSPermission(of: response.head, to: request, by: names, from: requester)
        guard
            permission.isGiven || isRevalidation(response.head, of: request)
                || !isOfScript && isOfElements(response.head.headerFields)
        else { throw refusal(of: request) }
        var response = response
        response.head.headerFields = permission.readableFields
        return response
    }

    /// Returns a Boolean value that indicates whether a `304` response revalidates the engine's memory cache. The
    /// engine accepts it without permission fields, because servers send these fields only with the full response. The
    /// engine does not cache responses to scripts.
    private func isRevalidation(_ head: HTTPResponse, of request: ResourceRequest) -> Bool {
        head.status == .notModified && request.credentials == .unknown
    }

    /// Returns the response to a request without permission that may be a `no-cors` request: successful, but without
    /// readable content. For a CORS request, the engine turns this response into a network error, because the
    /// permission is missing.
    private func unreadable(_ response: ResourceResponse) -> ResourceResponse {
        var fields = HTTPFields()
        fields[fields: .setCookie] = response.head.headerFields[fields: .setCookie]
        var response = response
        response.head = HTTPResponse(status: .ok, headerFields: fields)
        response.body = .empty
        response.movedTo = nil
        response.provenance.reason += "; hidden from the page (CORS)"
        return response
    }

    /// Returns a Boolean value that indicates whether a hop goes to the requesting origin and no earlier hop left it.
    private func isOwn(_ hop: ResourceRequest) -> Bool {
        hop.head.webOrigin == origin && hop.head.headerFields[.origin] != "null"
    }

    private func refusal(of hop: ResourceRequest) -> ResourceError {
        ResourceError(.blocked, "response of another origin without permission", at: hop.head.urlText)
    }

    private func isOfElements(_ fields: HTTPFields) -> Bool {
        // An engine uses the declared type on a custom scheme without sniffing, so a document cannot have one of these
        // types.
        let type = MediaType.essence(of: fields[.contentType] ?? "")
        switch type {
        case "image/svg+xml": return isImageRequest
        case "text/css", "text/javascript", "application/javascript", "application/x-javascript": return true
        default: return ["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
        }
    }
}
