// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading
internal import ResourceTable
internal import SchemeRouter

/// Which requests are intercepted: what the rules say, and where they say nothing, those of the hosts that the app names,
/// and those that a package has, installed or on its way, or a preview, and what a resource table lists.
struct Coverage: Sendable {
    let rules: LiveRules
    let hosts: [HostPattern]
    let library: PackageLibrary
    let updater: PackageUpdater
    let table: TableLibrary?
    let previews: PreviewList

    /// Decides over a request, once: later changes of the rules do not touch it.
    /// - Parameter page: the URL of the page that asks; of a document, its own.
    func decide(_ request: HTTPRequest, page: String?) -> RouteDecision {
        rules.decide(request, page: page, isCovered: isCovered(request))
    }

    /// Whether a page of this real URL is intercepted.
    func contains(_ url: String) -> Bool {
        guard let request = HTTPRequest(urlText: url) else { return false }
        return decide(request, page: url).action == .intercept
    }

    /// Whether anything of the origin that a request goes to is intercepted, or would be, were it not for the switches,
    /// a rule that passes it, or the deny list: an engine completes relative URLs to names of all of that origin.
    func hasNames(on request: HTTPRequest) -> Bool {
        if isCovered(request) { return true }
        guard let scheme = request.scheme, var authority = request.authority?.lowercased(), !authority.contains("@")
        else { return false }
        let defaultPort = scheme == "http" ? 80 : 443
        let ruled = rules.rules.rules.contains { rule in
            rule.action == .intercept && (rule.scheme.map { $0.rawValue == scheme } ?? true)
                && (rule.host.map { $0.matches(authority, defaultPort: defaultPort) } ?? true)
        }
        if ruled { return true }
        if authority.hasSuffix(":\(defaultPort)") { authority = String(authority.dropLast("\(defaultPort)".count + 1)) }
        let isPackaged = (library.installed.map(\.baseURL) + previews.mounted.map(\.baseURL)).contains {
            $0.scheme == scheme && $0.authority == authority
        }
        return isPackaged
            || table?.table?.origins.contains(WebOrigin(scheme: scheme, authority: authority)) ?? false
    }

    private func isCovered(_ request: HTTPRequest) -> Bool {
        guard let authority = request.authority else { return false }
        let defaultPort = request.scheme == "http" ? 80 : 443
        if hosts.contains(where: { $0.matches(authority, defaultPort: defaultPort) }) { return true }
        if library.covers(request) { return true }
        let url = request.urlText
        return updater.covers(url) || previews.covers(url)
            || table?.entry(answering: url) != nil
    }
}
