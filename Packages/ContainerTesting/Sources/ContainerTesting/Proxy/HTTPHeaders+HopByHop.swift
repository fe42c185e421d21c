// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1

extension HTTPHeaders {
    /// Fields that speak of one connection only (RFC 9110, section 7.6.1).
    private static let hopByHop = [
        "connection", "proxy-connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// The fields that a proxy passes on: all but the hop-by-hop ones and those that `Connection` names.
    func withoutHopByHop() -> HTTPHeaders {
        var headers = self
        // Framing and routing do not go because a sender names them in Connection.
        for name in self[canonicalForm: "connection"]
        where !["content-length", "host"].contains(name.lowercased()) {
            headers.remove(name: String(name))
        }
        for name in Self.hopByHop {
            headers.remove(name: name)
        }
        return headers
    }
}
