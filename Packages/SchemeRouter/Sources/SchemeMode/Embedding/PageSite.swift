// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
public import WebSyntax

/// The site of a page (HTML, "obtain a site"): a scheme, and a registrable domain with all hosts below it, or one host
/// that has no such domain.
@_spi(Facade) public struct PageSite: Sendable, Hashable {
    /// `https` or `http`.
    public let scheme: String
    /// The registrable domain, or the host in its place.
    public let domain: String
    /// A Boolean value that indicates whether hosts below ``domain`` belong to the site.
    public let hasSubdomains: Bool

    /// The scheme and the domain, such as `https://shop.example`.
    public var name: String { "\(scheme)://\(domain)" }

    /// Finds the site of a page.
    /// - Parameters:
    ///   - url: the real URL of the page's document; the result is `nil` for a URL that is not one of the web.
    ///   - sites: the source of registrable domains.
    public init?(of url: String, sites: any PublicSuffixing) {
        guard let origin = WebOrigin(url: url), ["http", "https"].contains(origin.scheme) else { return nil }
        let host = String(origin.host)
        let domain = sites.registrableDomain(of: host)
        scheme = origin.scheme
        self.domain = domain ?? host
        hasSubdomains = domain != nil
    }

    /// Returns a Boolean value that indicates whether a real URL belongs to the site.
    public func contains(_ url: String) -> Bool {
        guard let origin = WebOrigin(url: url), origin.scheme == scheme else { return false }
        return origin.host == domain || hasSubdomains && origin.host.hasSuffix(".\(domain)")
    }
}
