// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import PackageFormat
internal import PackagePublisher
internal import WebKitGTKAdapter

/// One site, opened in every way that is compared.
@MainActor
struct Contest {
    private static let limit = Duration.seconds(180)
    let site: ContestSite
    let network: NetworkProfile
    let runs: Int
    /// For packages and containers.
    let directory: String
    let note: (String) -> Void

    func run() async throws -> SiteResult {
        var settings = OriginServer.Configuration(folder: site.folder)
        settings.logLimit = 0
        let origin = try await OriginServer.start(settings)
        do {
            let result = try await run(against: origin)
            await origin.stop()
            return result
        } catch {
            await origin.stop()
            throw error
        }
    }

    private func run(against origin: OriginServer) async throws -> SiteResult {
        let url = "\(origin.url)/\(site.page)"
        let package = try await pack(baseURL: origin.url + "/")
        let bare = try options(.plain, url: url)
        let packed = try options(.customScheme, url: url, package: package, warm: true)
        var result = SiteResult(site: site)
        // Side by side: what is compared closely is run in turns.
        for round in 1...runs {
            note("\(site.name): round \(round) of \(runs)")
            try await open(url, .bareLoopback, bare, into: &result)
            try await open(url, .packed, packed.on(network), into: &result)
            try await open(url, .packedOffline, packed.on(.offline), into: &result)
        }
        note("\(site.name): bare engine on \(network.name)")
        try await open(url, .bareSlow, bare.on(network), into: &result)
        note("\(site.name): container without the package on \(network.name)")
        try await open(url, .unpacked, options(.customScheme, url: url, warm: true).on(network), into: &result)
        // A second look at the bare engine shows what differs by itself.
        if runs == 1 { try await open(url, .bareLoopback, bare, into: &result) }
        return result
    }

    private func open(
        _ url: String, _ way: ContestWay, _ options: StageOptions, into result: inout SiteResult
    ) async throws {
        let opening = try await Stage.with(options) { stage in
            result.engine = stage.engine.name
            return try await Opening.measure(url, on: stage, ready: site.ready, limit: Self.limit)
        }
        result.add(opening, way)
    }

    private func options(
        _ mode: InterceptionMode, url: String, package: PackageFiles? = nil, warm: Bool = false
    ) throws -> StageOptions {
        let folder = "\(directory)/\(site.identifier)-\(package == nil ? "empty" : "packed")"
        return try StageOptions(
            mode: mode, packages: package.map { [$0] } ?? [], network: .none, covering: [url], directory: folder,
            warm: warm)
    }

    private func pack(baseURL: String) async throws -> PackageFiles {
        note("\(site.name): packing")
        let output = "\(directory)/\(site.identifier)"
        return try await Self.build(site.folder, identifier: site.identifier, baseURL: baseURL, output: output)
    }

    @concurrent
    private static func build(
        _ folder: String, identifier: String, baseURL: String, output: String
    ) async throws -> PackageFiles {
        let result = try PackageBuilder().build(
            folder, id: PackageID(identifier), version: PackageVersion("1"), baseURL: PackageBaseURL(baseURL),
            output: output)
        return try PackageFiles(archive: result.archive)
    }
}
