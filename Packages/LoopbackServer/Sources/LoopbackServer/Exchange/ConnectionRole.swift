// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1
internal import WebSyntax

/// The kind of a connection: its permitted requests, their target, and the changes to request and response fields.
enum ConnectionRole: Sendable {
    /// An intercepted connection: all requests are for this host, with or without TLS.
    case opened(HostPort, isSecure: Bool)
    /// A proxy connection for absolute http URLs, whose requests must contain these credentials.
    case proxy(ProxyCredentials)
    /// A connection to a site of the local server, under the local host name of the site.
    case site(LocalSiteRole)

    /// The target of a request.
    struct Target: Sendable {
        /// The host to connect to.
        let host: HostPort
        let isSecure: Bool
        /// The path and query; `*` for the server as a whole.
        let path: String

        /// The authority in the form of URLs: without the port if it is the default port of the scheme.
        var authority: String { host.authority(isSecure: isSecure) }
    }

    /// The host that the engine connected to; `nil` for a proxy connection.
    var host: HostPort? {
        switch self {
        case .opened(let host, _): host
        case .proxy: nil
        case .site(let role): role.place
        }
    }

    /// Returns the target of a request.
    /// - Throws: ``RequestFault`` if the request is not permitted on this connection, or not authenticated.
    func target(of head: HTTPRequestHead) throws(RequestFault) -> Target {
        switch (self, try RequestTarget(head)) {
        case (.opened(let host, let isSecure), .origin(let path)): try Self.opened(head, host, isSecure, path)
        case (.opened(let host, let isSecure), .asterisk): try Self.opened(head, host, isSecure, "*")
        case (.site(let role), .origin(let path)): try role.target(of: head, path)
        case (.site(let role), .asterisk): try role.target(of: head, "*")
        case (.opened, _), (.site, _):
            throw RequestFault("the request target is not the host of the connection", .misdirected)
        case (.proxy, .absolute(let host, let path)):
            // RFC 9112, section 3.2.2: the URL takes precedence over Host.
            Target(host: host, isSecure: false, path: path)
        case (.proxy, _): throw RequestFault("a proxy request needs CONNECT or an absolute http URL")
        }
    }

    /// Returns the target of a request on an intercepted connection. A request for another host is misdirected (RFC
    /// 9110, section 7.4).
    private static func opened(
        _ head: HTTPRequestHead, _ host: HostPort, _ isSecure: Bool, _ path: String
    ) throws(RequestFault) -> Target {
        if let field = head.headers.first(name: "host") {
            guard HostPort(field, defaultPort: isSecure ? 443 : 80) == host else {
                throw RequestFault("Host is not the host of the connection", .misdirected)
            }
        }
        return Target(host: host, isSecure: isSecure, path: path)
    }

    /// Replaces the engine's origin with the real origin in the fields of a request.
    func restore(_ headers: inout HTTPHeaders) {
        if case .site(let role) = self { role.restore(&headers) }
    }

    /// Replaces the real origin with the engine's origin in the fields of a response.
    func localize(_ headers: inout HTTPHeaders) {
        if case .site(let role) = self { role.localize(&headers) }
    }
}
