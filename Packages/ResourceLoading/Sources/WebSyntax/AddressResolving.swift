// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A resolver of host names in place of the system's.
///
/// Transports, tunnels and the loopback servers ask it for each new connection to a host. `Host`, the server name of
/// TLS and the verification of the certificate keep the name of the host.
///
/// Isolation: any; it may be called concurrently. ``resolves(_:)``, ``knownAddresses(of:)`` and ``record(_:of:for:)``
/// are called on event loops and must not block.
public protocol AddressResolving: Sendable {
    /// Returns a Boolean value that indicates whether this resolver is used for a host. If it is not, the system's
    /// resolver is, as if there were no other. Default: `true`.
    /// - Parameter host: a host name in lower case; never an address, `localhost` or a name below it.
    func resolves(_ host: String) -> Bool

    /// Returns the addresses of a host if they are known without a look-up, or `nil`. Default: `nil`.
    func knownAddresses(of host: String) -> [IPAddress]?

    /// Returns the addresses of a host in the order in which they are tried.
    ///
    /// The next address is tried when one fails or takes longer than 250 ms (RFC 8305, section 5). If all have failed,
    /// or after half of the time limit, this method is called once more, and addresses that it did not return before
    /// are tried too. At most 16 addresses of an array are tried. The limit for a connection is for the look-ups too.
    /// - Throws: any error. An empty array is an error too: the host has no address.
    func addresses(of host: String) async throws -> [IPAddress]

    /// Records the end of an attempt to connect to an address. It is not called for attempts that another one has made
    /// unnecessary, and not if this device has no network. An address that has not responded in half of the time limit
    /// has failed, and can be connected later. Default: does nothing.
    func record(_ outcome: AddressOutcome, of address: IPAddress, for host: String)
}

extension AddressResolving {
    public func resolves(_ host: String) -> Bool { true }

    public func knownAddresses(of host: String) -> [IPAddress]? { nil }

    public func record(_ outcome: AddressOutcome, of address: IPAddress, for host: String) {}

    /// Returns a Boolean value that indicates whether the host of an endpoint is a name that this resolver is used for.
    @_spi(Facade) public func isUsed(for target: HostPort) -> Bool {
        let host = target.host[...].utf8
        return !target.isIPv6 && !HostSyntax.endsInNumber(host) && !HostSyntax.isLocalhost(host)
            && resolves(target.host)
    }
}

/// The end of an attempt to connect to an address.
public enum AddressOutcome: Sendable, Hashable {
    /// The TCP connection was opened. TLS follows.
    case connected
    /// The address refused the connection, did not respond in time, or was not reachable.
    case failed
}
