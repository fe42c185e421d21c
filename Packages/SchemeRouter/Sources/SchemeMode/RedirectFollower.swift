// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
public import ResourceLoading
public import WebSyntax

/// Follows redirects for engines that do not. Each hop asks the whole chain again.
///
/// What a request becomes at each hop says `Redirect`. A document's redirect moves the page's URL, so it is answered by a
/// small page that replaces itself; the hops of a page's document are counted until one is answered otherwise, and
/// `Sec-Fetch-Site` of the next says who led to the first. A frame's document is
/// followed inside of its origin and replaced where it leaves it, or a foreign page would run in the frame's origin; all
/// its hops are counted together. A document that was posted for, and is to be posted for again, is followed inside of
/// its origin and fails where it leaves it: a small page has no body to send.
/// What may be embedded says `EmbeddingRule`. What else comes from another origin is held to
/// `CrossOriginResponsePolicy`, which also says in the engine's names what a server permits.
public struct RedirectFollower: ResourceLoader {
    private let base: any ResourceLoader
    private let names: SchemeNames
    private let limit: Int
    private let opensByName: @Sendable (String) -> Bool
    private let documentRedirects: DocumentRedirects
    private let sites: any PublicSuffixing
    private let embedding: EmbeddingRule

    /// - Parameters:
    ///   - base: the chain of loaders that each hop asks.
    ///   - names: the custom schemes of pages.
    ///   - limit: the most hops for one request; 20 by default, as in the Fetch standard.
    ///   - documentRedirects: one for all followers that answer the same pages.
    ///   - sites: by which `Sec-Fetch-Site` says `same-site`; each host is one of its own by default.
    ///   - completion: what completed the requests, and knows the frames of pages; one that knows none by default.
    ///   - opensByName: whether a document of a real URL opens under its name in this mode, or else under the real
    ///     URL, past the container. All open by name by default.
    public init(
        _ base: any ResourceLoader, names: SchemeNames, limit: Int = Redirect.limit,
        documentRedirects: DocumentRedirects = DocumentRedirects(), sites: any PublicSuffixing = .hosts,
        completion: RequestCompletion? = nil,
        opensByName: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.base = base
        self.names = names
        self.limit = limit
        self.documentRedirects = documentRedirects
        self.sites = sites
        embedding = EmbeddingRule(completion, sites: sites)
        self.opensByName = opensByName
    }

    nonisolated(nonsending) public func load(_ asked: ResourceRequest) async throws -> ResourceResponse? {
        let rule = CrossOriginResponsePolicy(for: asked, by: names)
        var (request, hops) = ledHere(try await resendable(asked))
        let start = hops
        while hops <= limit {
            guard var response = try await base.load(request) else { return nil }
            try embedding.check(response.head, of: request)
            guard request.followsRedirects, let redirect = try names.redirect(of: response.head, to: request.head)
            else {
                if request.destination == .document { documentRedirects.end(for: request.page) }
                if hops > start { response.movedTo = request.head.urlText }
                response.finalURL = response.movedTo
                let passing = try rule.passing(response, of: request)
                return embedding.framed(passing, of: request, askedAt: asked.head.urlText)
            }
            hops += 1
            if let hop = try leaving(request, by: redirect, rule) {
                try record(hop, after: request, hops: hops)
                return try replacement(of: asked, by: redirect.target)
            }
            try rule.checkHop(response.head, from: request, to: redirect.target)
            request = rule.showing(try redirect.following(request), after: request, sites: sites)
        }
        throw tooMany(request)
    }

