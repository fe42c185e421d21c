// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation

/// The servers that resolve the hosts of a shop, and the hosts that its pages need.
enum ShopNames {
    static func options(_ bundle: Bundle = .main) throws -> NameResolutionOptions {
        let first = try ResolverServer(
            url: "https://dns.example/dns-query", addresses: ["192.0.2.1", "2001:db8::1"])
        let second = try ResolverServer(
            url: "https://dns.example.net/dns-query", addresses: ["198.51.100.1", "2001:db8::2"])
        var options = NameResolutionOptions(servers: [.doh(first), .doh(second, method: .post)])
        // All other hosts have the default order, `systemFirst`: each answer of the system is used.
        try options.rules.use(.secureFirst, for: "shop.example", "*.shop.example")
        try options.rules.use(.off, for: "intranet.shop.example")
        try options.rules.requirePublicAddresses(for: "shop.example", "img.shop.example")
        if let list = bundle.url(forResource: "hosts", withExtension: "json") {
            options.pages = [try PageHosts(json: Data(contentsOf: list))]
        }
        return options
    }
}
