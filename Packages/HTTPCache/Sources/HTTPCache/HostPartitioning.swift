// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// Takes the scheme and the host for the site: the strictest division that needs no list of public suffixes.
public struct HostPartitioning: SitePartitioning {
    public init() {}

    public func site(of url: String) -> String {
        guard let request = HTTPRequest(urlText: url), let scheme = request.scheme, var host = request.authority else {
            return ""
        }
        if let user = host.lastIndex(of: "@") { host = String(host[host.index(after: user)...]) }
        // The port is not part of a site. What comes after the bracket of an IPv6 address is.
        let afterAddress = host.lastIndex(of: "]") ?? host.startIndex
        if let port = host[afterAddress...].lastIndex(of: ":") { host = String(host[..<port]) }
        return "\(scheme)://\(host)"
    }
}

extension SitePartitioning where Self == HostPartitioning {
    /// The scheme and the host.
    public static var host: HostPartitioning { HostPartitioning() }
}
