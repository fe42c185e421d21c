// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation

/// The servers that resolve the hosts of a shop, and the hosts that its pages need.
enum ShopNames {
    static func options(_ bundle: Bundle = .main) throws -> NameResolutionOptions {
        var options = NameResolutionOptions(servers: [
            .doh(try server("https://dns.example/dns-query", ["192.0.2.1", "2001:db8::1"])),
            .doh(try server("https://dns.example.net/dns-query", ["198.51.100.1"]), .post),
        ])
        // All other hosts have the default order, `systemFirst`.
        for (host, order) in [
            ("shop.example", ResolutionOrder.secureFirst), ("*.shop.example", .secureFirst),
            ("intranet.shop.example", .off),
        ] {
            if let rule = HostRule(host) { options.rules.orders[rule] = order }
        }
        options.rules.publicHosts = Set(["shop.example", "img.shop.example"].compactMap { HostRule($0) })
        if let list = bundle.url(forResource: "hosts", withExtension: "json") {
            options.pages = [try PageHosts(json: Data(contentsOf: list))]
        }
        return options
    }

    private static func server(_ url: String, _ addresses: [String]) throws -> ResolverServer {
        try ResolverServer(url: url, addresses: addresses.compactMap { IPAddress($0) })
    }
}
