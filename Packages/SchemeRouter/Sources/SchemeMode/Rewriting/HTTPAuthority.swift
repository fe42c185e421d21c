// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// Hosts of URLs.
enum HTTPAuthority {
    /// The host of an absolute URL, without a port.
    static func host(of url: String) -> Substring? {
        guard let authority = HTTPRequest(urlText: url)?.webOrigin?.authority else { return nil }
        guard !authority.hasPrefix("["), let colon = authority.lastIndex(of: ":") else { return authority[...] }
        return authority[..<colon]
    }
}
