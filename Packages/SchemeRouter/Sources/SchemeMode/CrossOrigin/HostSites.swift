// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import WebSyntax

/// A substitute for a public suffix list that treats each host as a separate site.
struct HostSites: PublicSuffixing {
    func registrableDomain(of host: String) -> String? { nil }
}

extension PublicSuffixing {
    /// Returns a Boolean value that indicates whether two origins are schemefully same site (HTML, "schemefully same
    /// site").
    func areSameSite(_ one: WebOrigin, _ other: WebOrigin) -> Bool {
        guard one.scheme == other.scheme else { return false }
        guard one.host != other.host else { return true }
        guard let site = registrableDomain(of: String(one.host)) else { return false }
        return site == registrableDomain(of: String(other.host))
    }
}
