// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import OfflinePackage
internal import PackageFormat
internal import RemoteConfig
internal import ResourceLoading
internal import ResourceTable
internal import SchemeRouter
internal import WebEngine

/// Which requests are intercepted: what the rules say, and where they say nothing, those of the hosts that the app names,
/// and those that a package has, installed or on its way, or a preview, and what a resource table lists.
struct InterceptionPolicy: Sendable {
    let rules: ActiveRules
    let hosts: [HostPattern]
    let library: PackageLibrary
    let updater: PackageUpdater
    let table: TableLibrary?
    let previews: PreviewList
    /// How origins were opened before, which goes before what covers them.
    var origins: OriginModeStore?
    let switches: FeatureSwitches
    let modes: PageModes

    /// Decides over a request, once: later changes of the rules do not touch it.
    /// - Parameters:
    ///   - page: the URL of the page that asks; of a document, its own.
    ///   - isDocument: whether it is for what a view shows, which decides where its page's storage lies.
    ///   - askers: the pages of which one asks, where it is not sure that it is `page`: it is passed as that of a plain
    ///     page only where all of them are plain.
    func decide(
        _ request: HTTPRequest, page: String?, isDocument: Bool = false, askers: [String]? = nil
    ) -> RouteDecision {
        let decision = rules.decide(
            request, page: page, isCovered: isDocument ? isOpened(request) : isCovered(request))
        guard decision.action == .intercept, modes.havePlain, arePlain(askers ?? page.map { [$0] } ?? []) else {
            return decision
        }
        return RouteDecision(.pass, because: .plainPage)
    }

    private func arePlain(_ pages: [String]) -> Bool {
        !pages.isEmpty && pages.allSatisfy { HTTPRequest(urlText: $0).map(intendedMode) == .plain }
    }

    /// In which mode a page of this real URL opens.
    func mode(ofPageAt url: String) -> InterceptionMode {
        guard let request = HTTPRequest(urlText: url), decide(documentAt: url).action == .intercept else {
            return .plain
        }
        return intendedMode(of: request)
    }

    /// In which mode a page opens, where it is intercepted: as it is named, or else as its origin was opened before,
    /// or else as all others.
    func intendedMode(of page: HTTPRequest) -> InterceptionMode {
        if let named = modes.named(for: page) { return named }
        guard let origins, modes.standard != origins.mode, let origin = page.webOrigin,
            origins.recorded(origin) == .intercepted
        else { return modes.standard }
        return origins.mode
    }

    /// Whether a document of this real URL lies at its name, where a mode gives it one.
    func opensByName(documentAt url: String) -> Bool {
        guard modes.areSeveral else { return decide(documentAt: url).action == .intercept }
        return mode(ofPageAt: url).changesOrigin
    }

    /// Decides over a document that a view is to show.
    func decide(documentAt url: String) -> RouteDecision {
        guard let request = HTTPRequest(urlText: url) else { return RouteDecision(.pass, because: .unreadable) }
        return decide(request, page: url, isDocument: true)
    }

    /// Whether a request for this real URL is intercepted, where the page that asks is: as what it would open as a page
    /// itself does not count.
    func contains(_ url: String) -> Bool {
        guard let request = HTTPRequest(urlText: url) else { return false }
        return rules.decide(request, page: url, isCovered: isCovered(request)).action == .intercept
    }

    /// Whether a document is covered, or its origin was opened so before, which counts where the page's mode gives it
    /// another origin.
    private func isOpened(_ request: HTTPRequest) -> Bool {
        guard let origins, let origin = request.webOrigin else { return isCovered(request) }
        if let decided = origins.decided(origin) { return decided == .intercepted }
        guard let recorded = origins.recorded(origin), intendedMode(of: request) == origins.mode else {
            return isCovered(request)
        }
        return recorded == .intercepted
    }

    /// Whether anything of the origin that a request goes to is intercepted, or would be, were it not for the switches,
    /// a rule that passes it, or the deny list: an engine completes relative URLs to names of all of that origin.
    func hasNames(on request: HTTPRequest) -> Bool {
        if isCovered(request) { return true }
        guard let scheme = request.scheme, let authority = request.authority?.lowercased(), !authority.contains("@")
        else { return false }
        let defaultPort = scheme == "http" ? 80 : 443
        let ruled = rules.rules.rules.contains { rule in
            rule.action == .intercept && (rule.scheme.map { $0.rawValue == scheme } ?? true)
                && (rule.host.map { $0.matches(authority, defaultPort: defaultPort) } ?? true)
        }
        return ruled || hasFiles(on: scheme, authority, defaultPort: defaultPort)
    }

    /// Whether connections to the origin of a request are opened, where it is a proxy that intercepts: some request to
    /// there may be, or a page that is open has something of there.
    func opens(originOf request: HTTPRequest) -> Bool {
        guard let scheme = request.scheme, let authority = request.authority?.lowercased(), !authority.contains("@")
        else { return false }
        let defaultPort = scheme == "http" ? 80 : 443
        return rules.mayIntercept(
            originOf: request,
            isCovered: hosts.contains { $0.matches(authority, defaultPort: defaultPort) }
                || switches.isOn(.packages)
                    && (library.serves(originOf: request) || updater.serves(originOf: request))
                || hasFiles(
                    on: scheme, authority, defaultPort: defaultPort, countingPackages: switches.isOn(.packages),
                    countingTable: switches.isOn(.resourceTable))
        )
    }

    private func hasFiles(
        on scheme: String, _ authority: String, defaultPort: Int, countingPackages: Bool = true,
        countingTable: Bool = true
    ) -> Bool {
        var authority = authority
        if authority.hasSuffix(":\(defaultPort)") { authority = String(authority.dropLast("\(defaultPort)".count + 1)) }
        let isPackaged = ((countingPackages ? library.installed : []).map(\.baseURL) + previews.mounted.map(\.baseURL))
            .contains {
                $0.scheme == scheme && $0.authority == authority
            }
        return isPackaged
            || countingTable
                && table?.table?.origins.contains(WebOrigin(scheme: scheme, authority: authority)) ?? false
    }

    /// Whether a preview, a package on its way or the resource table may answer a request.
    func isListed(_ request: HTTPRequest) -> Bool {
        let url = request.urlText
        return switches.isOn(.packages) && updater.covers(url) || previews.covers(url)
            || switches.isOn(.resourceTable) && table?.entry(answering: url) != nil
    }

    private func isCovered(_ request: HTTPRequest) -> Bool {
        guard let authority = request.authority else { return false }
        let defaultPort = request.scheme == "http" ? 80 : 443
        if hosts.contains(where: { $0.matches(authority, defaultPort: defaultPort) }) { return true }
        if switches.isOn(.packages), library.covers(request) { return true }
        return isListed(request)
    }
}
