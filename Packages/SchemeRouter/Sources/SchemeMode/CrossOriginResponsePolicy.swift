// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// What a redirect to another origin may bring back.
///
/// The engine sees one answer, from the origin that it asked, and would let scripts read it and documents run in that
/// origin. A request that it says to be of CORS has its permission checked at each answer, the last one too: of a
/// synchronous XMLHttpRequest in a document the engine does not check it. The same holds for a request of the page's script,
/// which is known by its credentials mode, unless it is one without CORS: that reads nothing of another origin. Of others
/// it is not known whether scripts will read the answer, so what CORS does not permit is held to the idea of the Fetch
/// standard's opaque-response blocking: only kinds that elements load from anywhere pass, by their announced type, and
/// neither HTML, XML nor JSON. Of an answer that passes no more fields are left than its server lets the page read. Documents of the page itself move with
/// their redirects and need no rule.
struct CrossOriginResponsePolicy {
    private let names: SchemeNames
    /// Where the request went first.
    private let asked: WebOrigin?
    /// The origin that asks: as `Origin` says, or else the one that was asked, from which the engine lets it read.
    private let origin: WebOrigin?
    private let isDocument: Bool
    private let isCORS: Bool
    /// Whether the page's script asks: it says how far credentials go.
    private let isOfScript: Bool
    /// Whether it asks without CORS.
    private let isScriptsWithoutCORS: Bool
    /// Whether it may be one without CORS all the same: the engine says `Origin` with each POST to another origin.
    private let mayBeNoCORS: Bool
    /// An SVG runs no scripts as a picture.
    private let asksForImage: Bool

    /// - Parameters:
    ///   - request: as the page sent it.
    ///   - names: by which the engine knows origins.
    init(for request: ResourceRequest, by names: SchemeNames) {
        self.names = names
        asked = request.head.webOrigin
        isCORS = request.mode == .cors
        isDocument = request.destination == .document
        asksForImage = request.head.asksForImage
        isOfScript = request.credentials != .unknown
        isScriptsWithoutCORS = isOfScript && request.mode == .noCORS
        let named = request.head.headerFields[.origin]
        origin = isCORS || isScriptsWithoutCORS && named != nil ? named.flatMap { WebOrigin(url: $0) } : asked
        mayBeNoCORS =
            isCORS && !isOfScript && asked != origin && request.head.method == .post
            && CORSSafelist.unsafeNames(in: request.head.headerFields).isEmpty
    }

    /// Whether a URL lies at another origin than the one that was asked.
    func isForeign(_ url: String) -> Bool {
        WebOrigin(url: url) != asked
    }

    /// Refuses a hop that leaves TLS, as mixed content (Mixed Content, section 4.4), and one that another origin does not
    /// permit to a request of CORS (Fetch, section 4.4, step 5).
    /// - Parameter head: the answer that says where to go.
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

    /// What a hop may show of the page: `Referer` and `Sec-Fetch-Site` as their policies say, and `Origin`, by which a
    /// server permits, unless it is for a picture or a style sheet. From one foreign origin to another that is `null`
    /// (Fetch, HTTP-redirect fetch, step 10).
    func showing(
        _ hop: ResourceRequest, after request: ResourceRequest, sites: any PublicSuffixing
    ) -> ResourceRequest {
        var hop = hop
        hop.head.limitReferrer()
        FetchMetadata.extend(&hop, after: request, sites: sites)
        // Elements have no such fields, so it is a script that asks, whatever `Accept` says.
        let isScripts =
            !CORSSafelist.contains(hop.head.method)
            || !CORSSafelist.unsafeNames(in: hop.head.headerFields).isEmpty
        let isShown =
            isCORS
            || !isScriptsWithoutCORS && hop.head.webOrigin != origin
                && (isScripts || !hop.head.asksForImage && !hop.head.asksForStyle)
        if !isCORS, isOwn(request), isOwn(hop), [.get, .head].contains(hop.head.method) {
            // Of a POST that goes on as a GET.
            hop.head.headerFields[.origin] = nil
        }
        let said = hop.head.headerFields[.origin]
        // With CORS what comes back to the page's origin keeps its `Origin`, and by it its cookies, as in the plain engine.
        if isShown || isScriptsWithoutCORS && said != nil, let origin, said != "null" {
            let isTainted = request.head.webOrigin != origin && request.head.webOrigin != hop.head.webOrigin
            hop.head.headerFields[.origin] = isTainted ? "null" : origin.description
        }
        return hop
    }

    /// An answer that the page may have, with its permission as the engine understands it.
    /// - Parameter request: the last hop.
    func passing(_ response: ResourceResponse, of request: ResourceRequest) throws -> ResourceResponse {
        guard !isDocument else { return response }
        if isScriptsWithoutCORS { return isOwn(request) ? response : unreadable(response) }
        return isCORS ? try permitted(response, of: request) : try checked(response, of: request)
    }

    /// An answer to a request of CORS.
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

    /// An answer to a request that may be of an element or of a script.
    private func checked(_ response: ResourceResponse, of request: ResourceRequest) throws -> ResourceResponse {
        guard request.head.webOrigin != origin else { return response }
        let asking = request.head.headerFields[.origin] ?? origin?.description
        let permission = CORSPermission(of: response.head, to: request, by: names, from: asking)
        guard
            permission.isGiven || isRevalidation(response.head, of: request)
                || !isOfScript && isOfElements(response.head.headerFields)
        else { throw refusal(of: request) }
        var response = response
        response.head.headerFields = permission.readableFields
        return response
    }

    /// Whether what the engine has in memory is said to be fresh, which it takes without a permission: servers say that
    /// with the answer itself alone. What scripts ask for it does not keep.
    private func isRevalidation(_ head: HTTPResponse, of request: ResourceRequest) -> Bool {
        head.status == .notModified && request.credentials == .unknown
    }

    /// What a request gets that is not permitted, and that may be one without CORS: that has succeeded, and its page sees
    /// nothing of the answer. Of CORS the engine makes it a network error, for want of a permission.
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

    /// Whether a hop goes to the origin that asks, and never left it for another on the way.
    private func isOwn(_ hop: ResourceRequest) -> Bool {
        hop.head.webOrigin == origin && hop.head.headerFields[.origin] != "null"
    }

    private func refusal(of hop: ResourceRequest) -> ResourceError {
        ResourceError(.blocked, "response of another origin without permission", at: hop.head.urlText)
    }

    private func isOfElements(_ fields: HTTPFields) -> Bool {
        // An engine takes the type of a custom scheme as it is announced, so that no document hides behind one of these.
        let type = MediaType.essence(of: fields[.contentType] ?? "")
        switch type {
        case "image/svg+xml": return asksForImage
        case "text/css", "text/javascript", "application/javascript", "application/x-javascript": return true
        default: return ["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
        }
    }
}
