// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1

/// The target of a proxy request.
enum ProxyTarget: Equatable {
    /// `CONNECT host:port`.
    case tunnel(Endpoint)
    /// An absolute `http` URL: the server, its authority as written, and the path and query.
    case request(Endpoint, authority: String, path: String)

    /// Parses a request target in the forms of RFC 9112, section 3.2. Returns `nil` for a target that a proxy does not
    /// accept.
    init?(_ head: HTTPRequestHead) {
        if head.method == .CONNECT {
            guard let endpoint = Endpoint(authority: head.uri) else { return nil }
            self = .tunnel(endpoint)
            return
        }
        let scheme = "http://"
        guard head.uri.utf8.count > scheme.utf8.count,
            head.uri.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        let rest = head.uri.dropFirst(scheme.count)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        guard let endpoint = Endpoint(authority: rest[..<end], defaultPort: 80) else { return nil }
        var path = String(rest[end...].prefix { $0 != "#" })
        if path.isEmpty {
            path = head.method == .OPTIONS ? "*" : "/"
        } else if path.first == "?" {
            path = "/" + path
        }
        self = .request(endpoint, authority: String(rest[..<end]), path: path)
    }
}
