// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CAllocationCount
internal import CommandSupport
internal import Foundation
internal import PackageFormat
internal import TrustedUpdate

/// Compares the refresh of a client of The Update Framework, from an empty folder, with the parsing, hashing and
/// signature checks of the same bytes. It also measures the list of all releases as a catalogue.
struct TrustBenchmark {
    let rounds: Int

    func run() async throws -> [Comparison] {
        CommandOutput.log("creating metadata of 5,000 targets")
        let metadata = try SignedMetadata()
        // The folder of trusted metadata is synced, which takes more time on a disk than the verification.
        let folder = try ScratchFolder(in: Place.standard.first?.path ?? FileManager.default.temporaryDirectory.path)
        defer { folder.remove() }
        var refreshes: [Double] = []
        var lists: [Double] = []
        var references: [Double] = []
        for round in 1...rounds {
            CommandOutput.log("trust: round \(round) of \(rounds)")
            refreshes.append(try await Stopwatch.seconds { try await refresh(metadata, in: folder) })
            references.append(try Stopwatch.seconds { try metadata.check() })
            lists.append(try await Stopwatch.seconds { try await list(metadata, in: folder) })
        }
        let reference = "JSONSerialization, SHA-256 and Ed25519 of the same bytes"
        let theirs = Stopwatch.median(references) * 1_000
        return [
            Comparison(
                name: "metadata of 5,000 targets, refreshed and one found", reference: reference,
                ours: Stopwatch.median(refreshes) * 1_000, theirs: theirs, unit: "ms", bar: 3),
            Comparison(
                name: "the same, all listed as a catalogue", reference: reference,
                ours: Stopwatch.median(lists) * 1_000, theirs: theirs, unit: "ms", bar: nil),
            try await memory(at: "the refresh", of: metadata, bar: 4) { try await refresh(metadata, in: folder) },
            try await memory(at: "the list", of: metadata, bar: nil) { try await list(metadata, in: folder) },
        ].compactMap(\.self)
    }

    /// Refreshes the metadata like a device that has the root only, and searches one target.
    private func refresh(_ metadata: SignedMetadata, in folder: ScratchFolder) async throws {
        let path = try folder.subfolder("trust")
        defer { folder.remove(path) }
        try TrustedRepository.resetTrust(to: metadata.root, folder: path)
        let repository = TrustedRepository(folder: path, metadataURL: SignedMetadata.url) { url, _ in
            metadata.load(url)
        }
        guard try await repository.refresh(now: Date()).target(SignedMetadata.target) != nil else { throw Failure() }
    }

    /// Lists all releases like a device that has the root only.
    private func list(_ metadata: SignedMetadata, in folder: ScratchFolder) async throws {
        let path = folder.path + "/trust"
        defer { folder.remove(path) }
        let catalogue = TrustedCatalogue(
            root: metadata.root, metadataURL: SignedMetadata.url, targetsURL: SignedMetadata.url, directory: path)
        let packages = try await catalogue.catalogue(at: SignedMetadata.url) { url, _ in metadata.load(url) }.packages
        guard packages.count == SignedMetadata.packages else { throw Failure() }
    }

    /// Measures the peak of the heap during `body`, above that before, against the size of the metadata. The resident
    /// memory of the process would depend on the memory that earlier work has left to the heap.
    /// - Returns: `nil` if allocations are not counted.
    private func memory(
        at what: String, of metadata: SignedMetadata, bar: Double?, _ body: () async throws -> Void
    ) async throws -> Comparison? {
        begin_heap_peak()
        try await body()
        let peak = end_heap_peak()
        guard peak >= 0 else {
            CommandOutput.log("the memory of \(what) is not measured: allocations are not counted")
            return nil
        }
        let megabyte = 1_048_576.0
        return Comparison(
            name: "memory at the peak of \(what)", reference: "the size of the metadata",
            ours: Double(peak) / megabyte, theirs: Double(metadata.size) / megabyte, unit: "MB", bar: bar)
    }
}
