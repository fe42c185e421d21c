// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import PackageFormat
internal import PackagePublisher
internal import WebKitGTKAdapter

// The package of checks with several versions of a site.
extension EngineCheck {
    /// Builds a version of the package `shop`, whose base URL is `https://shop.example/app/`.
    /// - Parameters:
    ///   - files: the texts of the files, by path.
    ///   - folder: the folder for the site, and for `packages` with the archive and the manifest.
    func buildShop(_ files: [String: String], _ version: String, _ folder: String) throws -> PackageBuilder.Result {
        let site = "\(folder)/site-\(version)"
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(site)/\(name)")) }
        return try PackageBuilder().build(
            site, id: PackageID("shop"), version: PackageVersion(version),
            baseURL: PackageBaseURL("https://shop.example/app/"), output: "\(folder)/packages")
    }

    /// Builds a version of the package `shop` and installs it.
    @MainActor
    func installShop(
        _ files: [String: String], _ version: String, into container: Container<WebKitGTKEngine>, _ folder: String
    ) async throws {
        let package = try buildShop(files, version, folder)
        try await container.install(archive: package.archive, manifest: package.manifest)
    }
}
