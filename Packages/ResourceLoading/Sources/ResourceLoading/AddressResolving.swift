// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The host app's own name lookup, in place of the system's.
///
/// Isolation: any; it may be called concurrently.
public protocol AddressResolving: Sendable {
    /// Returns the addresses of a host as text, such as `192.0.2.1` or `2001:db8::1`, in order of preference.
    ///
    /// The transport tries the addresses as RFC 8305 describes: IPv6 first, and the next address when one fails or
    /// takes longer than 250 ms. It calls this method for each new connection, with a lowercase host name and never
    /// with an address, `localhost` or a name below it. The transport's connect timeout limits the wait.
    /// - Throws: any error. An empty array is an error too: the host has no address.
    func addresses(of host: String) async throws -> [String]
}
