// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// A URL as rules see it.
struct RoutedURL {
    let scheme: RouteRule.Scheme
    let authority: HostAuthority
    let path: NormalPath

    /// - Returns: `nil` for what is no `http` or `https` URL, names a user, or is too long to judge.
    init?(_ request: HTTPRequest) {
        guard
            let scheme = request.scheme.flatMap({ RouteRule.Scheme(rawValue: $0) ?? .init(rawValue: $0.lowercased()) }),
            var text = request.authority, text.utf8.count <= 262  // A name, its root's dot and a port.
        else { return nil }
        // A name's last dot is its root: the same host.
        if let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")) {
            let after = text.utf8.index(after: dot)
            if after == text.endIndex || text.utf8[after] == UInt8(ascii: ":") { text.unicodeScalars.remove(at: dot) }
        }
        guard let authority = HostAuthority(text), let path = NormalPath(request.path ?? "/") else { return nil }
        self.scheme = scheme
        self.authority = authority
        self.path = path
    }

    init?(_ url: String) {
        guard let request = HTTPRequest(urlText: url) else { return nil }
        self.init(request)
    }

    func matches(_ host: HostPattern) -> Bool {
        if let port = host.port, port != authority.port ?? (scheme == .http ? 80 : 443) { return false }
        let name = host.rootless
        return host.matchesBelow ? authority.host.hasSuffix("." + name) : authority.host == name
    }
}
