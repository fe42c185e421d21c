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
/// that replaces itself; the hops of a page's document are counted until one is answered otherwise. A frame's document is
/// followed inside of its origin and replaced where it leaves it, or a foreign page would run in the frame's origin.
/// What else comes from another origin is held to ``ForeignAnswerRule``, which also says in the engine's names what a
/// server permits.
public struct RedirectFollower: ResourceLoading {
    private let base: any ResourceLoading
    private let names: SchemeNames
    private let limit: Int
    private let opensByName: @Sendable (String) -> Bool
    private let documentHops = DocumentHops()

    /// - Parameters:
    ///   - limit: the most hops for one request; 20 by default, as in the Fetch standard.
    ///   - opensByName: whether a document of a real URL opens under its name in this mode, or else under the real
    ///     URL, past the container. All open by name by default.
    public init(
        _ base: any ResourceLoading, names: SchemeNames, limit: Int = 20,
        opensByName: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.base = base
        self.names = names
        self.limit = limit
        self.opensByName = opensByName
    }

    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let rule = ForeignAnswerRule(for: request)
        var request = request
        for _ in 0...limit {
            guard let response = try await base.load(request) else { return nil }
            guard let target = try redirectTarget(of: response.head, for: request.head) else {
                if request.destination == .document { documentHops.end(for: request.page) }
                return try rule.passing(response, of: request, by: names)
            }
            switch request.destination {
            case .document:
                if documentHops.next(for: request.page) <= limit {
                    return try replacement(for: target, of: request.head)
                }
                documentHops.end(for: request.page)
                throw tooMany(request)
            case .nestedDocument where rule.isForeign(target):
                // Not counted: a frame that goes on past the container is not heard of again.
                return try replacement(for: target, of: request.head)
            case .nestedDocument, .subresource, .unknown:
                try rule.checkHop(response.head, from: request, to: target)
                let status = response.head.status
                request = rule.showing(try next(request, status: status, target: target), after: request)
            }
        }
        throw tooMany(request)
    }

    private func tooMany(_ request: ResourceRequest) -> ResourceError {
        ResourceError(.tooManyRedirects, "more than \(limit) redirects", at: request.head.urlText)
    }

    /// The absolute URL that a redirect leads to; `nil` for an answer that is none.
    private func redirectTarget(of head: HTTPResponse, for request: HTTPRequest) throws -> String? {
        guard [301, 302, 303, 307, 308].contains(head.status.code), let location = head.headerFields[.location] else {
            return nil
        }
        // Other schemes would run in the page or read its device: Fetch makes them a network error too.
        guard let current = URL(string: URLSpelling.strict(request.urlText)),
            let target = URL(string: URLSpelling.strict(location), relativeTo: current)?.absoluteURL,
            let scheme = target.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let request = HTTPRequest(urlText: target.absoluteString), let origin = request.webOrigin
        else {
            throw ResourceError(.invalidRequest, "redirect to an unsupported URL", at: String(location.prefix(2_048)))
        }
        // Without the scheme's own port, which a custom scheme would not know and take for another origin.
        let fragment = target.absoluteString.drop { $0 != "#" }
        return "\(origin)\(request.path ?? "/")\(fragment)"
    }

    private func next(_ request: ResourceRequest, status: HTTPResponse.Status, target: String) throws -> ResourceRequest
    {
        guard let hop = HTTPRequest(urlText: target), let scheme = hop.scheme, let authority = hop.webOrigin?.authority
        else { throw ResourceError(.invalidRequest, "redirect to an unsupported URL", at: target) }
        var next = request
        next.head.scheme = scheme
        next.head.authority = authority
        next.head.path = hop.path
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
        if request.head.webOrigin != hop.webOrigin {
            next.head.headerFields[.authorization] = nil
        }
        if case .stream = next.body {
            throw ResourceError(.connectionLost, "redirect of a body that can be sent once", at: target)
        }
        return next
    }

    /// A page that takes the user to where the document has moved, without a step in the history.
    private func replacement(for target: String, of request: HTTPRequest) throws -> ResourceResponse {
        let name = opensByName(target) ? names.name(of: target) ?? target : target
        let fragment = target.firstIndex(of: "#").map { String(target[$0...]) }
        // RFC 9110, section 10.2.2: a target without a fragment keeps the one of the page, which only the page knows.
        let script =
            switch (isSame(target, request), fragment) {
            // Where only the fragment differs, `replace` would not load anything.
            case (true, nil): "location.reload()"
            case (true, let fragment?): "history.replaceState(null,'',\(try literal(fragment)));location.reload()"
            case (false, nil): "location.replace(\(try literal(name))+location.hash)"
            case (false, _): "location.replace(\(try literal(name)))"
            }
        let page = "<!DOCTYPE html><meta charset=utf-8><script>\(script)</script>"
        let head = HTTPResponse(
            status: .ok, headerFields: [.contentType: "text/html;charset=utf-8", .cacheControl: "no-store"])
        return ResourceResponse(
            head: head, body: .bytes(Data(page.utf8)),
            provenance: .init(.synthetic, reason: "document redirect to \(target)"), isInterim: true)
    }

    /// A string of JavaScript that cannot end the script element around it.
    private func literal(_ text: String) throws -> String {
        try String(decoding: JSONEncoder().encode(text), as: UTF8.self).replacing("<", with: "\\u003c")
    }

    private func isSame(_ target: String, _ request: HTTPRequest) -> Bool {
        guard let target = HTTPRequest(urlText: String(target.prefix { $0 != "#" })) else { return false }
        return target.webOrigin == request.webOrigin && target.path == request.path
    }
}
