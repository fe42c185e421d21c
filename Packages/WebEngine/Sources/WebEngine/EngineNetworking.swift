// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading
public import WebSyntax

/// The proxy and the trusted certificates of an engine.
///
/// Isolation: the main actor.
@MainActor
public protocol EngineNetworking: AnyObject {
    /// Sends the engine's requests through a proxy; `nil` restores the initial setting.
    ///
    /// If the proxy requests authentication, the engine sends the credentials of `proxy` without a prompt.
    func setProxy(_ proxy: EngineProxy?)

    /// The proxy that was set last; `nil` initially.
    var proxy: EngineProxy? { get }

    /// The protocol of a loopback proxy of the app. The proxy supports both; an engine may handle one of them better.
    var proxyKind: EngineProxy.Kind { get }

    /// A Boolean value that indicates whether all requests use the proxy and its credentials once ``setProxy(_:)`` has
    /// returned. If it is `false`, pages do not depend on the proxy before a proof by requests.
    var isProxyReliable: Bool { get }

    /// The resolver of the proxies in the system's settings, which the engine uses by itself while no proxy is set;
    /// `nil` if the engine cannot read them. The container uses it for its own connections.
    var systemProxies: (any ProxyResolving)? { get }

    /// Trusts one leaf certificate for one host for the lifetime of the engine, regardless of its issuer.
    ///
    /// The certificate applies to connections that are opened after this call returns. Other certificates of the host,
    /// and this certificate at other hosts, remain TLS errors.
    /// - Parameters:
    ///   - certificate: the certificate that the host presents.
    ///   - host: the host name or address without a port, in the form used in URLs.
    /// - Throws: ``EngineError`` with code `tls` if the bytes are not a certificate, or `timedOut` if the engine does
    ///   not accept the certificate in time.
    func trust(_ certificate: EngineCertificate, for host: String) async throws
}

/// A proxy server and its credentials.
public struct EngineProxy: Sendable, Hashable {
    /// The protocol of a proxy.
    public enum Kind: Sendable, Hashable {
        /// HTTP: `CONNECT` for https, requests for absolute URLs for http.
        case http
        /// SOCKS5 (RFC 1928) with username and password authentication (RFC 1929). Each connection, plain http
        /// included, is a tunnel. The proxy resolves host names.
        case socks5
    }

    /// The credentials of a client for a proxy.
    public typealias Credentials = ProxyRoute.Credentials

    /// The protocol of the proxy.
    public let kind: Kind
    /// The host name or address of the proxy.
    public let host: String
    /// The port, 1 to 65535.
    public let port: Int
    /// The host names and addresses that the engine connects to directly; empty by default.
    public let exceptions: [String]
    /// The credentials that the engine sends; `nil`, the default, for a proxy without authentication.
    public let credentials: Credentials?

    /// Creates a proxy description. The proxy is not contacted.
    public init(
        _ kind: Kind = .http, host: String, port: Int, exceptions: [String] = [], credentials: Credentials? = nil
    ) {
        self.kind = kind
        self.host = host
        self.port = port
        self.exceptions = exceptions
        self.credentials = credentials
    }
}

/// An X.509 certificate.
public struct EngineCertificate: Sendable, Hashable {
    /// The DER encoding. It is not validated here; the engine validates it in ``EngineNetworking/trust(_:for:)``.
    public let der: [UInt8]

    /// Creates a certificate from its DER encoding.
    public init(der: [UInt8]) {
        self.der = der
    }
}
