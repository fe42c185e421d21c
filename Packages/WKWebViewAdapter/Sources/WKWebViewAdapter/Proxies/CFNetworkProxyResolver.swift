// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Never run on Linux, which has no CFNetwork; Scripts/check-darwin type-checks it. The interpretation of the values is
// in SystemProxyEntry.swift.

#if canImport(CFNetwork)
    internal import CFNetwork
    internal import Foundation
    internal import ResourceLoading
    internal import WebSyntax

    /// The proxies of the settings of the current network.
    ///
    /// Isolation: any.
    struct CFNetworkProxyResolver: ProxyResolving {
        func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
            let scheme = isSecure ? "https" : "http"
            guard let url = URL(string: "\(scheme)://\(host.authority(isSecure: isSecure))/"),
                let settings = CFNetworkCopySystemProxySettings()?.takeRetainedValue()
            else { return [] }
            let list = CFNetworkCopyProxiesForURL(url as CFURL, settings).takeRetainedValue() as? [[String: Any]]
            return try SystemProxyEntry.routes(of: (list ?? []).map(Self.entry), to: host)
        }

        private static func entry(_ values: [String: Any]) -> SystemProxyEntry {
            SystemProxyEntry(
                kind: (values[kCFProxyTypeKey as String] as? String).flatMap { kinds[$0] } ?? .other,
                host: values[kCFProxyHostNameKey as String] as? String,
                port: values[kCFProxyPortNumberKey as String] as? Int,
                username: values[kCFProxyUsernameKey as String] as? String,
                password: values[kCFProxyPasswordKey as String] as? String)
        }

        private static let kinds: [String: SystemProxyEntry.Kind] = [
            kCFProxyTypeNone as String: .direct,
            kCFProxyTypeHTTP as String: .http,
            kCFProxyTypeHTTPS as String: .http,
            kCFProxyTypeSOCKS as String: .socks,
            kCFProxyTypeAutoConfigurationURL as String: .script,
            kCFProxyTypeAutoConfigurationJavaScript as String: .script,
        ]
    }
#endif
