// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A URL in the form that rules compare.
struct RoutedURL {
    let scheme: RouteRule.Scheme
    let authority: HostAuthority
    let path: NormalPath

    /// Creates the comparable form of a request's URL.
    /// - Returns: `nil` if the URL is not an `http` or `https` URL, contains a user, or is too long.
    init?(_ request: HTTPRequest) {
        guard
            let scheme = request.scheme.flatMap({
                RouteRule.Scheme(rawValue: $0) ?? .init(rawValue: $0.asciiLowercased)
            }),
            var text = request.authority, text.utf8.count <= 262  // Name, dot and port.
        else { return nil }
        // A trailing dot is the DNS root and does not change the host.
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
