// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContentDigest
internal import Foundation
internal import HTTPTypes
internal import OfflinePackage
@_spi(Packaging) internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

/// Measures the first response after a store with 100 packages and 100,000 files is opened.
struct OpeningBenchmark {
    private static let packages = 100
    private static let files = 1_000
    let place: Place
    let folder: ScratchFolder
    let rounds: Int

    func run() async throws -> [Comparison] {
        CommandOutput.log("creating 100 packages of 1,000 files in \(place.name)")
        let target = try folder.subfolder("opening")
        defer { folder.remove(target) }
        let store = target + "/store"
        try await fill(store, by: target)
        var times: [Double] = []
        for round in 0..<rounds {
            // Each round uses another package, because the table of a used package is in memory.
            let url = "https://host-\(round * 37 % Self.packages).example/f\(round * 101 % Self.files).js"
            guard let head = HTTPRequest(urlText: url) else { continue }
            let seconds = try await Stopwatch.seconds {
                let library = try PackageLibrary(store: BlobStore(directory: store))
                guard let answer = try await PackageLoader(library).load(ResourceRequest(head)) else {
                    throw ResourceError(.internal, "not in the package", at: url)
                }
                _ = try await answer.body.collect(upTo: 1 << 20)
            }
            times.append(seconds * 1_000)
        }
        return [
            Comparison(
                name: "first answer after opening 100 packages of 100,000 files, \(place.name)", reference: "–",
                ours: Stopwatch.median(times), theirs: nil, unit: "ms", bar: 30)
        ]
    }

    private func fill(_ directory: String, by target: String) async throws {
        let library = try PackageLibrary(store: BlobStore(directory: directory))
        let archive = target + "/package.zip"
        let manifest = target + "/package.json"
        for package in 0..<Self.packages {
            var files: [PackageManifest.File] = []
            try? FileManager.default.removeItem(atPath: archive)
            try ZipWriter().write(to: archive) { writer in
                for number in 0..<Self.files {
                    let text = Data("export const name = \"file \(number) of package \(package)\"\n".utf8)
                    let path = try ArchivePath("f\(number).js")
                    try writer.begin(path, size: Int64(text.count), method: .stored)
                    try writer.append(text)
                    files.append(
                        .init(
                            path: path, size: Int64(text.count), sha256: SHA256Digest(of: text),
                            mediaType: "text/javascript"))
                }
            }
            try PackageManifest(
                id: PackageID("package-\(package)"), version: PackageVersion("1"),
                baseURL: PackageBaseURL("https://host-\(package).example/"), files: files
            ).encoded().write(to: URL(fileURLWithPath: manifest))
            try await library.install(archive: archive, manifest: manifest)
        }
    }
}
