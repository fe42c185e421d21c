// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOHTTP1

/// Which requests a connection may carry, for whom they are, and what they and their answers say that is different here.
enum ConnectionRole: Sendable {
    /// It was opened: whatever comes is for this host, over TLS or as it is.
    case opened(HostPort, isSecure: Bool)
    /// A proxy is asked, for http URLs, by who says these with each request.
    case proxy(ProxyCredentials)
    /// A site of the local server, which has another name there.
    case site(LocalSiteRole)

    /// What a request is for.
    struct Target: Sendable {
        /// As it is connected to.
        let host: HostPort
        let isSecure: Bool
        /// Path and query; `*` for the server as a whole.
        let path: String

        /// As URLs have it: without the port where it is the scheme's own.
        var authority: String { host.authority(isSecure: isSecure) }
    }

    /// The host that the engine made a connection to; `nil` where it is a proxy's.
    var host: HostPort? {
        switch self {
        case .opened(let host, _): host
        case .proxy: nil
        case .site(let role): role.place
        }
    }

    /// - Throws: ``RequestFault`` for a request that is not for this connection, or of somebody who is not served.
    func target(of head: HTTPRequestHead) throws(RequestFault) -> Target {
        switch (self, try RequestTarget(head)) {
        case (.opened(let host, let isSecure), .origin(let path)): try Self.opened(head, host, isSecure, path)
        case (.opened(let host, let isSecure), .asterisk): try Self.opened(head, host, isSecure, "*")
        case (.site(let role), .origin(let path)): try role.target(of: head, path)
        case (.site(let role), .asterisk): try role.target(of: head, "*")
        case (.opened, _), (.site, _):
            throw RequestFault("a request for elsewhere on a connection to one host", .misdirected)
        case (.proxy, .absolute(let host, let path)):
            // RFC 9112, section 3.2.2: the URL counts, and Host is passed over.
            Target(host: host, isSecure: false, path: path)
        case (.proxy, _): throw RequestFault("a proxy is asked by CONNECT or by an absolute http URL")
        }
    }

    /// RFC 9110, section 7.4: what is said to one host is not for another one.
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

    /// Makes the fields of a request what the host knows.
    func restore(_ headers: inout HTTPHeaders) {
        if case .site(let role) = self { role.restore(&headers) }
    }

    /// Makes the fields of an answer what the engine knows.
    func localize(_ headers: inout HTTPHeaders) {
        if case .site(let role) = self { role.localize(&headers) }
    }
}
