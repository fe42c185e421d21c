// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The spelling of a host that has the same meaning in an http URL and in a URL of another scheme (WHATWG URL, section
/// 3.5). Engines do not map, decode or normalise the hosts of other schemes.
enum HostSpelling {
    /// Returns the host and port without the default port; `nil` if the host has no such spelling or is invalid.
    /// - Parameters:
    ///   - authority: The authority in lower case.
    ///   - scheme: The real scheme.
    static func plain(_ authority: [UInt8], scheme: String) -> String? {
        guard let parts = Authority(authority[...]),
            !HostSyntax.endsInNumber(parts.host) || HostSyntax.isIPv4Address(parts.host)
        else { return nil }
        let port = parts.port == (scheme == "http" ? 80 : 443) ? nil : parts.port
        return String(decoding: parts.host, as: UTF8.self) + (port.map { ":\($0)" } ?? "")
    }
}
