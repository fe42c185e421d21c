// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerKit
import Foundation
import PackagePublisher
import Testing
@_spi(Driver) import WebKit

@testable import AdapterOverDouble

/// Suspensions of the app. iOS ends an app that is suspended while it holds a lock on a file (`0xDEAD10CC`).
@MainActor
@Suite("Suspensions of the app", .timeLimit(.minutes(2)))
struct SuspensionTests {
    private let fixture = Fixture()
    private let site = ["index.html": "<h1>Shop</h1>", "app.js": "start()", "help.html": "<h1>Help</h1>"]

    private func install(_ version: String, in container: Container<WKWebViewEngine>) async throws {
        try await fixture.install(site, version: version, in: container)
    }

    /// Requests a file of the package as the page does, and returns the body.
    private func file(_ path: String, of page: Page<WKWebViewView>) async throws -> String {
        let web = try #require(page.view.webView)
        let url = try #require(URL(string: "containerkit://shop.example/\(path)"))
        let task = try #require(web.page.startTask(URLRequest(url: url)))
        await task.waitForEnd()
        return String(decoding: task.data, as: UTF8.self)
    }

    @Test("No file is locked once the call has returned, also after a page has loaded a file")
    func locks() async throws {
        let container = try await fixture.container()
        try await install("1", in: container)
        let page = try await fixture.open("https://shop.example/", in: container)
        #expect(try !LockedFiles.below(fixture.store).isEmpty)
        try await container.hostWillSuspend()
        #expect(try LockedFiles.below(fixture.store) == [])
        #expect(try await file("app.js", of: page) == "start()")
        #expect(try LockedFiles.below(fixture.store) == [])
        try await container.hostResumed()
        #expect(try !LockedFiles.below(fixture.store).isEmpty)
        await container.shutDown()
    }

    @Test("An interrupted install leaves no lock, and can be repeated", arguments: [0, 1, 4, 16, 64])
    func interruptedInstall(_ yields: Int) async throws {
        let container = try await fixture.container()
        try await install("1", in: container)
        var files = site
        for number in 0..<400 { files["image-\(number).svg"] = "<svg>\(number)</svg>" }
        let package = try fixture.pack(files, version: "2")
        let install = Task { try await container.install(archive: package.archive, manifest: package.manifest) }
        // The suspension begins at another step of the install each time.
        for _ in 0..<yields { await Task.yield() }
        try await container.hostWillSuspend()
        #expect(try LockedFiles.below(fixture.store) == [])
        _ = await install.result
        #expect(try LockedFiles.below(fixture.store) == [])
        try await container.hostResumed()
        try await container.install(archive: package.archive, manifest: package.manifest)
        #expect(container.installedPackages.map(\.version.description) == ["2"])
        await container.shutDown()
    }

    @Test("An open page works on after a suspension: files, a navigation and an install")
    func openPage() async throws {
        let container = try await fixture.container()
        try await install("1", in: container)
        let page = try await fixture.open("https://shop.example/", in: container)
        try await container.hostWillSuspend()
        try await container.hostResumed()
        #expect(try await file("app.js", of: page) == "start()")
        let web = try #require(page.view.webView)
        let request = URLRequest(url: try #require(URL(string: "https://shop.example/help.html")))
        await web.page.navigate(request).run()
        try await until { web.page.documentURL?.path == "/help.html" }
        try await install("2", in: container)
        await container.shutDown()
    }

    @Test("A page whose web process ended during a suspension is loaded again by default")
    func endedProcess() async throws {
        let container = try await fixture.container()
        try await install("1", in: container)
        let page = try await fixture.open("https://shop.example/", in: container)
        let web = try #require(page.view.webView)
        try await container.hostEnteredBackground()
        try await container.hostWillSuspend()
        web.page.terminateProcess()
        #expect(web.page.documentURL == nil)
        try await container.hostResumed()
        container.hostEnteredForeground()
        try await until { web.page.documentURL?.absoluteString == "https://shop.example/" }
        await container.shutDown()
    }
}
