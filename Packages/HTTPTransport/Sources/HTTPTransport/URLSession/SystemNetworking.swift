// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Never run on Linux; Scripts/check-darwin type-checks it.

internal import Foundation

#if canImport(Darwin)
    internal import CFNetwork
    internal import Network
#endif

extension URLSessionTransport.EncryptedResolver {
    /// Uses the server for all later connections of the process. Does nothing on other systems than Apple's.
    func apply() {
        #if canImport(Darwin)
            guard let url = URL(string: url), let number = UInt16(exactly: url.port ?? 443),
                let port = NWEndpoint.Port(rawValue: number)
            else { return }
            let servers = addresses.map { NWEndpoint.hostPort(host: NWEndpoint.Host("\($0)"), port: port) }
            NWParameters.PrivacyContext.default.requireEncryptedNameResolution(
                true, fallbackResolver: .https(url, serverAddresses: servers))
        #endif
    }
}

/// The namespace for the proxy settings of Apple's systems.
enum SystemProxySettings {
    /// Returns a Boolean value that indicates whether settings enable a proxy or a script for any network or scheme.
    /// - Parameter settings: The values of `CFNetworkCopySystemProxySettings`, with those of single networks in inner
    ///   dictionaries.
    static func nameProxy(_ settings: [String: Any]) -> Bool {
        settings.contains { key, value in
            if let inner = value as? [String: Any] { return nameProxy(inner) }
            return key.hasSuffix("Enable") && (value as? Int) != 0
        }
    }
}

#if canImport(Darwin)
    extension TunnelSessions.System {
        /// The operations of Apple's systems.
        static func apple(_ configuration: URLSessionTransport.Configuration) -> Self {
            Self(
                hasProxy: {
                    let settings = CFNetworkCopySystemProxySettings()?.takeRetainedValue() as? [String: Any]
                    return settings.map(SystemProxySettings.nameProxy) ?? true
                },
                load: { tunnel, url in
                    let settings = URLSessionTransport.settings(configuration)
                    settings.proxyConfigurations = [proxy(tunnel, allowsFailover: false)]
                    let session = URLSession(configuration: settings)
                    defer { session.finishTasksAndInvalidate() }
                    do {
                        _ = try await session.data(from: url)
                        return true
                    } catch {
                        return (error as? URLError)?.code != .notConnectedToInternet
                    }
                },
                makeSession: { tunnel in
                    let settings = URLSessionTransport.settings(configuration)
                    settings.proxyConfigurations = [proxy(tunnel, allowsFailover: true)]
                    return TunnelSession(tunnel, settings)
                })
        }

        /// Returns the configuration of a tunnel.
        /// - Parameter allowsFailover: A Boolean value that indicates whether a connection that the tunnel refuses is
        ///   made without it.
        private static func proxy(_ tunnel: any AddressTunneling, allowsFailover: Bool) -> ProxyConfiguration {
            let port = NWEndpoint.Port(rawValue: UInt16(clamping: tunnel.port)) ?? 0
            var proxy = ProxyConfiguration(httpCONNECTProxy: .hostPort(host: "127.0.0.1", port: port))
            proxy.applyCredential(username: tunnel.username, password: tunnel.password)
            proxy.allowFailover = allowsFailover
            return proxy
        }
    }
#endif
