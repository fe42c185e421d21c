// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import PackageFormat
internal import PackagePublisher
internal import WebEngine
internal import WebKitGTKAdapter

/// A comparison of one site in every ``ContestVariant``.
@MainActor
struct Contest {
    private static let limit = Duration.seconds(180)
    let site: ContestSite
    let network: NetworkProfile
    let runs: Int
    /// The folder for packages and containers.
    let directory: String
    let log: (String) -> Void

    func run() async throws -> SiteResult {
        // Two servers serve the same site. The network is shaped at the origin, so that the engine and the
        // container's transport use the same network for each connection.
        let near = try await origin(on: .none)
        do {
            let far = try await origin(on: network)
            do {
                let result = try await run(near: near, far: far)
                await far.stop()
                await near.stop()
                return result
            } catch {
                await far.stop()
                throw error
            }
        } catch {
            await near.stop()
            throw error
        }
    }

    private func origin(on network: NetworkProfile) async throws -> OriginServer {
        var settings = OriginServer.Configuration(folder: site.folder)
        settings.logLimit = 0
        settings.profile = network
        return try await OriginServer.start(settings)
    }

    private func run(near: OriginServer, far: OriginServer) async throws -> SiteResult {
        let nearPage = "\(near.url)/\(site.page)"
        let farPage = "\(far.url)/\(site.page)"
        let package = try await pack(baseURL: far.url + "/")
        let packed = try options(.customScheme, url: farPage, package: package, warm: true)
        var result = SiteResult(site: site)
        // The variants of this loop run alternately, so that changes of the machine's speed affect their times equally.
        for round in 1...runs {
            log("\(site.name): round \(round) of \(runs)")
            try await open(nearPage, .bareLoopback, options(.plain, url: nearPage), near, into: &result)
            try await open(farPage, .packed, packed, far, into: &result)
            try await open(farPage, .packedOffline, packed.on(.offline), far, into: &result)
        }
        log("\(site.name): plain engine on \(network.name)")
        try await open(farPage, .bareSlow, options(.plain, url: farPage), far, into: &result)
        log("\(site.name): container without the package on \(network.name)")
        let empty = try options(.customScheme, url: farPage, warm: true)
        try await open(farPage, .unpacked, empty, far, into: &result)
        // A second opening in the plain engine shows the differences between two identical openings.
        if runs == 1 { try await open(nearPage, .bareLoopback, options(.plain, url: nearPage), near, into: &result) }
        return result
    }

    private func open(
        _ url: String, _ variant: ContestVariant, _ options: StageOptions, _ origin: OriginServer,
        into result: inout SiteResult
    ) async throws {
        let before = origin.counters?.bytesDown
        var opening = try await Stage.with(options) { stage in
            result.engine = stage.engine.name
            return try await Opening.measure(
                url, on: stage, ready: site.ready, pictures: .comparable, limit: Self.limit)
        }
        if let before, let now = origin.counters?.bytesDown { opening.result.bytesFromNetwork = now - before }
        result.add(opening, variant)
    }

    private func options(
        _ mode: InterceptionMode, url: String, package: PackageFiles? = nil, warm: Bool = false
    ) throws -> StageOptions {
        let folder = "\(directory)/\(site.identifier)-\(package == nil ? "empty" : "packed")"
        var options = try StageOptions(
            mode: mode, packages: package.map { [$0] } ?? [], network: .none, covering: [url], directory: folder,
            warm: warm)
        // Requests to other hosts would be neither shaped nor counted, and would vary from day to day.
        options.isSecluded = true
        return options
    }

    private func pack(baseURL: String) async throws -> PackageFiles {
        log("\(site.name): packing")
        let output = "\(directory)/\(site.identifier)"
        return try await Self.build(site, baseURL: baseURL, output: output)
    }

    @concurrent
    private static func build(
        _ site: ContestSite, baseURL: String, output: String
    ) async throws -> PackageFiles {
        // The server serves exactly this folder.
        let result = try PackageBuilder().build(
            site.folder, id: PackageID(site.identifier), version: PackageVersion("1"),
            baseURL: PackageBaseURL(baseURL), isComplete: true, output: output)
        return try PackageFiles(archive: result.archive)
    }
}
