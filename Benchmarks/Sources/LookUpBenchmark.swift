// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BaseTesting
internal import Foundation
internal import HTTPTypes
internal import OfflinePackage
internal import ResourceLoading
internal import ResourceStore

/// Compares a response for a packaged file, body included, with opening, reading and closing the same file in a folder.
struct LookUpBenchmark {
    private static let count = 5_000
    let sample: SamplePackage
    let place: Place
    let folder: ScratchFolder

    func run() async throws -> [Comparison] {
        let target = try folder.subfolder("look-up")
        defer { folder.remove(target) }
        let library = try PackageLibrary(store: BlobStore(directory: target + "/store"))
        try await library.install(archive: sample.archive, manifest: sample.manifest)
        let loader = PackageLoader(library)
        var random = SeededGenerator(seed: 2)
        let paths = (0..<Self.count).compactMap { _ in sample.paths.randomElement(using: &random) }
        let reads = try paths.map { path in
            try Stopwatch.seconds { _ = try Data(contentsOf: URL(fileURLWithPath: sample.site + "/" + path)) }
                * 1_000_000
        }
        let asked = try await answers(to: paths, from: loader)
        // A set of files that is small enough for a memory cache.
        let few = (0..<Self.count).map { paths[$0 % 50] }
        _ = try await answers(to: few, from: loader)
        let again = try await answers(to: few, from: loader)
        let reference = "open, read and close"
        return [
            Comparison(
                name: "answer from disk, p50, \(place.name)", reference: reference, ours: Stopwatch.median(asked),
                theirs: Stopwatch.median(reads), unit: "µs", bar: nil),
            Comparison(
                name: "answer from disk, p50", reference: "–", ours: Stopwatch.median(asked), theirs: nil, unit: "µs",
                bar: 80),
            Comparison(
                name: "answer from memory, p50", reference: "–", ours: Stopwatch.median(again), theirs: nil, unit: "µs",
                bar: 10),
        ]
    }

    /// Returns the time of each response in microseconds.
    private func answers(to paths: [String], from loader: PackageLoader) async throws -> [Double] {
        var times: [Double] = []
        times.reserveCapacity(paths.count)
        for path in paths {
            guard let head = HTTPRequest(urlText: sample.url(of: path)) else { continue }
            let request = ResourceRequest(head)
            let seconds = try await Stopwatch.seconds {
                guard let response = try await loader.load(request) else {
                    throw ResourceError(.internal, "not in the package", at: path)
                }
                _ = try await response.body.collect(upTo: 1 << 20)
            }
            times.append(seconds * 1_000_000)
        }
        return times
    }
}
