// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PublicSuffixList
internal import ResourceLoading
internal import WebEngine
internal import WebViewPool

/// What pages must have in common to have one view after the other: the mode, and the site. An engine changes the web
/// process where a page moves to another site; so the process of a closed page shows no other site's pages either.
struct ViewKey: PoolKey {
    /// All views of an engine are made alike, over one data store; what a page needs besides it is given at its
    /// opening.
    struct Kind: Hashable, Sendable {}

    let mode: InterceptionMode
    /// The registrable domain of a page's real URL, or its host where that has none; empty for no URL.
    let site: String
    var kind: Kind { Kind() }

    init(mode: InterceptionMode, url: String) {
        self.mode = mode
        let host = WebOrigin(url: url).map { String($0.host) } ?? ""
        site = SuffixList().registrableDomain(of: host) ?? host
    }
}

extension DiscardReason {
    /// Pages of several sites were shown in it.
    static let severalSites = DiscardReason(retired: "several-sites")
    /// An account or a cache was cleared.
    static let cleared = DiscardReason(retired: "cleared")
}
