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

/// The configuration of a ``Stage``.
struct StageOptions: Sendable {
    var mode: InterceptionMode
    var packages: [PackageFiles]
    var network: NetworkProfile
    /// The container's folder. Installed packages stay there between stages.
    var directory: String
    /// A Boolean value that indicates whether pages open in a warm view.
    var warm: Bool
    /// A Boolean value that indicates whether the engine can reach only the covered hosts.
    var isSecluded = false
    /// The certificates that are trusted in addition to the system's authorities; empty by default.
    var trusted: [TrustedCertificate] = []
    /// The prefetch table; `nil` by default.
    var prefetch: PrefetchTable?
    /// The URL of the resource table; `nil` by default.
    var table: TableURL?
    /// The bridges that are forced although the mode does not need them; empty by default.
    var bridges: ForcedBridges = []
    /// A Boolean value that indicates whether pages are drawn with OpenGL; `false` by default.
    var usesOpenGL = false
    /// The log of the container's network requests; `nil` by default.
    var traffic: TrafficLog?
    private(set) var coveredHosts: [HostPattern]
    /// The covered hosts as names and addresses, without ports and brackets.
    private(set) var coveredNames: [String]

    /// Creates the options.
    /// - Throws: A usage error if a URL has no valid host.
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

    /// Extends the covered hosts to all hosts of their sites, because the data of a page often comes from a host of its
    /// own.
    mutating func coverSites() {
        let domains = Set(coveredNames.compactMap { SuffixList().registrableDomain(of: $0) }).sorted()
        coveredHosts += domains.flatMap { [HostPattern($0), HostPattern("*." + $0)] }.compactMap { $0 }
    }

    /// Returns the same options with another network.
    func on(_ network: NetworkProfile) -> StageOptions {
        var options = self
        options.network = network
        return options
    }

    private static func host(of url: String) throws -> HostPattern {
        func refusal(_ what: String) -> CommandError { CommandError(.usage, code: "invalid-url", what, at: url) }
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme?.lowercased()),
            let host = parts.encodedHost, !host.isEmpty
        else { throw refusal("the URL of a page must begin with http or https and contain a host") }
        if let port = parts.port, !(1...65_535).contains(port) { throw refusal("the port is 1 to 65535") }
        guard let pattern = HostPattern(host + (parts.port.map { ":\($0)" } ?? "")) else {
            throw refusal("not a valid host name")
        }
        return pattern
    }
}
