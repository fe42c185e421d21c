// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import OfflinePackage
internal import ResourceStore

/// Compares a verified install with programs that only unpack.
///
/// The install hashes every file, checks it against the manifest, and syncs all bytes before the transaction that
/// records the files. The other programs do not sync.
struct InstallBenchmark {
    /// An explanation of "synced", printed with the results.
    static let syncPolicy = """

        synced: rows are committed with SQLite's synchronous = FULL, files by one syncfs, then one transaction names \
        them; what the reference programs write, the system syncs later
        """

    let sample: SamplePackage
    let place: Place
    let folder: ScratchFolder
    let rounds: Int

    func run() async throws -> [Comparison] {
        let unzip = try ReferenceProgram("unzip", asking: "-v", package: "unzip")
        let bsdtar = try ReferenceProgram("bsdtar", asking: "--version", package: "libarchive-tools")
        var ours: [Double] = []
        var unzips: [Double] = []
        var tars: [Double] = []
        var growth: [Double] = []
        for round in 1...rounds {
            CommandOutput.log("install in \(place.name): round \(round) of \(rounds)")
            let memory = MemoryPeak()
            ours.append(try await inNewFolder { target in try await install(into: target) })
            if let grown = memory?.growth { growth.append(grown) }
            unzips.append(try await inNewFolder { try unzip.run(["-q", sample.archive, "-d", $0]) })
            tars.append(try await inNewFolder { try bsdtar.run(["-xf", sample.archive, "-C", $0]) })
        }
        // When the install returns, its bytes are on the device. The system writes the files of the other programs
        // later.
        let what = "verified and synced install of 7,000 files, \(place.name)"
        let isMemory = place.path.hasPrefix("/dev/shm")
        var results = [
            Comparison(
                name: what, reference: "unzip -q \(unzip.version)", ours: Stopwatch.median(ours) * 1_000,
                theirs: Stopwatch.median(unzips) * 1_000, unit: "ms", bar: 0.5),
            Comparison(
                name: what, reference: "bsdtar -xf \(bsdtar.version)", ours: Stopwatch.median(ours) * 1_000,
                theirs: Stopwatch.median(tars) * 1_000, unit: "ms", bar: isMemory ? 0.8 : nil),
        ]
        if !growth.isEmpty {
            results.append(
                Comparison(
                    name: "memory at the peak of it, above idle", reference: "–", ours: growth.max() ?? 0, theirs: nil,
                    unit: "MB", bar: 64))
        }
        return results
    }

    private func install(into target: String) async throws {
        let library = try PackageLibrary(store: BlobStore(directory: target + "/store"))
        try await library.install(archive: sample.archive, manifest: sample.manifest)
    }

    private func inNewFolder(_ body: (String) async throws -> Void) async throws -> Double {
        let target = try folder.subfolder("target")
        defer { folder.remove(target) }
        return try await Stopwatch.seconds { try await body(target) }
    }
}
