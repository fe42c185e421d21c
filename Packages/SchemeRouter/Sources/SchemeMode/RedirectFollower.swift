// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Follows redirects for engines that do not. Each hop asks the whole chain again.
///
/// Methods change as the Fetch standard says (section "HTTP-redirect fetch"): 303 becomes GET, 301 and 302 turn
/// POST into GET, 307 and 308 repeat. A document's redirect moves the page's URL, so it is answered by a small page
/// that replaces itself.
public struct RedirectFollower: ResourceLoading {
    private let base: any ResourceLoading
    private let names: SchemeNames
    private let limit: Int

    /// - Parameter limit: the most hops for one request; 20 by default, as in the Fetch standard.
    public init(_ base: any ResourceLoading, names: SchemeNames, limit: Int = 20) {
        self.base = base
        self.names = names
        self.limit = limit
    }

    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        var request = request
        for _ in 0...limit {
            guard let response = try await base.load(request) else { return nil }
            guard let target = redirectTarget(of: response.head, for: request) else { return response }
            if request.destination == .document {
                return try replacement(for: target)
            }
            request = try next(request, status: response.head.status, target: target)
        }
        throw ResourceError(.tooManyRedirects, "more than \(limit) redirects", at: request.head.urlText)
    }

    private func redirectTarget(of head: HTTPResponse, for request: ResourceRequest) -> URL? {
        guard [301, 302, 303, 307, 308].contains(head.status.code), let location = head.headerFields[.location],
            let current = URL(string: request.head.urlText),
            let target = URL(string: location, relativeTo: current)?.absoluteURL
        else { return nil }
        guard target.fragment == nil, let fragment = current.fragment else { return target }
        // RFC 9110, section 10.2.2: a redirect without a fragment keeps the request's.
        return URL(string: target.absoluteString + "#" + fragment) ?? target
    }

    private func next(_ request: ResourceRequest, status: HTTPResponse.Status, target: URL) throws -> ResourceRequest {
        guard let scheme = target.scheme?.lowercased(), ["http", "https"].contains(scheme), let host = target.host()
        else { throw ResourceError(.invalidRequest, "redirect to an unsupported URL", at: target.absoluteString) }
        var next = request
        let authority = target.port.map { "\(host):\($0)" } ?? host
        let crossesOrigin = request.head.scheme != scheme || request.head.authority != authority
        next.head.scheme = scheme
        next.head.authority = authority
        next.head.path = target.requestPath
        let becomesGet =
            status == .seeOther && request.head.method != .head
            || [301, 302].contains(status.code) && request.head.method == .post
        if becomesGet, request.head.method != .get {
            next.head.method = .get
            next.body = .empty
            for name in [HTTPField.Name.contentType, .contentLength, .contentEncoding, .contentLanguage] {
                next.head.headerFields[name] = nil
            }
        }
        if crossesOrigin {
            next.head.headerFields[.authorization] = nil
        }
        if case .stream = next.body {
            throw ResourceError(.connectionLost, "redirect of a body that can be sent once", at: target.absoluteString)
        }
        return next
    }

    /// A page that takes the user to where the document has moved, without a step in the history.
    private func replacement(for target: URL) throws -> ResourceResponse {
        let url = target.absoluteString
        let name = names.name(of: url) ?? url
        guard let literal = try? String(decoding: JSONEncoder().encode(name), as: UTF8.self) else {
            throw ResourceError(.invalidRequest, "redirect to an unsupported URL", at: url)
        }
        let script = literal.replacing("<", with: "\\u003c")
        let page = "<!DOCTYPE html><meta charset=utf-8><script>location.replace(\(script))</script>"
        let head = HTTPResponse(
            status: .ok, headerFields: [.contentType: "text/html;charset=utf-8", .cacheControl: "no-store"])
        return ResourceResponse(
            head: head, body: .bytes(Data(page.utf8)),
            provenance: .init(.synthetic, reason: "document redirect to \(url)"))
    }
}

extension URL {
    /// Path and query as they stand in a request line.
    fileprivate var requestPath: String {
        let path = path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (query(percentEncoded: true).map { "?\($0)" } ?? "")
    }
}
