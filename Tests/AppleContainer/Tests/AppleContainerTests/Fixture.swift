// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes
import PackageFormat
import PackagePublisher
@_spi(Driver) import WebKit

@testable import AdapterOverDouble

/// A folder and an engine for a container, whose pages load by themselves. The folder is removed with the fixture.
@MainActor
final class Fixture {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("container-\(UUID().uuidString)").path
    let engine: WKWebViewEngine

    init(storage: WKWebViewEngine.Storage = .ephemeral) {
        engine = WKWebViewEngine(storage: storage)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The folder of the container.
    var store: String { folder + "/store" }

    /// Creates a container, which uses no cookie storage of the app by default.
    func container(cookies: CookieOptions? = nil) async throws -> Container<WKWebViewEngine> {
        var configuration = ContainerConfiguration(directory: store)
        configuration.network.cookies.native = .none
        if let cookies { configuration.network.cookies = cookies }
        configuration.network.transport = NoNetwork()
        configuration.views.warmsUpWhenIdle = false
        return try await Container(engine: engine, configuration: configuration)
    }

    /// Opens a page and waits for the end of its load.
    func open(_ url: String, in container: Container<WKWebViewEngine>) async throws -> Page<WKWebViewView> {
        let page = try await container.open(url) { view in
            view.webView?.page.onNavigation = { await $0.run() }
        }
        try await page.load.finished(within: .seconds(20))
        return page
    }

    /// Installs a package of files by path.
    func install(_ files: [String: String], version: String, in container: Container<WKWebViewEngine>) async throws {
        let package = try pack(files, version: version)
        try await container.install(archive: package.archive, manifest: package.manifest)
    }

    /// Builds a package of files by path.
    func pack(_ files: [String: String], version: String) throws -> PackageBuilder.Result {
        let site = "\(folder)/site-\(version)"
        for (path, text) in files {
            let file = URL(fileURLWithPath: "\(site)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return try PackageBuilder().build(
            site, id: PackageID("shop"), version: PackageVersion(version),
            baseURL: PackageBaseURL("https://shop.example/"), output: folder + "/packages")
    }
}

/// A network without a connection.
struct NoNetwork: HTTPTransporting {
    let capabilities = TransportCapabilities.decodes

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        throw ResourceError(.offline, "there is no network", at: request.path ?? "")
    }
}
