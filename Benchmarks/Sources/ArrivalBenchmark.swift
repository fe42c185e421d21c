// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import HTTPTypes
internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

/// Compares the time of the first response from a package during its download with the time of the whole download and
/// install.
///
/// The network is simulated in memory: 200 kB/s after 150 ms, as on slow 4G.
struct ArrivalBenchmark {
    private static let rate = 200_000.0
    let folder: ScratchFolder

    func run() async throws -> [Comparison] {
        CommandOutput.log("downloading a package of 300 files at \(Int(Self.rate / 1_000)) kB/s")
        let own = try ScratchFolder(in: folder.path)
        defer { own.remove() }
        let sample = try SamplePackage(in: own, files: 300)
        let library = try PackageLibrary(store: BlobStore(directory: own.subfolder("store")))
        let network = PacedNetwork(
            files: [
                "/shop.json": try Data(contentsOf: URL(fileURLWithPath: sample.manifest)),
                "/shop.zip": try Data(contentsOf: URL(fileURLWithPath: sample.archive)),
            ], bytesPerSecond: Self.rate)
        let updater = PackageUpdater(library: library, loader: network)
        let partial = PartialLoader(updater)
        let requests = sample.paths.compactMap { HTTPRequest(urlText: sample.url(of: $0)) }.map { ResourceRequest($0) }
        let clock = ContinuousClock()
        let start = clock.now
        async let update = updater.update(
            from: PackageSource(
                "https://cdn.example/shop.json", archiveURL: "https://cdn.example/shop.zip",
                scope: PackageBaseURL(SamplePackage.base)))
        var first: Duration?
        while first == nil {
            for request in requests where try await partial.load(request) != nil {
                first = clock.now - start
                break
            }
            guard library.installed.isEmpty else { break }
            try await Task.sleep(for: .milliseconds(2))
        }
        _ = try await update
        let whole = clock.now - start
        guard let first else { throw ResourceError(.internal, "no response before the end of the download") }
        return [
            Comparison(
                name: "first file answered while a package arrives", reference: "the whole download and install",
                ours: first / .milliseconds(1), theirs: whole / .milliseconds(1), unit: "ms", bar: nil)
        ]
    }
}
