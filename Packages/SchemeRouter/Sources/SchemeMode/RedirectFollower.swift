// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
public import ResourceLoading
internal import WebSyntax

/// A loader that follows redirects for engines that do not follow them. The base loader loads each hop.
///
/// `Redirect` computes the request of each hop.
///
/// - The redirect of a page's document changes the URL of the page, so the response is a replacement page that
///   navigates to the target. The hops are counted until a response is not a redirect. `Sec-Fetch-Site` of the next
///   request reflects the initiator of the first hop.
/// - The document of a frame is followed within its origin. If the redirect leaves the origin, the response is a
///   replacement page, because a foreign document would otherwise run in the frame's origin. All hops are counted
///   together.
/// - A document that must be posted again (307, 308) is followed within its origin. A redirect to another origin fails,
///   because a replacement page has no request body.
///
/// `EmbeddingRule` determines which responses may be embedded. `CrossOriginResponsePolicy` restricts other responses
/// of foreign origins, and converts permission fields into custom-scheme form.
public struct RedirectFollower: ResourceLoader {
    private let base: any ResourceLoader
    private let names: SchemeNames
    private let limit: Int
    private let opensByName: @Sendable (String) -> Bool
    private let documentRedirects: DocumentRedirects
    private let sites: any PublicSuffixing
    private let embedding: EmbeddingRule

    /// Creates a loader.
    /// - Parameters:
    ///   - base: The chain of loaders for each hop.
    ///   - names: The custom schemes of pages.
    ///   - limit: The maximum number of redirects for one request; 20 by default, as in the Fetch standard.
    ///   - completion: The completion of the requests, with the state of pages and the source of registrable domains.
    ///     By default no frames are known, and each host is a separate site.
    ///   - opensByName: A closure that returns whether a document of a real URL opens under its custom-scheme URL.
    ///     Otherwise the document opens under its real URL, without the container. By default all documents use
    ///     custom-scheme URLs.
    public init(
        _ base: any ResourceLoader, names: SchemeNames, limit: Int = Redirect.limit,
        completion: RequestCompletion? = nil,
        opensByName: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.base = base
        self.names = names
        self.limit = limit
        let completion = completion ?? RequestCompletion(names)
        documentRedirects = completion.documentRedirects
        sites = completion.sites
        embedding = EmbeddingRule(completion)
        self.opensByName = opensByName
    }

