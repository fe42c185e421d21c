// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
public import WebSyntax

/// A mapping from URLs to sites.
///
/// Pages of one top-level site share cache entries. Pages of other sites cannot observe these entries, not even by
/// timing.
public protocol SitePartitioning: Sendable {
    /// Returns the site of an absolute URL as a short text without control characters.
    func site(of url: String) -> String
}

/// A partitioning by scheme and host: the strictest partitioning that needs no public suffix list.
public struct HostPartitioning: SitePartitioning {
    /// Creates a partitioning.
    public init() {}

    public func site(of url: String) -> String {
        guard let request = HTTPRequest(urlText: url), let scheme = request.scheme, let authority = request.authority
        else { return "" }
        // A site contains neither user information nor a port.
        return "\(scheme)://\(Substring(Authority.split(Authority.withoutUser(authority[...].utf8)).host))"
    }
}

extension SitePartitioning where Self == HostPartitioning {
    /// A partitioning by scheme and host.
    public static var host: HostPartitioning { HostPartitioning() }
}

/// A partitioning by scheme and registrable domain, as in browsers (HTML, "obtain a site"). Hosts of one registrable
/// domain share cache entries.
public struct RegistrableDomainPartitioning: SitePartitioning {
    private let suffixes: any PublicSuffixing

    /// Creates a partitioning that uses a public suffix list.
    /// - Parameter suffixes: The list that determines the registrable domain of a host.
    public init(_ suffixes: any PublicSuffixing) {
        self.suffixes = suffixes
    }

    public func site(of url: String) -> String {
        guard let origin = WebOrigin(url: url) else { return "" }
        return "\(origin.scheme)://\(suffixes.registrableDomain(of: String(origin.host)) ?? String(origin.host))"
    }
}
