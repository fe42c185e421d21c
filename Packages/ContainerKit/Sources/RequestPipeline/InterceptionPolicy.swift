// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPTypes
internal import ResourceLoading
@_spi(Facade) package import SchemeRouter
package import WebEngine
internal import WebSyntax

/// The decision about one request.
package enum Disposition: Sendable, Hashable, CustomStringConvertible {
    /// The container responds to the request.
    case intercept
    /// The container leaves the request to the network, for the given reason.
    case bypass(RouteDecision.Reason)

    package init(_ decision: RouteDecision) {
        self =
            switch decision.action {
            case .pass: .bypass(decision.reason)
            case .intercept, .block, .redirect, .respond, .setHeaders: .intercept
            }
    }

    /// A Boolean value that indicates whether the container responds to the request.
    package var isIntercepted: Bool {
        switch self {
        case .intercept: true
        case .bypass: false
        }
    }

    /// A Boolean value that indicates whether content sources must not respond. It is `false` for an uncovered request,
    /// because the page may be pinned to a version that covers the request.
    package var forbidsContent: Bool {
        switch self {
        case .intercept, .bypass(.covered), .bypass(.uncovered), .bypass(.unreadable): false
        case .bypass(.off), .bypass(.denied), .bypass(.rule), .bypass(.remoteRule), .bypass(.veto), .bypass(.plainPage):
            true
        }
    }

    /// A description in one line.
    package var description: String {
        switch self {
        case .intercept: "intercept"
        case .bypass(let reason): "\(RouteDecision(.pass, because: reason))"
        }
    }
}

