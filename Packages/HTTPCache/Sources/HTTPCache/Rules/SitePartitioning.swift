// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
public import WebSyntax

/// A division of URLs into sites.
///
/// Pages of one top-level site share what is cached for them; other sites see nothing of it, not even by the time a
/// response takes.
public protocol SitePartitioning: Sendable {
    /// The site of an absolute URL, as a short text without control characters.
    func site(of url: String) -> String
}

/// Takes the scheme and the host for the site: the strictest division that needs no list of public suffixes.
public struct HostPartitioning: SitePartitioning {
    public init() {}

    public func site(of url: String) -> String {
        guard let request = HTTPRequest(urlText: url), let scheme = request.scheme, let authority = request.authority
        else { return "" }
        // Neither the user nor the port is part of a site.
        return "\(scheme)://\(Substring(Authority.split(Authority.withoutUser(authority[...].utf8)).host))"
    }
}

extension SitePartitioning where Self == HostPartitioning {
    /// The scheme and the host.
    public static var host: HostPartitioning { HostPartitioning() }
}

/// Takes the scheme and the registrable domain for the site, as browsers do (HTML, "obtain a site"): hosts of one domain
/// share what is cached for their pages.
public struct RegistrableDomainPartitioning: SitePartitioning {
    private let suffixes: any PublicSuffixing

    /// Makes a division by a list of public suffixes.
    /// - Parameter suffixes: the list that the registrable domain of a host is taken from.
    public init(_ suffixes: any PublicSuffixing) {
        self.suffixes = suffixes
    }

    public func site(of url: String) -> String {
        guard let origin = WebOrigin(url: url) else { return "" }
        return "\(origin.scheme)://\(suffixes.registrableDomain(of: String(origin.host)) ?? String(origin.host))"
    }
}
