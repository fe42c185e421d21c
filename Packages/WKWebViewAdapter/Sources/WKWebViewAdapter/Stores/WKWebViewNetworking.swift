// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import Network
    internal import ResourceLoading
    internal import SystemSupport
    internal import WebEngine
    internal import WebKit
    internal import WebSyntax

    /// The proxy of a data store and the certificates that its views trust.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class WKWebViewNetworking: EngineNetworking {
        private let store: WKWebsiteDataStore
        private(set) var proxy: EngineProxy?
        /// SOCKS5. It is not settled whether WebKit handles CONNECT better.
        let proxyKind = EngineProxy.Kind.socks5
        /// `false`. Reported: data stores ignore their proxy, or send no credentials.
        let isProxyReliable = false
        /// The proxies of the data store before the first call of ``setProxy(_:)``.
        private var initialProxies: [ProxyConfiguration]?
        /// The DER encodings of the trusted certificates of each host.
        private var certificates: [String: Set<Data>] = [:]

        init(_ store: WKWebsiteDataStore) {
            self.store = store
        }

        // MARK: Proxy

        /// Sends the requests of the data store through a proxy; `nil` restores the earlier setting.
        ///
        /// If the description is invalid, requests fail: they never bypass the proxy.
        ///
        /// Reported: open connections stay direct, and a data store may ignore its proxy; see ``isProxyReliable``.
        func setProxy(_ proxy: EngineProxy?) {
            self.proxy = proxy
            guard let proxy else {
                if let initialProxies { store.proxyConfigurations = initialProxies }
                initialProxies = nil
                return
            }
            if initialProxies == nil { initialProxies = store.proxyConfigurations }
            store.proxyConfigurations = [proxy.configuration]
        }

        var systemProxies: (any ProxyResolving)? {
            #if canImport(CFNetwork)
                CFNetworkProxyResolver()
            #else
                nil
            #endif
        }

        // MARK: Trust

        /// Trusts a leaf certificate for one host. The delegates of the views consult the table at each connection.
        /// - Throws: `EngineError` with code `tls` if the bytes are not a certificate.
        func trust(_ certificate: EngineCertificate, for host: String) async throws {
            let der = Data(certificate.der)
            var isCertificate = DERSequence.isCertificate(certificate.der)
            #if canImport(Security)
                isCertificate = isCertificate && ServerTrust.isCertificate(der)
            #endif
            guard isCertificate else { throw EngineError(.tls, "not a certificate", at: host.printable()) }
            certificates[Self.key(of: host), default: []].insert(der)
        }

        /// Returns a Boolean value that indicates whether a host may present a certificate.
        /// - Parameters:
        ///   - der: the DER encoding of the leaf certificate.
        ///   - host: the host name or address without a port. It matches in full, without regard to ASCII case.
        func isTrusted(leaf der: Data, host: String) -> Bool {
            certificates[Self.key(of: host)]?.contains(der) == true
        }

        private static func key(of host: String) -> String {
            var key = Substring(host.asciiLowercased)
            if key.hasPrefix("["), key.hasSuffix("]") { key = key.dropFirst().dropLast() }
            return WebSyntax.IPv6Address(key.utf8)?.description ?? String(key)
        }

        // MARK: Challenges

        /// The number of attempts with the proxy's credentials. The first refusal may concern an earlier proxy.
        private static let attempts = 2

        /// Returns the response to an authentication challenge of a view or a download.
        ///
        /// It accepts a trusted certificate, and sends the credentials of the current proxy to that proxy only. The
        /// engine handles all other challenges.
        func answer(to challenge: URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            let space = challenge.protectionSpace
            #if canImport(Security)
                if let credential = ServerTrust.credential(for: space, in: self) { return (.useCredential, credential) }
            #endif
            guard space.isProxy(), challenge.previousFailureCount < Self.attempts, let proxy,
                let credentials = proxy.credentials, space.port == proxy.port,
                Self.key(of: space.host) == Self.key(of: proxy.host)
            else { return (.performDefaultHandling, nil) }
            let credential = URLCredential(
                user: credentials.username, password: credentials.password, persistence: .none)
            return (.useCredential, credential)
        }
    }

    extension EngineProxy {
        /// The proxy in the form of the system. Without a valid description it is a host that cannot exist (RFC 6761,
        /// section 6.4).
        ///
        /// WebKit matches each exception by suffix too, so that hosts below it are also direct. It sends plain http
        /// requests to an HTTP proxy by CONNECT.
        fileprivate var configuration: ProxyConfiguration {
            guard let endpoint else {
                return ProxyConfiguration(socksv5Proxy: .hostPort(host: .init("proxy.invalid"), port: 1))
            }
            var configuration =
                switch kind {
                case .http: ProxyConfiguration(httpCONNECTProxy: endpoint)
                case .socks5: ProxyConfiguration(socksv5Proxy: endpoint)
                }
            if let credentials {
                configuration.applyCredential(username: credentials.username, password: credentials.password)
            }
            configuration.excludedDomains = exceptions
            configuration.allowFailover = false
            return configuration
        }

        /// The endpoint; `nil` if host, port or credentials are invalid.
        private var endpoint: NWEndpoint? {
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            let bare = isBracketed ? String(host.dropFirst().dropLast()) : host
            let isHost =
                WebSyntax.IPv6Address(bare.utf8) != nil || !isBracketed && HostSyntax.isHost(Substring(bare).utf8)
            guard isHost, hasValidCredentials, let number = UInt16(exactly: port), number > 0,
                let port = NWEndpoint.Port(rawValue: number)
            else { return nil }
            return .hostPort(host: NWEndpoint.Host(bare), port: port)
        }

        /// RFC 7617, section 2; RFC 1929, section 2.
        private var hasValidCredentials: Bool {
            guard let credentials else { return true }
            let texts = [credentials.username, credentials.password]
            return switch kind {
            case .http: !credentials.username.utf8.contains(UInt8(ascii: ":"))
            case .socks5: texts.allSatisfy { (1...255).contains($0.utf8.count) }
            }
        }
    }

    /// The outermost form of a certificate in DER (X.690, section 8.1; RFC 5280, section 4.1).
    private enum DERSequence {
        /// Returns a Boolean value that indicates whether bytes are one sequence that begins with a sequence.
        static func isCertificate(_ bytes: [UInt8]) -> Bool {
            guard let content = content(of: bytes[...]), content.endIndex == bytes.endIndex else { return false }
            return self.content(of: content) != nil
        }

        /// Returns the contents of the sequence at the start of bytes.
        private static func content(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            var rest = bytes
            guard rest.popFirst() == 0x30, let first = rest.popFirst() else { return nil }
            var length = Int(first)
            if first >= 0x80 {
                // Three octets of length suffice for 16 MiB.
                let count = Int(first & 0x7F)
                guard (1...3).contains(count), rest.count >= count else { return nil }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            return length <= rest.count ? rest.prefix(length) : nil
        }
    }
#endif
