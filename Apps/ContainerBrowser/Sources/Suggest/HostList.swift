// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import ResourceLoading

/// The list of hosts in `hosts.json`, to which a page sent requests. An app can resolve their names in advance.
struct HostList: Encodable {
    /// A host. Times are in milliseconds since the call to open.
    struct Host: Encodable {
        /// The host name in lower case, without a port.
        let host: String
        /// The time of the first request, in the run with the earliest first request.
        var firstMs: Int
        /// The number of requests, in the run with the most requests.
        var requests: Int
        /// The number of runs in which the host was needed.
        var runs: Int
    }

    /// A request that the network served or would have served.
    struct Use {
        let url: String
        let start: Double
    }

    /// The URL of the page without its query.
    let page: String
    let runs: Int
    /// The hosts in the order of their first use.
    private(set) var hosts: [Host]

    /// Creates a list from observed requests.
    /// - Parameter page: The URL that was opened.
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

    /// Returns a Boolean value that indicates whether the host is a name. An address needs no resolution.
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
