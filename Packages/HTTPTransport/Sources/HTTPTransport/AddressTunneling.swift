// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebSyntax

/// A CONNECT proxy on loopback that resolves the names of hosts with an `AddressResolving`. TLS remains between the
/// client and the host.
///
/// It requires its own credentials (`Basic`, RFC 7617), and refuses names below `invalid` without a look-up (RFC 6761,
/// section 6.4). `AsyncHTTPTransport` of the module NIOTransport starts one.
///
/// Isolation: any.
public protocol AddressTunneling: Sendable {
    /// The port on 127.0.0.1.
    var port: Int { get }
    /// The user name of the credentials.
    var username: String { get }
    /// The password of the credentials.
    var password: String { get }

    /// Stops accepting connections. Open connections end with their clients.
    func close()

    /// Calls a closure when the listener is closed for any reason; immediately if it is already closed. The system can
    /// close it while an app is suspended.
    func whenClosed(_ body: @escaping @Sendable () -> Void)

    /// Returns and removes the latest error of connecting to a host for a request with the credentials, or returns
    /// `nil`. An error is available before the client has the response.
    func removeFailure(of target: HostPort) -> (any Error)?
}
