// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BaseTesting
internal import CommandSupport
internal import Foundation
internal import OfflinePackage
@_spi(Packaging) internal import PackageFormat
internal import PackagePublisher
internal import ResourceLoading
internal import ResourceStore

/// Compares the transferred bytes of an update with the size of the changed file in the archive. One file of 20 KB
/// changes in a package of 50 files and 5 MB.
struct UpdateBenchmark {
    let folder: ScratchFolder

    func run() async throws -> [Comparison] {
        CommandOutput.log("updating a package of 50 files of which one changed")
        let own = try ScratchFolder(in: folder.path)
        defer { own.remove() }
        let library = try PackageLibrary(store: BlobStore(directory: own.subfolder("store")))
        let network = CountedNetwork()
        let updater = PackageUpdater(library: library, loader: network)
        let source = try PackageSource("https://cdn.example/shop.json", scope: PackageBaseURL("https://shop.example/"))
        let site = try own.subfolder("site")
        var random = SeededGenerator(seed: 5)
        for number in 0..<50 {
            // The first file changes and is small. The other files have 5 MB together.
            try write(number == 0 ? 20_000 : 101_600, to: "\(site)/\(number).js", &random)
        }
        var changed: PackageManifest.File?
        for version in ["1", "2"] {
            if version == "2" { try write(20_000, to: "\(site)/0.js", &random) }
            let package = try PackageBuilder().build(
                site, id: PackageID("shop"), version: PackageVersion(version),
                baseURL: PackageBaseURL("https://shop.example/"), output: own.subfolder("package-\(version)"))
            network["/shop.json"] = try Data(contentsOf: URL(fileURLWithPath: package.manifest))
            network["/shop-\(version).zip"] = try Data(contentsOf: URL(fileURLWithPath: package.archive))
            changed = try PackageManifest(path: package.manifest).files.first { $0.path.description == "0.js" }
            network.reset()
            try await updater.update(from: source)
        }
        guard let slice = changed?.slice else { throw ResourceError(.internal, "no slice") }
        let sent = network.sent(except: "/shop.json")
        return [
            Comparison(
                name: "bytes of an update, 4 KB apart", reference: "the changed file, packed",
                ours: Double(sent.bytes - 4_096), theirs: Double(slice.size), unit: "B", bar: 1.1),
            Comparison(
                name: "requests of it, after the manifest", reference: "–", ours: Double(sent.requests), theirs: nil,
                unit: "", bar: 2),
        ]
    }

    /// Writes random letters of a small alphabet, which deflate to about half their size.
    private func write(_ count: Int, to path: String, _ random: inout SeededGenerator) throws {
        let bytes = (0..<count).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "p"), using: &random) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}
