// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import OfflinePackage
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

    /// Whether a request would be intercepted, were it not for the switches, a rule that passes it, or the deny list.
    func hasName(for request: HTTPRequest, page: String?) -> Bool {
        if isCovered(request) { return true }
        var rules = rules.rules
        rules.isEnabled = true
        return rules.decide(request, page: page).action == .intercept
    }

    private func isCovered(_ request: HTTPRequest) -> Bool {
        guard let authority = request.authority else { return false }
        let defaultPort = request.scheme == "http" ? 80 : 443
        let url = request.urlText
        return hosts.contains { $0.matches(authority, defaultPort: defaultPort) } || library.covers(url)
            || updater.covers(url) || previews.covers(url)
            || table?.entry(answering: url) != nil
    }
}
