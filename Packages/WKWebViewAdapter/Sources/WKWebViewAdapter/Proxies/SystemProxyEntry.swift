// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import WebEngine
    internal import WebSyntax

    /// One entry of the list that `CFNetworkCopyProxiesForURL` returns, in the order in which proxies are tried.
    struct SystemProxyEntry {
        /// The type of a proxy (`kCFProxyTypeKey`).
        enum Kind {
            case direct
            /// An HTTP proxy, for URLs of the scheme `http` or `https`.
            case http
            case socks
            /// A script of the network (proxy auto-configuration), in place of a proxy.
            case script
            /// A proxy of another protocol, such as FTP.
            case other
        }

        var kind: Kind
        var host: String?
        var port: Int?
        var username: String?
        var password: String?

        /// Returns the routes of a list. Entries that are not supported or not valid are left out: scripts, proxies of
        /// other protocols, and those without a host.
        /// - Throws: `EngineError` with code `proxy` if no entry of a list that is not empty remains.
        static func routes(of entries: [SystemProxyEntry], to host: HostPort) throws -> [ProxyRoute] {
            let routes = entries.compactMap(\.route)
            guard routes.isEmpty, !entries.isEmpty else { return routes }
            let message =
                entries.contains { $0.kind == .script }
                ? "a script that names the proxies is not supported" : "no proxy of a supported kind"
            throw EngineError(.proxy, message, at: host.description)
        }

        private var route: ProxyRoute? {
            switch kind {
            case .direct: .direct
            case .http: proxy(defaultPort: 80).map { .http($0, credentials) }
            case .socks: proxy(defaultPort: 1_080).map { .socks5($0, credentials) }
            case .script, .other: nil
            }
        }

        private func proxy(defaultPort: Int) -> HostPort? {
            guard let host else { return nil }
            let name = WebSyntax.IPv6Address(host.utf8) == nil ? host : "[\(host)]"
            // The settings contain 0 for a port that the user has not set.
            return HostPort("\(name):\(port.flatMap { $0 == 0 ? nil : $0 } ?? defaultPort)")
        }

        private var credentials: ProxyRoute.Credentials? {
            guard let username, !username.isEmpty else { return nil }
            return ProxyRoute.Credentials(username: username, password: password ?? "")
        }
    }
#endif
