// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1
internal import WebSyntax

extension HTTPHeaders {
    /// Returns the fields that a proxy forwards, without connection-specific fields (RFC 9110, section 7.6.1).
    func withoutHopByHop() -> HTTPHeaders {
        var headers = self
        // Content-Length and Host are forwarded, even if Connection contains their names.
        for name in ConnectionFields.names(namedBy: self["connection"])
        where !["content-length", "host"].contains(name) {
            headers.remove(name: name)
        }
        return headers
    }
}
