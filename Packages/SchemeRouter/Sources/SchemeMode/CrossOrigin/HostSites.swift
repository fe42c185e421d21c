// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
public import WebSyntax

/// Takes each host for a site of its own, where there is no list of public suffixes.
public struct HostSites: PublicSuffixing {
    public init() {}

    public func registrableDomain(of host: String) -> String? { nil }
}

extension PublicSuffixing where Self == HostSites {
    /// Each host is a site of its own.
    public static var hosts: HostSites { HostSites() }
}

extension PublicSuffixing {
    /// Whether two origins are of one site: schemefully, as HTML says.
    func areSameSite(_ one: WebOrigin, _ other: WebOrigin) -> Bool {
        guard one.scheme == other.scheme else { return false }
        guard one.host != other.host else { return true }
        guard let site = registrableDomain(of: String(one.host)) else { return false }
        return site == registrableDomain(of: String(other.host))
    }
}
