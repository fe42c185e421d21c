// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The authority of a URL: host and port, apart.
struct HostAuthority {
    /// In lower case; an IPv6 literal in its brackets.
    let host: String
    let port: Int?

    /// - Returns: `nil` for an invalid host, and for a port that no connection can be made to.
    init?(_ text: String) {
        guard let authority = Authority(text[...].utf8), authority.hasConnectablePort, authority.host.count <= 255
        else {
            return nil
        }
        host = Substring(authority.host).lowercased()
        port = authority.port
    }
}