/// The policy that decides which requests are intercepted, and in which mode a page opens. The route rules decide
/// first. If no rule applies, the covered hosts and the content sources decide. For documents, the recorded mode of the
/// origin also counts.
///
/// Isolation: any.
package struct InterceptionPolicy: Sendable {
    let rules: ActiveRules
    let hosts: [HostPattern]
    package let sources: ContentSources
    /// The recorded modes of origins, which precede the current coverage; `nil` if none are recorded.
    let origins: OriginModeStore?
    package let modes: PageModes

    /// Creates a policy.
    /// - Parameters:
    ///   - rules: the route rules, which may change later.
    ///   - hosts: the hosts that are covered without content.
    ///   - sources: the content sources.
    ///   - origins: the recorded modes of origins; `nil` if none are recorded.
    ///   - modes: the modes of pages.
    package init(
        rules: ActiveRules, hosts: [HostPattern], sources: ContentSources, origins: OriginModeStore?, modes: PageModes
    ) {
        self.rules = rules
        self.hosts = hosts
        self.sources = sources
        self.origins = origins
        self.modes = modes
    }

    // MARK: Requests

    /// Returns the decision about a request. Later changes of the rules do not affect it.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - page: the URL of the page that sent the request; for a document, its own URL.
    ///   - isDocument: a Boolean value that indicates whether the request is for the document of a view. Its decision
    ///     determines the origin of the page's storage.
    ///   - requesters: the pages that may have sent the request, if `page` is uncertain. The request counts as one
    ///     of a plain page only if all of them are plain.
    package func disposition(
        of request: HTTPRequest, page: String?, isDocument: Bool = false, requesters: [String]? = nil
    ) -> Disposition {
        let disposition = Disposition(
            rules.decide(request, page: page, isCovered: isDocument ? isOpened(request) : isCovered(request)))
        guard case .intercept = disposition, modes.havePlain, arePlain(requesters ?? page.map { [$0] } ?? []) else {
            return disposition
        }
        return .bypass(.plainPage)
    }

    /// Returns the decision about the document at a real URL.
    func disposition(ofDocumentAt url: String) -> Disposition {
        guard let request = HTTPRequest(urlText: url) else { return .bypass(.unreadable) }
        return disposition(of: request, page: url, isDocument: true)
    }

    func intercepts(_ request: HTTPRequest, page: String?, isDocument: Bool = false) -> Bool {
        disposition(of: request, page: page, isDocument: isDocument).isIntercepted
    }

    package func intercepts(documentAt url: String) -> Bool { disposition(ofDocumentAt: url).isIntercepted }

    /// Returns a Boolean value that indicates whether a request for the real URL is intercepted if its page is. The
    /// mode of the URL as a page is not considered.
    package func covers(_ url: String) -> Bool {
        guard let request = HTTPRequest(urlText: url) else { return false }
        return Disposition(rules.decide(request, page: url, isCovered: isCovered(request))).isIntercepted
    }

    /// Returns a Boolean value that indicates whether a source probably has the response, based on data in memory.
    func lists(_ request: HTTPRequest) -> Bool { sources.list(request) }

    /// Returns a Boolean value that indicates whether an open page is pinned to content that covers the URL.
    func covers(_ request: HTTPRequest, for page: PageReference) -> Bool { sources.cover(request, for: page) }

    private func arePlain(_ pages: [String]) -> Bool {
        !pages.isEmpty && pages.allSatisfy { HTTPRequest(urlText: $0).map(intendedMode) == .plain }
    }

    private func isCovered(_ request: HTTPRequest) -> Bool {
        isOfNamedHost(request) || sources.cover(request)
    }

    private func isOfNamedHost(_ request: HTTPRequest) -> Bool {
        guard !hosts.isEmpty, let authority = request.authority?.asciiLowercased else { return false }
        return hosts.contains { $0.matches(authority, defaultPort: request.defaultPort) }
    }

    // MARK: Actions

    /// Returns the action of the route rules for one hop of an intercepted request. The rules are read again, so that a
    /// redirect to another host has the action of that host.
    func action(of request: ResourceRequest) -> RouteActionResult {
        let isDocument = request.destination == .document
        let page = isDocument ? request.head.urlText : request.page?.page.documentURL
        return action(of: request.head, page: page, isDocument: isDocument)
    }

    /// Returns the action of the route rules for an intercepted request, or `nil` if they change nothing.
    func action(of request: HTTPRequest, page: String?, isDocument: Bool = false) -> RouteActionResult {
        guard rules.haveActions else { return nil }
        let decision = rules.decide(request, page: page, isCovered: isDocument ? isOpened(request) : isCovered(request))
        return decision.changesResponse ? (decision.action, "\(decision)") : nil
    }

    /// Returns WebKit content rules that block the requests of a page that the rules block, for an engine that makes
    /// them itself. Returns `nil` for a page that the configuration names as plain, and if the rules block nothing.
    func blockingContentRules(forPageAt url: String) throws -> String? {
        guard rules.haveActions, !(modes.havePlain && arePlain([url])) else { return nil }
        return try rules.blockingContentRules(coveredHosts: hosts)
    }

    // MARK: Origins

    /// Returns a Boolean value that indicates whether any request to the origin is intercepted, or would be if
    /// switches, bypassing rules and the deny list did not apply. The engine resolves relative URLs in documents of the
    /// origin to custom-scheme URLs.
    func hasNames(on request: HTTPRequest) -> Bool {
        if isCovered(request) { return true }
        guard let scheme = request.scheme, let authority = request.plainAuthority else { return false }
        let isRuled = rules.rules.rules.contains { rule in
            rule.action.intercepts && (rule.scheme.map { $0.rawValue == scheme } ?? true)
                && (rule.host.map { $0.matches(authority, defaultPort: request.defaultPort) } ?? true)
        }
        return isRuled || sources.mayServe(originOf: request, countsOff: true)
    }

    /// Returns a Boolean value that indicates whether the proxy intercepts connections to the origin of a request. It
    /// does so if any request to the origin may be intercepted, or if an open page has content of the origin.
    package func opens(originOf request: HTTPRequest) -> Bool {
        guard request.scheme != nil, request.plainAuthority != nil else { return false }
        return rules.mayIntercept(
            originOf: request, isCovered: isOfNamedHost(request) || sources.mayServe(originOf: request))
    }

    // MARK: Modes

    /// Returns the mode in which a page at the real URL opens. A handler on https gets the requests of all pages.
    package func mode(ofPageAt url: String) -> InterceptionMode {
        guard modes.standard != .httpsTakeover else { return .httpsTakeover }
        guard let request = HTTPRequest(urlText: url), intercepts(documentAt: url) else { return .plain }
        return intendedMode(of: request)
    }

    /// Returns a Boolean value that indicates whether the proxy must be proven before the mode of a page is decided.
    package func requiresProxyProof(forPageAt url: String) -> Bool {
        HTTPRequest(urlText: url).map(modes.requiresProof) == true && covers(url)
    }

    /// Returns the mode in which a page opens if it is intercepted. It is the first of these: the mode that is
    /// configured for the page, the recorded mode of its origin, the standard mode.
    func intendedMode(of page: HTTPRequest) -> InterceptionMode {
        if let named = modes.named(for: page) { return named }
        guard let origins, modes.standard != origins.mode, let origin = page.webOrigin,
            origins.recorded(origin) == .intercepted
        else { return modes.available(modes.standard) }
        return origins.mode
    }

    /// Returns a Boolean value that indicates whether the document opens at its custom-scheme URL, if the mode has such
    /// URLs.
    func opensByName(documentAt url: String) -> Bool {
        modes.areSeveral ? mode(ofPageAt: url).changesOrigin : intercepts(documentAt: url)
    }

    /// Returns a Boolean value that indicates whether a document is covered, or whether the recorded or configured mode
    /// of its origin requires interception.
    private func isOpened(_ request: HTTPRequest) -> Bool {
        guard let origins, let origin = request.webOrigin else { return isCovered(request) }
        if let decided = origins.decided(origin) { return decided == .intercepted }
        guard let recorded = origins.recorded(origin), intendedMode(of: request) == origins.mode else {
            return isCovered(request)
        }
        return recorded == .intercepted
    }
}

extension HTTPRequest {
    fileprivate var defaultPort: Int { scheme == "http" ? 80 : 443 }

    /// The authority with ASCII letters in lower case, or `nil` if it contains user information.
    fileprivate var plainAuthority: String? {
        guard let authority, !authority.utf8.contains(UInt8(ascii: "@")) else { return nil }
        return authority.asciiLowercased
    }
}
