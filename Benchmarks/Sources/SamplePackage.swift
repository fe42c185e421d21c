// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BaseTesting
internal import Foundation
internal import PackageFormat
internal import PackagePublisher

/// A package of the size of a large site: 7,000 files of 100 bytes to 100 KB. The 109 MB of text deflate to a zip of 53
/// MB. The bytes are the same on every machine.
struct SamplePackage: Sendable {
    static let fileCount = 7_000
    static let base = "https://sample.example/"

    /// The folder of the unpacked files.
    let site: String
    let archive: String
    let manifest: String
    /// The paths of the files in the site folder.
    let paths: [String]

    /// Creates a package.
    /// - Parameters:
    ///   - folder: the folder of the package.
    ///   - files: the number of files, from the first of the 7,000.
    init(in folder: ScratchFolder, files: Int = SamplePackage.fileCount) throws {
        site = try folder.subfolder("site")
        var random = SeededGenerator(seed: 1)
        let words = (0..<4_000).map { _ in
            String((0..<Int.random(in: 2...11, using: &random)).map { _ in Self.letter(&random) })
        }
        var paths: [String] = []
        for number in 0..<files {
            let folder = "assets/\(number % 70)"
            if number < 70 {
                try FileManager.default.createDirectory(atPath: "\(site)/\(folder)", withIntermediateDirectories: true)
            }
            // Many files are small and few are large; the average is 15 KB.
            let scale = Double.random(in: 0..<1, using: &random)
            let size = Int(600 * pow(400, scale * scale * 0.92)) + 100
            var text = ""
            text.reserveCapacity(size + 12)
            while text.utf8.count < size {
                text += words[Int(pow(Double.random(in: 0..<1, using: &random), 2) * Double(words.count))] + " "
            }
            let path = "\(folder)/\(number).js"
            try Data(text.utf8.prefix(size)).write(to: URL(fileURLWithPath: "\(site)/\(path)"))
            paths.append(path)
        }
        let package = try PackageBuilder().build(
            site, id: PackageID("sample"), version: PackageVersion("1"), baseURL: PackageBaseURL(Self.base),
            output: folder.subfolder("package"))
        archive = package.archive
        manifest = package.manifest
        self.paths = paths
    }

    func url(of path: String) -> String {
        Self.base + path
    }

    private static func letter(_ random: inout SeededGenerator) -> Character {
        Character(UnicodeScalar(UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &random)))
    }
}
