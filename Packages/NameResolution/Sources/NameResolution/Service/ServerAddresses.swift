// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import WebSyntax

/// The known addresses of resolver servers, for the transport of the requests to them. No resolver is needed to reach
/// these servers; the system resolves other hosts.
package struct ServerAddresses: AddressResolving {
    private let addresses: [String: [IPAddress]]

    /// Creates a resolver for the hosts of servers that have addresses.
    package init(of servers: [ResolverServer]) {
        addresses = Dictionary(servers.filter { !$0.addresses.isEmpty }.map { ($0.authority.host, $0.addresses) }) {
            $0 + $1
        }
    }

    package func resolves(_ host: String) -> Bool { addresses[host] != nil }

    package func knownAddresses(of host: String) -> [IPAddress]? { addresses[host] }

    package func addresses(of host: String) async throws -> [IPAddress] { addresses[host] ?? [] }
}