    /// What is no redirect, asked for by what has not been redirected.
    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        guard request.destination == .subresource, case .known(let found) = base.immediateResponse(to: request) else {
            return .later
        }
        guard let response = found else { return .known(nil) }
        let isRedirect = response.head.status != .notModified && response.head.status.kind == .redirection
        guard !isRedirect else { return .later }
        guard (try? embedding.check(response.head, of: request)) != nil else { return .later }
        // From where it was asked for, and nowhere else, comes what no other rule is about.
        guard request.mode == .cors else { return .known(response) }
        guard let passing = try? CrossOriginResponsePolicy(for: request, by: names).passing(response, of: request)
        else { return .later }
        return .known(passing)
    }

    /// The longest body that comes in pieces and is kept, in bytes: what lies here no limit of bodies counts.
    private static let keptLength = 64 << 10

    /// With a short body as a whole, so that it can be sent again (307, 308): one in pieces can be read once.
    private func resendable(_ request: ResourceRequest) async throws -> ResourceRequest {
        guard request.followsRedirects, case .stream(let stream) = request.body, let length = stream.length,
            length <= Self.keptLength
        else { return request }
        var request = request
        request.body = .bytes(try await request.body.collect(upTo: Self.keptLength))
        return request
    }

    /// A document that has moved here, with who led to its first place, and after how many hops it is a frame's.
    private func ledHere(_ request: ResourceRequest) -> (request: ResourceRequest, hops: Int) {
        let isMain = request.destination == .document
        guard isMain || request.destination == .nestedDocument,
            let lead = documentRedirects.removeRedirect(request.head.urlText, isMain: isMain, for: request.page)
        else { return (request, 0) }
        var request = request
        FetchMetadata.setSite(lead.site, of: &request)
        return (request, lead.hops)
    }

    /// What a document's request becomes that a small page leads on; `nil` where it is followed inside.
    /// - Throws: `ResourceError` with code `invalidRequest` where it would be posted again to another origin: a small
    ///   page asks by GET, without the body.
    private func leaving(
        _ request: ResourceRequest, by redirect: Redirect, _ rule: CrossOriginResponsePolicy
    ) throws -> ResourceRequest? {
        let isForeign = rule.isForeign(redirect.target)
        switch request.destination {
        case .subresource, .unknown: return nil
        case .nestedDocument where !isForeign: return nil
        case .document, .nestedDocument: break
        }
        let hop = try redirect.following(request)
        if [.get, .head].contains(hop.head.method) { return hop }
        guard isForeign else { return nil }
        throw ResourceError(
            .invalidRequest, "a redirect of a posted document to another origin would lose its body", at: redirect.target)
    }

    /// Counts a hop by a small page, and notes where it leads.
    /// - Parameter hops: of a frame's document, this one too; those of the page's are counted by page.
    private func record(_ hop: ResourceRequest, after request: ResourceRequest, hops: Int) throws {
        let isMain = request.destination == .document
        guard (isMain ? documentRedirects.next(for: request.page) : hops) <= limit else {
            if isMain { documentRedirects.end(for: request.page) }
            throw tooMany(request)
        }
        var hop = hop
        FetchMetadata.extend(&hop, after: request, sites: sites)
        documentRedirects.record(
            hop.head.urlText, site: FetchMetadata.site(of: hop), isMain: isMain, hops: isMain ? 0 : hops,
            for: request.page)
    }

    private func tooMany(_ request: ResourceRequest) -> ResourceError {
        ResourceError(.tooManyRedirects, "more than \(limit) redirects", at: request.head.urlText)
    }

    /// A page that takes the user to where the document has moved, without a step in the history.
    /// - Parameter asked: as the engine sent it, whose URL the small page has.
    private func replacement(of asked: ResourceRequest, by target: String) throws -> ResourceResponse {
        let name = opensByName(target) ? names.name(of: target) ?? target : target
        let fragment = target.firstIndex(of: "#").map { String(target[$0...]) }
        // RFC 9110, section 10.2.2: a target without a fragment keeps the one of the page, which only the page knows.
        let script =
            switch (isSame(target, asked.head), fragment) {
            // Where only the fragment differs, `replace` would not load anything.
            case (true, _) where ![.get, .head].contains(asked.head.method):
                // What was posted would be posted again by a reload; a URL without a fragment is loaded anew.
                "location.replace(location.href.split('#')[0])"
            case (true, nil): "location.reload()"
            case (true, let fragment?): "history.replaceState(null,'',\(try literal(fragment)));location.reload()"
            case (false, nil): "location.replace(\(try literal(name))+location.hash)"
            case (false, _): "location.replace(\(try literal(name)))"
            }
        let page = "<!DOCTYPE html><meta charset=utf-8><script>\(script)</script>"
        var fields: HTTPFields = [.contentType: "text/html;charset=utf-8", .cacheControl: "no-store"]
        // A frame that is sandboxed without scripts heeds no `<meta>` that says the same, but heeds the field: measured.
        // Where the script runs, it comes first.
        if asked.destination == .nestedDocument { fields[.refresh] = "0;url=\(name)" }
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: .bytes(Data(page.utf8)),
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
