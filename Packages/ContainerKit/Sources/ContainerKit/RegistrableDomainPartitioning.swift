// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPCache
internal import PublicSuffixList
internal import ResourceLoading

/// Takes the scheme and the registrable domain for the site, as browsers do (HTML, "obtain a site"): hosts of one domain
/// share what is cached for their pages.
public struct RegistrableDomainPartitioning: SitePartitioning {
    private let list = SuffixList()

    /// Makes a division by the list of public suffixes.
    public init() {}

    public func site(of url: String) -> String {
        guard let origin = WebOrigin(url: url) else { return "" }
        return "\(origin.scheme)://\(list.registrableDomain(of: String(origin.host)) ?? String(origin.host))"
    }
}

extension SitePartitioning where Self == RegistrableDomainPartitioning {
    /// The scheme and the registrable domain.
    public static var registrableDomain: RegistrableDomainPartitioning { RegistrableDomainPartitioning() }
}
