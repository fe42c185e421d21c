// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import HTTPTypes
internal import WebSyntax

/// Where an answer sends its request on to, and what the request becomes there: section "HTTP-redirect fetch" of the
/// Fetch standard.
public struct Redirect: Sendable, Hashable {
    /// 301, 302, 303, 307 or 308.
    public let status: HTTPResponse.Status
    /// The absolute URL, of `http` or `https`: without a user, the scheme's own port and dot segments, and with the
    /// fragment that it names.
    public let target: String
    /// Whether the URL that the answer says has a user or a password.
    public let hasCredentials: Bool

    /// The most redirects that one request follows (Fetch, HTTP-redirect fetch, step 7).
    public static let limit = 20

    /// Reads an answer's head; `nil` where it is no redirect.
    /// - Throws: ``ResourceError`` with code `invalidRequest` where it leads to a URL that cannot be asked for. Other
    ///   schemes would run in a page or read the device: Fetch makes them a network error, too.
    public init?(of head: HTTPResponse, to request: HTTPRequest) throws {
        guard [301, 302, 303, 307, 308].contains(head.status.code), let location = head.headerFields[.location] else {
            return nil
        }
        let reference = URLSpelling.strict(URLSpelling.special(location, in: request.scheme))
        guard let current = URL(string: URLSpelling.strict(request.urlText)),
            let url = URL(string: reference, relativeTo: current)?.absoluteURL,
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let request = HTTPRequest(urlText: url.absoluteString), let origin = request.webOrigin
        else {
            throw ResourceError(.invalidRequest, "redirect to an unsupported URL", at: String(location.prefix(2_048)))
        }
        status = head.status
        let fragment = url.absoluteString.drop { $0 != "#" }
        let path = request.path ?? "/"
        let query = path.utf8.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
        target = "\(origin)\(URLSpelling.withoutDots(path[..<query]))\(path[query...])\(fragment)"
        let authority = request.authority ?? ""
        let user = authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority[..<$0] } ?? ""
        // The signs alone say nobody.
        hasCredentials = !user.isEmpty && user != ":"
    }

    /// The request of the next hop: 303 becomes GET, 301 and 302 turn POST into GET, 307 and 308 repeat. What proves who
    /// asks does not go to another origin.
    /// - Throws: ``ResourceError`` with code `connectionLost` for a body that can be sent once, and is to be sent again;
    ///   with code `blocked` for a request of CORS that is led to a URL with a user, out of the origin that asks.
    public func following(_ request: ResourceRequest) throws -> ResourceRequest {
        guard let hop = HTTPRequest(urlText: target), let origin = hop.webOrigin else {
            throw ResourceError(.invalidRequest, "redirect to an unsupported URL", at: target)
        }
        guard !hasCredentials || !isOfCORS(request) || isWithinOrigin(request, to: origin) else {
            throw ResourceError(.blocked, "redirect to a URL with a user, which CORS forbids", at: target)
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
            // Fetch, request-body-header names, and the length.
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
            throw ResourceError(.connectionLost, "redirect of a body that can be sent once", at: target)
        }
        return next
    }

    /// Credentials are said of scripts' requests alone; one within its origin has no mode that is known.
    private func isOfCORS(_ request: ResourceRequest) -> Bool {
        request.mode == .cors || request.mode == .unknown && request.credentials != .unknown
    }

    /// Whether a request has stayed in the origin that asks, and goes on there.
    private func isWithinOrigin(_ request: ResourceRequest, to target: WebOrigin) -> Bool {
        let asked = request.head.webOrigin
        let asking = request.head.headerFields[.origin].map { WebOrigin(url: $0) } ?? asked
        return asking == asked && asking == target
    }
}
