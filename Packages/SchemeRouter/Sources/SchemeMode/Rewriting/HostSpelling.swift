// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The one spelling in which a host means the same to a URL of http and to one of another scheme (URL standard,
/// section 3.5): engines neither map, decode nor shorten the hosts of other schemes.
enum HostSpelling {
    /// Host and port, without the scheme's own port; `nil` for what has no plain spelling, or none at all.
    /// - Parameter authority: in lower case.
    static func plain(_ authority: [UInt8], scheme: String) -> String? {
        guard let parts = Authority(authority[...]),
            !HostSyntax.endsInNumber(parts.host) || HostSyntax.isIPv4Address(parts.host)
        else { return nil }
        let port = parts.port == (scheme == "http" ? 80 : 443) ? nil : parts.port
        return String(decoding: parts.host, as: UTF8.self) + (port.map { ":\($0)" } ?? "")
    }
}
