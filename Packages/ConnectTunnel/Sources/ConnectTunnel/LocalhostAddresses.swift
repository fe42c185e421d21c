// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import NIOCore
internal import WebSyntax

/// The loopback addresses of `localhost` and the names below it (RFC 6761, section 6.3).
///
/// Engines never send these names to a resolver: another computer could then answer for a name that pages and apps
/// trust like this one.
@_spi(Facade) public enum LocalhostAddresses {
    /// Returns both loopback addresses, IPv6 first, or `nil` for another name.
    ///
    /// - Parameters:
    ///   - host: A host name in any case, with or without a trailing dot.
    ///   - port: The port of the addresses.
    public static func of(_ host: String, port: Int) throws -> [SocketAddress]? {
        guard HostSyntax.isLocalhost(host[...].utf8) else { return nil }
        return [try SocketAddress(ipAddress: "::1", port: port), try SocketAddress(ipAddress: "127.0.0.1", port: port)]
    }
}
