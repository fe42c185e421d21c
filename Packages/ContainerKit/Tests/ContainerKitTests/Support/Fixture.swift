// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes
import OfflinePackage
import PackageFormat
import PackagePublisher
import ResourceLoading
import ResourceStore
import SchemeRouter
import WebEngineTesting

/// A folder, an engine and a network for a container. The folder is removed with the fixture.
@MainActor
final class Fixture {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("container-\(UUID().uuidString)").path
    let engine = FakeEngine()
    let network = FakeNetwork()

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func container(
        covering hosts: [String] = [], on engine: FakeEngine? = nil,
        change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = network
        // Downloads for later need not wait for an idle app.
        configuration.conditions = .favourable
        // Views are created on demand only, because tests count them.
        configuration.views.warmsUpWhenIdle = false
        configuration.network.coveredHosts = hosts.compactMap { HostPattern($0) }
        // Each blob is a file, so that tests can count them.
        configuration.storage.budgets.smallBlobLimit = 0
        // A busy machine must not fail a test.
        configuration.network.cookies.openLimit = .seconds(50)
        change(&configuration)
        return try await Container(engine: engine ?? self.engine, configuration: configuration)
    }

    /// Builds a package of files by path, and installs it.
    func install(
        _ files: [String: String], id: String = "shop", version: String, base: String = "https://shop.example/",
        into container: Container<FakeEngine>
    ) async throws {
        let package = try pack(files, id: id, version: version, base: base)
        try await container.install(archive: package.archive, manifest: package.manifest)
    }

    /// Builds a package and adds it to the network.
    func publish(
        _ files: [String: String], id: String = "shop", version: String, base: String = "https://shop.example/",
        sequence: Int64? = nil, withArchive: Bool = true
    ) throws -> PackageSource {
        let package = try pack(files, id: id, version: version, base: base, sequence: sequence)
        let url = "https://packages.example/"
        network.put(.bytes(try Data(contentsOf: URL(fileURLWithPath: package.manifest))), at: "\(url)\(id).json")
        if withArchive {
            network.put(
                .bytes(try Data(contentsOf: URL(fileURLWithPath: package.archive))), at: "\(url)\(id)-\(version).zip")
        }
        return PackageSource("\(url)\(id).json", scope: try PackageBaseURL(base))
    }

    /// Builds a package of files by path.
    func pack(
        _ files: [String: String], id: String = "shop", version: String, base: String = "https://shop.example/",
        sequence: Int64? = nil
    ) throws -> PackageBuilder.Result {
        let site = "\(folder)/site-\(id)-\(version)"
        for (path, text) in files {
            let file = URL(fileURLWithPath: "\(site)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return try PackageBuilder().build(
            site, id: PackageID(id), version: PackageVersion(version), baseURL: PackageBaseURL(base),
            sequence: sequence, output: folder + "/packages")
    }

    /// Sends a request and waits for its record.
    func answer(
        to url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], from view: FakeView? = nil,
        isMainDocument: Bool = false, of container: Container<FakeEngine>
    ) async throws -> (sink: FakeSink, record: RequestRecord) {
        let events = container.events
        let sink = engine.send(url, method, fields, from: view, isMainDocument: isMainDocument)
        for await case .request(let record) in events { return (sink, record) }
        throw CancellationError()
    }

    /// Returns the body of a response as text.
    func text(_ url: String, from view: FakeView? = nil, of container: Container<FakeEngine>) async throws -> String {
        String(decoding: try await answer(to: url, from: view, of: container).sink.body, as: UTF8.self)
    }

    /// The number of distinct files that the container stores on disk.
    var blobCount: Int {
        let blobs = FileManager.default.subpaths(atPath: folder + "/store/blobs") ?? []
        return blobs.count { $0.contains("/") }
    }
}
