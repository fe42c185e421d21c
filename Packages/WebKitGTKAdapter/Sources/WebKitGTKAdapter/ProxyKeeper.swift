// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import WebSyntax

    /// The proxy of an engine, and who gets its credentials. All views of the engine share it.
    @MainActor
    final class ProxyKeeper {
        /// The proxy that is used now.
        private(set) var proxy: EngineProxy?
        /// Where the proxies with credentials were, that this engine had.
        private var authorities: Set<String> = []

        func use(_ proxy: EngineProxy?) {
            self.proxy = proxy
            if let proxy, proxy.answersChallenges { authorities.insert(Self.authority(proxy.host, proxy.port)) }
        }

        /// The credentials for a proxy that asks for some; `nil` where they are not for it.
        ///
        /// libsoup has one authentication for all proxies of a session, and goes on naming the first proxy that asked when
        /// another has taken its place. So a proxy that this engine had before stands for the one of now.
        func credentials(forProxyAt host: String, port: Int) -> EngineProxy.Credentials? {
            guard let proxy, proxy.answersChallenges, authorities.contains(Self.authority(host, port)) else {
                return nil
            }
            return proxy.credentials
        }

        private static func authority(_ host: String, _ port: Int) -> String {
            "\(host.lowercased()):\(port)"
        }
    }

    extension EngineProxy {
        /// Whether the credentials are for challenges: SOCKS5 has none, and gets them with each connection.
        fileprivate var answersChallenges: Bool { kind == .http && credentials != nil }

        /// The proxy as GIO wants to hear of it.
        ///
        /// SOCKS5 gets its credentials here. HTTP does not: libsoup then repeats the request for the proxy itself.
        var settingsURL: String {
            let encoded = { (text: String) in PercentEncoding.encode(text, keeping: .unreserved) }
            return switch kind {
            case .http: "http://\(host):\(port)"
            case .socks5:
                if let credentials {
                    "socks5://\(encoded(credentials.username)):\(encoded(credentials.password))@\(host):\(port)"
                } else {
                    "socks5://\(host):\(port)"
                }
            }
        }
    }
#endif
