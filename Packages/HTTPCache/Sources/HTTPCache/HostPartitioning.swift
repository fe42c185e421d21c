// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

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