    nonisolated(nonsending) public func load(_ original: ResourceRequest) async throws -> ResourceResponse? {
        let rule = CrossOriginResponsePolicy(for: original, by: names)
        var (request, hops) = redirectSource(try await resendable(original))
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
                return embedding.framed(passing, of: request, askedAt: original.head.urlText)
            }
            hops += 1
            if let hop = try leaving(request, by: redirect, rule) {
                try record(hop, after: request, hops: hops)
                return try replacement(of: original, by: redirect.target)
            }
            try rule.checkHop(response.head, from: request, to: redirect.target)
            request = rule.showing(try redirect.following(request), after: request, sites: sites)
        }
        throw tooMany(request)
    }

    /// Returns an immediate response that is not a redirect, for a request that was not redirected.
    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        guard request.destination == .subresource, case .known(let found) = base.immediateResponse(to: request) else {
            return .later
        }
        guard let response = found else { return .known(nil) }
        let isRedirect = response.head.status != .notModified && response.head.status.kind == .redirection
        guard !isRedirect else { return .later }
        guard (try? embedding.check(response.head, of: request)) != nil else { return .later }
        // Without redirects, only a CORS request is subject to the policy.
        guard request.mode == .cors else { return .known(response) }
        guard let passing = try? CrossOriginResponsePolicy(for: request, by: names).passing(response, of: request)
        else { return .later }
        return .known(passing)
    }

    /// The maximum length in bytes of a streamed body that is buffered. Other limits of body sizes do not include these
    /// bytes.
    private static let bufferedLength = 64 << 10

    /// Returns the request with a short streamed body converted into bytes, so that a redirect can send it again (307,
    /// 308).
    private func resendable(_ request: ResourceRequest) async throws -> ResourceRequest {
        guard request.followsRedirects, case .stream(let stream) = request.body, let length = stream.length,
            length <= Self.bufferedLength
        else { return request }
        var request = request
        request.body = .bytes(try await request.body.collect(upTo: Self.bufferedLength))
        return request
    }

    /// Returns a redirected document's request with the `Sec-Fetch-Site` of its initiator, and the number of earlier
    /// hops of a frame's document.
    private func redirectSource(_ request: ResourceRequest) -> (request: ResourceRequest, hops: Int) {
        let isMain = request.destination == .document
        guard isMain || request.destination == .nestedDocument,
            let lead = documentRedirects.removeRedirect(request.head.urlText, isMain: isMain, for: request.page)
        else { return (request, 0) }
        var request = request
        FetchMetadata.setSite(lead.site, of: &request)
        return (request, lead.hops)
    }

    /// Returns the next request of a document whose redirect uses a replacement page; `nil` if this loader follows the
    /// redirect itself.
    /// - Throws: `ResourceError` with code `invalidRequest` if the document would be posted again to another origin,
    ///   because a replacement page sends GET without a body.
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
            .invalidRequest, "redirect of a posted document to another origin would lose its body", at: redirect.target)
    }

    /// Counts a hop that uses a replacement page, and records its target.
    /// - Parameters:
    ///   - hop: The next request.
    ///   - request: The redirected request.
    ///   - hops: The number of hops of a frame's document, including this one. Hops of the page's document are counted
    ///     per page.
    /// - Throws: `ResourceError` with code `tooManyRedirects`.
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

    /// Returns a page that navigates to the redirect target without a new history entry.
    /// - Parameters:
    ///   - original: The engine's request, whose URL the replacement page has.
    ///   - target: The URL of the redirect.
    private func replacement(of original: ResourceRequest, by target: String) throws -> ResourceResponse {
        let name = opensByName(target) ? names.name(of: target) ?? target : target
        let fragment = target.firstIndex(of: "#").map { String(target[$0...]) }
        // RFC 9110, section 10.2.2: a target without a fragment inherits the fragment of the page, which only a script
        // in the page can read.
        let script =
            switch (isSame(target, original.head), fragment) {
            // If only the fragment differs, `replace` would load nothing.
            case (true, _) where ![.get, .head].contains(original.head.method):
                // A reload would repeat the POST request. Without a fragment, `replace` loads the URL again.
                "location.replace(location.href.split('#')[0])"
            case (true, nil): "location.reload()"
            case (true, let fragment?): "history.replaceState(null,'',\(try literal(fragment)));location.reload()"
            case (false, nil): "location.replace(\(try literal(name))+location.hash)"
            case (false, _): "location.replace(\(try literal(name)))"
            }
        let page = "<!DOCTYPE html><meta charset=utf-8><script>\(script)</script>"
        var fields: HTTPFields = [.contentType: "text/html;charset=utf-8", .cacheControl: "no-store"]
        // Measured: a sandboxed frame without scripts ignores an equivalent `<meta>` element but obeys the `Refresh`
        // field. If the script runs, it navigates first.
        if original.destination == .nestedDocument { fields[.refresh] = "0;url=\(name)" }
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: .bytes(Data(page.utf8)),
            provenance: .init(.synthetic, reason: "document redirect to \(target)"), isInterim: true)
    }

    /// Returns a JavaScript string literal that cannot end the surrounding script element.
    private func literal(_ text: String) throws -> String {
        try String(decoding: JSONEncoder().encode(text), as: UTF8.self).replacing("<", with: "\\u003c")
    }

    private func isSame(_ target: String, _ request: HTTPRequest) -> Bool {
        guard let target = HTTPRequest(urlText: String(target.prefix { $0 != "#" })) else { return false }
        return target.webOrigin == request.webOrigin && target.path == request.path
    }
}
