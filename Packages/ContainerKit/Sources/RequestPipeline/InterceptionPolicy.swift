// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPTypes
internal import ResourceLoading
@_spi(Facade) package import SchemeRouter
package import WebEngine

/// The decision about one request.
package enum Disposition: Sendable, Hashable, CustomStringConvertible {
    /// The container answers it.
    case intercept
    /// The container leaves it to the network, for this reason.
    case bypass(RouteDecision.Reason)

    package init(_ decision: RouteDecision) {
        self =
            switch decision.action {
            case .intercept: .intercept
            case .pass: .bypass(decision.reason)
            }
    }

    /// A Boolean value that indicates whether the container answers the request.
    package var isIntercepted: Bool {
        switch self {
        case .intercept: true
        case .bypass: false
        }
    }

    /// A Boolean value that indicates whether the container must not answer with content of its own. A request that merely
    /// nothing covers may still be for a version that its page stays on.
    package var forbidsContent: Bool {
        switch self {
        case .intercept, .bypass(.covered), .bypass(.uncovered), .bypass(.unreadable): false
        case .bypass(.off), .bypass(.denied), .bypass(.rule), .bypass(.veto), .bypass(.plainPage): true
        }
    }

    /// One line for people.
    package var description: String {
        switch self {
        case .intercept: "intercept"
        case .bypass(let reason): "\(RouteDecision(.pass, because: reason))"
        }
    }
}

/// Decides which requests are intercepted and in which mode a page opens: by the rules; where no rule applies, by the hosts
/// that the app covers and by the content sources; for documents also by the mode in which their origin was opened before.
///
/// Isolation: any.
package struct InterceptionPolicy: Sendable {
    let rules: ActiveRules
    let hosts: [HostPattern]
    package let sources: ContentSources
    /// The modes in which origins were opened before, which precede what covers them now.
    let origins: OriginModeStore?
    package let modes: PageModes

    /// Creates a policy.
    /// - Parameters:
    ///   - rules: the rules, which may change later.
    ///   - hosts: the hosts that are covered without content.
    ///   - sources: the content sources.
    ///   - origins: the modes in which origins were opened before; `nil` if they do not count.
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

    /// Decides about a request, once: later changes of the rules do not affect it.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - page: the URL of the page of the request; of a document, its own.
    ///   - isDocument: whether it is for the document of a view, which decides where the storage of its page lies.
    ///   - askers: the pages of which one has sent the request, if it is not certain that `page` has: it is bypassed as a
    ///     request of a plain page only if all of them are plain.
    package func disposition(
        of request: HTTPRequest, page: String?, isDocument: Bool = false, askers: [String]? = nil
    ) -> Disposition {
        let disposition = Disposition(
            rules.decide(request, page: page, isCovered: isDocument ? isOpened(request) : isCovered(request)))
        guard case .intercept = disposition, modes.havePlain, arePlain(askers ?? page.map { [$0] } ?? []) else {
            return disposition
        }
        return .bypass(.plainPage)
    }

    /// Decides about a document that a view is to show.
    func disposition(ofDocumentAt url: String) -> Disposition {
        guard let request = HTTPRequest(urlText: url) else { return .bypass(.unreadable) }
        return disposition(of: request, page: url, isDocument: true)
    }

    func intercepts(_ request: HTTPRequest, page: String?, isDocument: Bool = false) -> Bool {
        disposition(of: request, page: page, isDocument: isDocument).isIntercepted
    }

    package func intercepts(documentAt url: String) -> Bool { disposition(ofDocumentAt: url).isIntercepted }

    /// Returns `true` if a request for this real URL is intercepted when its page is, whatever the URL would be as a page.
    package func covers(_ url: String) -> Bool {
        guard let request = HTTPRequest(urlText: url) else { return false }
        return Disposition(rules.decide(request, page: url, isCovered: isCovered(request))).isIntercepted
    }

    /// Returns `true` if some source answers the request as far as is known without reading.
    func lists(_ request: HTTPRequest) -> Bool { sources.list(request) }

    /// Returns `true` if an open page stays on content that covers the URL.
    func covers(_ request: HTTPRequest, for page: PageReference) -> Bool { sources.cover(request, for: page) }

    private func arePlain(_ pages: [String]) -> Bool {
        !pages.isEmpty && pages.allSatisfy { HTTPRequest(urlText: $0).map(intendedMode) == .plain }
    }

    private func isCovered(_ request: HTTPRequest) -> Bool {
        isOfNamedHost(request) || sources.cover(request)
    }

    private func isOfNamedHost(_ request: HTTPRequest) -> Bool {
        guard !hosts.isEmpty, let authority = request.authority?.lowercased() else { return false }
        return hosts.contains { $0.matches(authority, defaultPort: request.defaultPort) }
    }

    // MARK: Origins

    /// Returns `true` if something of the origin of a request is intercepted, or would be without the switches, a rule that
    /// bypasses it, or the deny list: an engine completes relative URLs to custom-scheme URLs of all of that origin.
    func hasNames(on request: HTTPRequest) -> Bool {
        if isCovered(request) { return true }
        guard let scheme = request.scheme, let authority = request.plainAuthority else { return false }
        let isRuled = rules.rules.rules.contains { rule in
            rule.action.intercepts && (rule.scheme.map { $0.rawValue == scheme } ?? true)
                && (rule.host.map { $0.matches(authority, defaultPort: request.defaultPort) } ?? true)
        }
        return isRuled || sources.mayServe(originOf: request, countsOff: true)
    }

    /// Returns `true` if a proxy opens the connections to the origin of a request: some request to it may be intercepted, or
    /// an open page has content of it.
    package func opens(originOf request: HTTPRequest) -> Bool {
        guard request.scheme != nil, request.plainAuthority != nil else { return false }
        return rules.mayIntercept(
            originOf: request, isCovered: isOfNamedHost(request) || sources.mayServe(originOf: request))
    }

    // MARK: Modes

    /// Returns the mode in which a page of this real URL opens.
    package func mode(ofPageAt url: String) -> InterceptionMode {
        guard let request = HTTPRequest(urlText: url), intercepts(documentAt: url) else { return .plain }
        return intendedMode(of: request)
    }

    /// Returns the mode in which a page opens if it is intercepted: the one that is named for it, the one in which its
    /// origin was opened before, or the standard one, in this order.
    func intendedMode(of page: HTTPRequest) -> InterceptionMode {
        if let named = modes.named(for: page) { return named }
        guard let origins, modes.standard != origins.mode, let origin = page.webOrigin,
            origins.recorded(origin) == .intercepted
        else { return modes.standard }
        return origins.mode
    }

    /// Returns `true` if a document of this real URL opens at its custom-scheme URL, in a mode that has those.
    func opensByName(documentAt url: String) -> Bool {
        modes.areSeveral ? mode(ofPageAt: url).changesOrigin : intercepts(documentAt: url)
    }

    /// Returns `true` if a document is covered, or if its origin was intercepted before and its mode gives it another
    /// origin.
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

    /// The authority in lower case; `nil` for one with user information.
    fileprivate var plainAuthority: String? {
        guard let authority = authority?.lowercased(), !authority.contains("@") else { return nil }
        return authority
    }
}
