// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PublicSuffixList
internal import ResourceLoading
internal import WebEngine
internal import WebViewPool

/// The properties that pages must share to reuse a view: the mode and the site. An engine changes the web process when
/// a page navigates to another site, so the process of a closed page must not show pages of other sites either.
struct ViewKey: PoolKey {
    /// The only kind of view. All views of an engine are created alike, over one data store; other properties are set
    /// when a page opens.
    struct Kind: Hashable, Sendable {}

    let mode: InterceptionMode
    /// The registrable domain of the real URL, or its host if it has none. Empty if there is no URL.
    let site: String
    var kind: Kind { Kind() }

    init(mode: InterceptionMode, url: String) {
        self.mode = mode
        let host = WebOrigin(url: url).map { String($0.host) } ?? ""
        site = SuffixList().registrableDomain(of: host) ?? host
    }
}

extension DiscardReason {
    /// The view has shown pages of several sites.
    static let severalSites = DiscardReason(retired: "several-sites")
    /// The data of an account or a cache was removed.
    static let cleared = DiscardReason(retired: "cleared")
}
