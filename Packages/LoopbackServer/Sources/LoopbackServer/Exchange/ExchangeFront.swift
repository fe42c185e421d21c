// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import HTTPTypes
internal import NIOHTTP1

/// Which requests a connection may carry, and for whom they are.
enum ExchangeFront: Sendable {
    /// It was opened: whatever comes is for this host, over TLS or as it is.
    case opened(HostPort, isSecure: Bool)
    /// A proxy is asked, for http URLs.
    case proxy

    /// What a request is for.
    struct Target: Sendable {
        /// As it is connected to.
        let host: HostPort
        let isSecure: Bool
        /// As URLs have it: without the port where it is the scheme's own.
        let authority: String
        /// Path and query; `*` for the server as a whole.
        let path: String
    }

    /// - Throws: ``RequestFault`` for a request that is not for this connection.
    func target(of head: HTTPRequestHead) throws(RequestFault) -> Target {
        switch (self, try RequestTarget(head)) {
        case (.opened(let host, let isSecure), .origin(let path)): try Self.opened(head, host, isSecure, path)
        case (.opened(let host, let isSecure), .asterisk): try Self.opened(head, host, isSecure, "*")
        case (.opened, _): throw RequestFault("a request for elsewhere on a connection to one host", .misdirected)
        case (.proxy, .absolute(let host, let path)):
            // RFC 9112, section 3.2.2: the URL counts, and Host is passed over.
            Target(host: host, isSecure: false, authority: host.authority(isSecure: false), path: path)
        case (.proxy, _): throw RequestFault("a proxy is asked by CONNECT or by an absolute http URL")
        }
    }

    /// RFC 9110, section 7.4: what is said to one host is not for another one.
    private static func opened(
        _ head: HTTPRequestHead, _ host: HostPort, _ isSecure: Bool, _ path: String
    ) throws(RequestFault) -> Target {
        let port = isSecure ? 443 : 80
        if let field = head.headers.first(name: "host") {
            guard HostPort(field, defaultPort: port) == host else {
                throw RequestFault("Host is not the host of the connection", .misdirected)
            }
        }
        return Target(host: host, isSecure: isSecure, authority: host.authority(isSecure: isSecure), path: path)
    }
}
