// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import Prefetch
internal import PublicSuffixList
@_spi(Testing) internal import RequestPipeline
internal import ResourceTable
internal import SchemeRouter
internal import WebEngine

/// What a stage is set up with.
struct StageOptions: Sendable {
    var mode: InterceptionMode
    var packages: [PackageFiles]
    var network: NetworkProfile
    /// The container's folder; installed packages stay there from stage to stage.
    var directory: String
    /// Whether pages open in a view that is warm already.
    var warm: Bool
    /// Whether all hosts but the covered ones are out of the engine's reach.
    var isSecluded = false
    /// What is trusted beside the system's authorities; nothing by default.
    var trusted: [TrustedCertificate] = []
    /// What is fetched ahead of pages; nothing by default.
    var prefetch: PrefetchTable?
    /// Where the resource table lies; there is none by default.
    var table: TableURL?
    /// Bridges that pages get although the mode needs none; none by default.
    var bridges: ForcedBridges = []
    /// Whether pages are drawn with OpenGL; by the processor by default.
    var usesOpenGL = false
    /// Notes what goes over the container's network; nothing does by default.
    var traffic: TrafficLog?
    private(set) var coveredHosts: [HostPattern]
    /// The covered hosts as names and addresses, without ports and brackets.
    private(set) var coveredNames: [String]

    /// - Throws: a usage error where a URL has no host.
    init(
        mode: InterceptionMode, packages: [PackageFiles], network: NetworkProfile, covering urls: [String],
        directory: String, warm: Bool
    ) throws {
        self.mode = mode
        self.packages = packages
        self.network = network
        self.directory = directory
        self.warm = warm
        coveredNames = Set(urls.compactMap { URLComponents(string: $0)?.host })
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "[]")) }.sorted()
        coveredHosts = try Set(urls.map(Self.host(of:))).sorted { $0.description < $1.description }
    }

    /// Covers all hosts of the sites of the covered ones, too: a page's data is often at a host of its own.
    mutating func coverSites() {
        let domains = Set(coveredNames.compactMap { SuffixList().registrableDomain(of: $0) }).sorted()
        coveredHosts += domains.flatMap { [HostPattern($0), HostPattern("*." + $0)] }.compactMap { $0 }
    }

    /// The same on another network.
    func on(_ network: NetworkProfile) -> StageOptions {
        var options = self
        options.network = network
        return options
    }

    private static func host(of url: String) throws -> HostPattern {
        func refusal(_ what: String) -> CommandError { CommandError(.usage, code: "invalid-url", what, at: url) }
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme?.lowercased()),
            let host = parts.encodedHost, !host.isEmpty
        else { throw refusal("a page's URL begins with http or https and names a host") }
        if let port = parts.port, !(1...65_535).contains(port) { throw refusal("a URL's port is 1 to 65535") }
        guard let pattern = HostPattern(host + (parts.port.map { ":\($0)" } ?? "")) else {
            throw refusal("not a host's name")
        }
        return pattern
    }
}
