// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import ResourceLoading

/// The hosts that a page needed from the network, for who resolves names ahead: `hosts.json`.
struct HostList: Encodable {
    /// Times are milliseconds since the page was asked for.
    struct Host: Encodable {
        /// In lower case, without a port.
        let host: String
        /// When it was first asked for, in the run in which that was soonest.
        var firstMs: Int
        /// In the run with most of them.
        var requests: Int
        /// In how many runs it was needed.
        var runs: Int
    }

    /// A request that went to the network, or would have.
    struct Use {
        let url: String
        let start: Double
    }

    /// Without its query.
    let page: String
    let runs: Int
    /// In the order of their first use.
    private(set) var hosts: [Host]

    /// - Parameter page: the URL that was opened.
    init(page: String, runs: [[Use]]) {
        self.page = String(page.prefix { $0 != "?" && $0 != "#" })
        self.runs = runs.count
        var hosts: [String: Host] = [:]
        for run in runs {
            let uses = Dictionary(grouping: run) { WebOrigin(url: $0.url).map { String($0.host) } ?? "" }
            for (name, uses) in uses where Self.isName(name) {
                let first = Int(max(uses.map(\.start).min() ?? 0, 0))
                var host = hosts[name] ?? Host(host: name, firstMs: first, requests: 0, runs: 0)
                host.firstMs = min(host.firstMs, first)
                host.requests = max(host.requests, uses.count)
                host.runs += 1
                hosts[name] = host
            }
        }
        self.hosts = hosts.values.sorted { ($0.firstMs, $0.host) < ($1.firstMs, $1.host) }
    }

    /// Addresses need no look-up.
    private static func isName(_ host: String) -> Bool {
        guard let last = host.split(separator: ".").last else { return false }
        return !host.hasPrefix("[") && !last.allSatisfy { $0.isASCII && $0.isNumber }
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
