// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOHTTP1

/// What a request line asks for, by the forms of RFC 9112, section 3.2.
enum RequestTarget: Sendable, Equatable {
    /// `CONNECT host:port`: a connection to there.
    case authority(HostPort)
    /// An absolute `http` URL, as a proxy is asked: the server, path and query.
    case absolute(HostPort, path: String)
    /// Path and query alone, as a server is asked.
    case origin(path: String)
    /// `OPTIONS *`: the server as a whole.
    case asterisk

    /// - Throws: ``RequestFault`` for what is none of these, or not with this method.
    init(_ head: HTTPRequestHead) throws(RequestFault) {
        let uri = head.uri
        if head.method == .CONNECT {
            guard let target = HostPort(uri) else { throw RequestFault("CONNECT asks for no host and port") }
            self = .authority(target)
        } else if uri == "*" {
            guard head.method == .OPTIONS else { throw RequestFault("* is for OPTIONS alone") }
            self = .asterisk
        } else if uri.utf8.first == UInt8(ascii: "/") {
            guard Self.isPath(uri.utf8) else { throw RequestFault("the path is not one of a URL") }
            self = .origin(path: uri)
        } else {
            self = try Self.absolute(uri, isOptions: head.method == .OPTIONS)
        }
    }

    private static func absolute(_ uri: String, isOptions: Bool) throws(RequestFault) -> RequestTarget {
        let scheme = "http://"
        guard uri.utf8.count > scheme.utf8.count, uri.prefix(scheme.count).lowercased() == scheme else {
            throw RequestFault("the request line has no http URL")
        }
        let rest = uri.dropFirst(scheme.count)
        let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        guard let server = HostPort(rest[..<end], defaultPort: 80) else {
            throw RequestFault("the request's URL names no host")
        }
        var path = String(rest[end...])
        guard isPath(path.utf8) else { throw RequestFault("the path is not one of a URL") }
        if path.isEmpty {
            // RFC 9112, section 3.2.4: of an OPTIONS that means the server as a whole.
            path = isOptions ? "*" : "/"
        } else if path.utf8.first == UInt8(ascii: "?") {
            path = "/" + path
        }
        return .absolute(server, path: path)
    }

    /// No blank, no control, nothing but ASCII, and no fragment, which is never sent (RFC 9110, section 7.1).
    private static func isPath(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
    }
}
