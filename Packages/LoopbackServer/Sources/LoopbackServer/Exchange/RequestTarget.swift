// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1
internal import WebSyntax

/// The target of a request line, in the forms of RFC 9112, section 3.2.
enum RequestTarget: Sendable, Equatable {
    /// `CONNECT host:port`: a connection to a host.
    case authority(HostPort)
    /// An absolute `http` URL, as sent to a proxy: the server, and the path and query.
    case absolute(HostPort, path: String)
    /// The path and query, as sent to a server.
    case origin(path: String)
    /// `OPTIONS *`: the server as a whole.
    case asterisk

    /// Creates the target of a request.
    /// - Throws: ``RequestFault`` if the target has none of the forms, or if the method does not permit its form.
    init(_ head: HTTPRequestHead) throws(RequestFault) {
        let uri = head.uri
        if head.method == .CONNECT {
            guard let target = HostPort(uri) else { throw RequestFault("the CONNECT target is not host:port") }
            self = .authority(target)
        } else if uri == "*" {
            guard head.method == .OPTIONS else { throw RequestFault("* requires OPTIONS") }
            self = .asterisk
        } else if uri.utf8.first == UInt8(ascii: "/") {
            guard Self.isPath(uri.utf8) else { throw RequestFault("invalid path in the request target") }
            self = .origin(path: uri)
        } else {
            self = try Self.absolute(uri, isOptions: head.method == .OPTIONS)
        }
    }

    private static func absolute(_ uri: String, isOptions: Bool) throws(RequestFault) -> RequestTarget {
        let scheme = "http://"
        guard uri.utf8.count > scheme.utf8.count, uri.prefix(scheme.count).asciiLowercased == scheme else {
            throw RequestFault("the request target is not an http URL")
        }
        let rest = uri.dropFirst(scheme.count)
        let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        guard let server = HostPort(rest[..<end], defaultPort: 80) else {
            throw RequestFault("the request URL has no host")
        }
        var path = String(rest[end...])
        guard isPath(path.utf8) else { throw RequestFault("invalid path in the request target") }
        if path.isEmpty {
            // RFC 9112, section 3.2.4: an OPTIONS request without a path means the server as a whole.
            path = isOptions ? "*" : "/"
        } else if path.utf8.first == UInt8(ascii: "?") {
            path = "/" + path
        }
        return .absolute(server, path: path)
    }

    /// Returns a Boolean value that indicates whether the bytes are a valid path and query: visible ASCII without a
    /// fragment, which is never sent (RFC 9110, section 7.1).
    private static func isPath(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
    }
}
