// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit

/// The options of an app that knows more about its devices than their systems report.
enum DeviceOptions {
    static func apply(to configuration: inout ContainerConfiguration) {
        // The devices have a cable, and no NetworkManager that reports it.
        configuration.unknownNetwork = .unmetered
        configuration.network.proxies = .resolver(CompanyProxy())
    }
}

/// The proxy of a company, and direct connections to its own hosts.
struct CompanyProxy: ProxyResolving {
    func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
        guard !host.host.hasSuffix(".intranet.example") else { return [.direct] }
        return [.http(HostPort(host: "proxy.example", port: 3_128), nil)]
    }
}
