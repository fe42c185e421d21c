// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import WebSyntax

    /// The proxy of an engine and the check of authentication requests against it. All views of the engine share it.
    @MainActor
    final class ProxyKeeper {
        /// The proxy in use.
        private(set) var proxy: EngineProxy?
        /// The hosts and ports of all HTTP proxies with credentials that this engine has used.
        private var authorities: Set<String> = []

        func use(_ proxy: EngineProxy?) {
            self.proxy = proxy
            if let proxy, proxy.answersChallenges { authorities.insert(Self.authority(proxy.host, proxy.port)) }
        }

        /// Returns the current credentials for a proxy that requests authentication; `nil` if there are none, or this
        /// engine has not used the proxy.
        ///
        /// libsoup has one authentication state for all proxies of a session. After a change of the proxy, it still
        /// reports the first proxy that requested authentication. Therefore an earlier proxy of this engine is accepted
        /// in place of the current proxy.
        func credentials(forProxyAt host: String, port: Int) -> EngineProxy.Credentials? {
            guard let proxy, proxy.answersChallenges, authorities.contains(Self.authority(host, port)) else {
                return nil
            }
            return proxy.credentials
        }

        private static func authority(_ host: String, _ port: Int) -> String {
            "\(host.asciiLowercased):\(port)"
        }
    }

    extension EngineProxy {
        /// A Boolean value that indicates whether the credentials answer authentication challenges. SOCKS5 has no
        /// challenges and receives the credentials with each connection.
        fileprivate var answersChallenges: Bool { kind == .http && credentials != nil }

        /// The URL of the proxy for GIO.
        ///
        /// The URL contains the credentials for SOCKS5 only. With credentials in the URL of an HTTP proxy, libsoup
        /// repeats the request to the proxy itself.
        var settingsURL: String {
            // RFC 3986, section 3.2.2.
            let authority = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]:\(port)" : "\(host):\(port)"
            guard kind == .socks5 else { return "http://\(authority)" }
            guard let credentials else { return "socks5://\(authority)" }
            let encoded = { (text: String) in PercentEncoding.encode(text, keeping: .unreserved) }
            return "socks5://\(encoded(credentials.username)):\(encoded(credentials.password))@\(authority)"
        }
    }
#endif
