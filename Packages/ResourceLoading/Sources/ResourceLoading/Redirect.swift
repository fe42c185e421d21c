// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import WebSyntax

/// A redirect response and the request that follows it (Fetch, "HTTP-redirect fetch").
public struct Redirect: Sendable, Hashable {
    /// The status: 301, 302, 303, 307 or 308.
    public let status: HTTPResponse.Status
    /// The absolute `http` or `https` URL of the next request. It has no credentials, no default port and no dot
    /// segments, and has the fragment of `Location`.
    public let target: String
    /// A Boolean value that indicates whether the URL in `Location` has a user name or a password.
    private let hasCredentials: Bool

    /// The maximum number of redirects that one request follows (Fetch, HTTP-redirect fetch, step 7).
    public static let limit = 20

    /// Creates a redirect from a response head. Fails if the response is not a redirect.
    /// - Throws: ``ResourceError`` with code `invalidRequest` if the target is not a valid `http` or `https` URL. Other
    ///   schemes could run code in a page or read local files. Fetch treats them as a network error, too.
    public init?(of head: HTTPResponse, to request: HTTPRequest) throws {
        guard [301, 302, 303, 307, 308].contains(head.status.code), let location = head.headerFields[.location] else {
            return nil
        }
        let reference = URLSpelling.special(location, in: request.scheme)
        guard let url = URLSpelling.resolve(reference, against: request.urlText),
            let request = HTTPRequest(urlText: url), let origin = request.webOrigin
        else {
            throw ResourceError(.invalidRequest, "redirect to an unsupported URL", at: String(location.prefix(2_048)))
        }
        status = head.status
        let fragment = url.drop { $0 != "#" }
        target = "\(origin)\(request.path ?? "/")\(fragment)"
        let authority = request.authority ?? ""
        let user = authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority[..<$0] } ?? ""
        // An empty user name and password, `:@`, are no credentials.
        hasCredentials = !user.isEmpty && user != ":"
    }

    /// Returns the request of the next hop. A 303 changes every method except HEAD to GET. A 301 or 302 changes POST to
    /// GET. A 307 or 308 keeps the method and the body. `Authorization` and `Cookie` are removed if the origin changes.
    /// - Throws: ``ResourceError`` with code `connectionLost` if a stream body has to be sent again; with code
    ///   `blocked` if a CORS request leaves its origin for a URL with credentials.
    public func following(_ request: ResourceRequest) throws -> ResourceRequest {
        guard let hop = HTTPRequest(urlText: target), let origin = hop.webOrigin else {
            throw ResourceError(.invalidRequest, "redirect to an unsupported URL", at: target)
        }
        guard !hasCredentials || !isOfCORS(request) || isWithinOrigin(request, to: origin) else {
            throw ResourceError(.blocked, "CORS forbids a redirect to a URL with a user name or password", at: target)
        }
        var next = request
        next.head.scheme = origin.scheme
        next.head.authority = origin.authority
        next.head.path = hop.path
        let becomesGet =
            status == .seeOther && request.head.method != .head
            || [301, 302].contains(status.code) && request.head.method == .post
        if becomesGet, request.head.method != .get {
            next.head.method = .get
            next.body = .empty
            // The request-body-header names of Fetch, and `Content-Length`.
            for name in [
                HTTPField.Name.contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation,
            ] {
                next.head.headerFields[name] = nil
            }
        }
        if request.head.webOrigin != origin {
            next.head.headerFields[.authorization] = nil
            next.head.headerFields[.cookie] = nil
        }
        if case .stream = next.body {
            throw ResourceError(.connectionLost, "the redirect requires a stream body to be sent again", at: target)
        }
        return next
    }

    /// Returns a Boolean value that indicates whether the request is a CORS request. If the mode is unknown, a known
    /// credentials mode indicates that a script sent the request.
    private func isOfCORS(_ request: ResourceRequest) -> Bool {
        request.mode == .cors || request.mode == .unknown && request.credentials != .unknown
    }

    /// Returns a Boolean value that indicates whether a request has stayed in its initiator's origin, and the target
    /// has that origin too.
    private func isWithinOrigin(_ request: ResourceRequest, to target: WebOrigin) -> Bool {
        let requestedOrigin = request.head.webOrigin
        let requestingOrigin = request.head.headerFields[.origin].map { WebOrigin(url: $0) } ?? requestedOrigin
        return requestingOrigin == requestedOrigin && requestingOrigin == target
    }
}
