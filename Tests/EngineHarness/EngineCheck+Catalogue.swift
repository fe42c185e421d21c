// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import PackageFormat
internal import PackagePublisher
internal import ResourceLoading
internal import WebEngine
internal import WebKitGTKAdapter

// Packages that a catalogue lists.
extension EngineCheck {
    /// Checks that a package is installed, updated and withdrawn by its catalogue alone, when the app enters the
    /// foreground. A page that is open keeps its version.
    @MainActor
    func checkCatalogue(_ mode: InterceptionMode, in folder: String) async throws {
        let site = CatalogueSite(folder: folder)
        let skew = Mutex<TimeInterval>(0)
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.transport = MemoryTransport { try site.answer($0) }
        configuration.network.coveredHosts = ["shop.example"].compactMap { HostPattern($0) }
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = mode
        configuration.packages.updates.downloads.now = { Date() + skew.withLock { $0 } }
        configuration.packages.automatic.policy = .onForeground
        configuration.packages.automatic.catalogue = CatalogueDocument("https://packages.example/catalogue.json")
        configuration.packages.automatic.scopes = [try PackageBaseURL("https://shop.example/")]
        configuration.packages.automatic.timing = .now
        configuration.packages.automatic.urgency = .wanted
        let container = try await Container(engine: WebKitGTKEngine(), configuration: configuration)

        /// Enters the foreground more than 30 seconds later, and waits for an event.
        func update(_ what: String, _ isExpected: @escaping @MainActor (PackageEvent) -> Bool) async throws {
            skew.withLock { $0 += 60 }
            let events = container.events
            container.hostEnteredForeground()
            try await withLimit(.seconds(20), what) {
                for await case .package(let event) in events where isExpected(event) { return }
                throw CancellationError()
            }
        }

        /// Expects the title of a page, and its data if requests of the page reach the container.
        func see(_ page: Page<WebKitGTKView>, _ version: String, _ when: String) async throws {
            let script =
                mode == .document
                ? "return document.title"
                : "return [...new Set([document.title, await (await fetch('data.txt')).text()])].join(' ')"
            let seen = try await page.view.evaluate(script, in: .page)
            try expect(seen == "\"\(version)\"", "\(when): \(seen)")
        }

        let url = "https://shop.example/app/index.html"
        let first = try await open(url, in: container)
        try await see(first, "network", "before the first catalogue")
        await container.close(first)

        try site.publish("1", sequence: 1)
        try await update("the install") { if case .scopeChanged = $0 { true } else { false } }
        let one = try await open(url, in: container)
        try await see(one, "1", "after the install")

        try site.publish("2", sequence: 2)
        try await update("the update") { if case .scopeChanged = $0 { true } else { false } }
        try await see(one, "1", "after the update, a page that was open")
        await container.close(one)
        let two = try await open(url, in: container)
        try await see(two, "2", "after the update, the next page")

        try site.publish(nil, sequence: 3)
        try await update("the withdrawal") { if case .withdrawn = $0 { true } else { false } }
        try await see(two, "2", "after the withdrawal, a page that was open")
        await container.close(two)
        let last = try await open(url, in: container)
        try await see(last, "network", "after the withdrawal, the next page")
        try expect(container.installedPackages.isEmpty, "installed: \(container.installedPackages)")
        await container.shutDown()
    }
}

/// A network with the packages of one site, their catalogue, and the site without a package.
private final class CatalogueSite: Sendable {
    private let folder: String
    private let catalogue = Mutex(Data())

    init(folder: String) {
        self.folder = folder
    }

    func answer(_ request: HTTPRequest) throws -> TransportResponse {
        let name = request.path?.split(separator: "/").last.map(String.init) ?? ""
        switch (request.authority, name) {
        case ("packages.example", "catalogue.json"):
            return TransportResponse(head: HTTPResponse(status: .ok), body: .bytes(catalogue.withLock { $0 }))
        case ("packages.example", _):
            let file = URL(fileURLWithPath: "\(folder)/packages/\(name)")
            return TransportResponse(head: HTTPResponse(status: .ok), body: .bytes(try Data(contentsOf: file)))
        case ("shop.example", _):
            var answer = TransportResponse.page(name == "data.txt" ? "network" : "<title>network</title>")
            answer.head.headerFields[.cacheControl] = "no-store"
            return answer
        default: throw ResourceError(.offline, "cut")
        }
    }

    /// Publishes a catalogue with a version of the package, or without the package.
    func publish(_ version: String?, sequence: Int64) throws {
        var packages: [PackageCatalogue.Entry] = []
        if let version {
            let site = "\(folder)/site-\(version)"
            try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
            for (name, text) in ["index.html": "<!doctype html><title>\(version)</title>", "data.txt": version] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(site)/\(name)"))
            }
            let package = try PackageBuilder().build(
                site, id: PackageID("shop"), version: PackageVersion(version),
                baseURL: PackageBaseURL("https://shop.example/app/"), output: "\(folder)/packages")
            // One address for all versions: the name without the version.
            let manifest = "\(folder)/packages/shop.json"
            try? FileManager.default.removeItem(atPath: manifest)
            try FileManager.default.copyItem(atPath: package.manifest, toPath: manifest)
            packages = try [
                .init(
                    package: PackageID("shop"), manifestURL: "https://packages.example/shop.json",
                    scope: PackageBaseURL("https://shop.example/app/"), version: PackageVersion(version))
            ]
        }
        let data = try PackageCatalogue(sequence: sequence, packages: packages).encoded()
        catalogue.withLock { $0 = data }
    }
}
