// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The proxy and the trusted certificates of an engine.
///
/// Isolation: the main actor.
@MainActor
public protocol EngineNetworking: AnyObject {
    /// Sends the engine's own requests through a proxy, or with `nil` as at first again. Where the proxy asks for
    /// credentials, the engine answers with those of the proxy, and asks nobody.
    func setProxy(_ proxy: EngineProxy?)

    /// The proxy that was set last; `nil` at first.
    var proxy: EngineProxy? { get }

    /// Trusts exactly this leaf certificate, whoever has signed it, for one host, as long as the engine lives. It holds for
    /// connections that are made after this returns. Other certificates of the host, and this one at other hosts, stay
    /// errors.
    /// - Parameters:
    ///   - certificate: as the host presents it.
    ///   - host: a name or an address, without a port, as it stands in URLs.
    /// - Throws: ``EngineError`` with code `tls` where these bytes are no certificate, or `timedOut` where the engine does
    ///   not take it in.
    func trust(_ certificate: EngineCertificate, for host: String) async throws
}

/// A proxy on a host and a port.
public struct EngineProxy: Sendable, Hashable {
    /// What a proxy speaks.
    public enum Kind: Sendable, Hashable {
        /// HTTP: `CONNECT` for https, requests for absolute URLs for http.
        case http
        /// SOCKS5 (RFC 1928), with credentials by RFC 1929: a tunnel for each connection, http included. Names are
        /// resolved by the proxy.
        case socks5
    }

    /// What a proxy wants to hear before it serves.
    public struct Credentials: Sendable, Hashable {
        /// Without a colon, which would end it (RFC 7617, section 2), where the proxy speaks HTTP; up to 255 bytes for
        /// SOCKS5.
        public let username: String
        /// Up to 255 bytes for SOCKS5. No description of this value shows it.
        public let password: String

        /// Takes both as they are.
        public init(username: String, password: String) {
            self.username = username
            self.password = password
        }
    }

    /// What it speaks.
    public let kind: Kind
    /// A name or an address.
    public let host: String
    /// 1 to 65535.
    public let port: Int
    /// Names and addresses that are asked directly; none by default.
    public let exceptions: [String]
    /// What the engine says where the proxy asks; `nil`, the default, for a proxy that serves anyone.
    public let credentials: Credentials?

    /// Names a proxy; whether it answers shows with the first request.
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

// Proxies are logged, and dumped by debuggers: the password stays out of it.
extension EngineProxy.Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user's name alone.
    public var description: String { "\(username):…" }
    /// The user's name alone.
    public var debugDescription: String { description }
    /// The user's name alone.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}

/// A certificate of X.509, as it goes over the wire.
public struct EngineCertificate: Sendable, Hashable {
    /// The bytes in DER. They are not checked here: an engine does that, where it is told to trust them.
    public let der: [UInt8]

    /// Takes the bytes of one certificate over.
    public init(der: [UInt8]) {
        self.der = der
    }
}
