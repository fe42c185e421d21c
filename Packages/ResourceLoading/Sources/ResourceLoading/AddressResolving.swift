// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Says at which addresses a name is found: the host app's own look-up, in place of the system's.
///
/// Isolation: any, and concurrently.
public protocol AddressResolving: Sendable {
    /// The addresses of a host, best first, as text: `192.0.2.1` or `2001:db8::1`. They are tried in the way of
    /// RFC 8305: those of IPv6 first, the next one when one fails or takes longer than 250 ms.
    ///
    /// Asked for names only, each time that a connection is made, in lower case. The wait ends by the transport's
    /// connect timeout.
    /// - Throws: any error; an empty answer is one too: the name has no address.
    func addresses(of host: String) async throws -> [String]
}
