// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BaseTesting
internal import CommandSupport
internal import Foundation
internal import OfflinePackage
internal import PackageFormat
internal import PackagePublisher
internal import ResourceStore

/// Measures the memory growth of an install for archives with large files and for archives with many files.
struct MemoryBenchmark {
    /// The number of files in an archive and their size in bytes.
    private struct Shape {
        let name: String
        let files: Int
        let size: Int
    }

    let folder: ScratchFolder

    func run() async throws -> [Comparison] {
        var results: [Comparison] = []
        for shape in [
            Shape(name: "300 MB in 3 files", files: 3, size: 100_000_000),
            Shape(name: "30,000 files of 200 bytes", files: 30_000, size: 200),
        ] {
            CommandOutput.log("memory of an install: \(shape.name)")
            let target = try folder.subfolder("memory")
            defer { folder.remove(target) }
            let package = try make(shape, in: target)
            guard let memory = MemoryPeak() else { return [] }
            let library = try PackageLibrary(store: BlobStore(directory: target + "/store"))
            try await library.install(archive: package.archive, manifest: package.manifest)
            results.append(
                Comparison(
                    name: "memory at the peak of an install, \(shape.name)", reference: "–", ours: memory.growth ?? 0,
                    theirs: nil, unit: "MB", bar: 64))
        }
        return results
    }

    /// Creates a package of incompressible bytes.
    private func make(_ shape: Shape, in target: String) throws -> PackageBuilder.Result {
        let site = target + "/site"
        var random = SeededGenerator(seed: 7)
        for number in 0..<shape.files {
            let folder = "\(site)/\(number % 100)"
            if number < 100 {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            var bytes = Data(capacity: shape.size + 8)
            while bytes.count < shape.size {
                withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
            }
            try bytes.prefix(shape.size).write(to: URL(fileURLWithPath: "\(folder)/\(number).bin"))
        }
        return try PackageBuilder().build(
            site, id: PackageID("memory"), version: PackageVersion("1"),
            baseURL: PackageBaseURL("https://memory.example/"), output: target + "/package")
    }
}
