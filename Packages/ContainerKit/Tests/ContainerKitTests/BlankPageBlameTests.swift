// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import OfflinePackage
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import PageRecovery

/// The attribution of blank pages to package versions.
@MainActor
@Suite("Blank pages: responsible versions", .timeLimit(.minutes(1)))
struct BlankPageBlameTests {
    private let stage = BlankPageStage()
    private var fixture: Fixture { stage.fixture }

    /// Installs version 1 as active, and version 2 on trial.
    private func trial(
        of id: String = "shop", base: String = "https://shop.example/", in container: Container<FakeEngine>
    ) async throws {
        try await fixture.install(["index.html": "one"], id: id, version: "1", base: base, into: container)
        try await container.update(
            from: fixture.publish(["index.html": "two"], id: id, version: "2", base: base))
    }

    private func versions(_ container: Container<FakeEngine>) -> [String] {
        container.installedPackages.map { "\($0.id) \($0.version)" }
    }

    @Test("A version on trial of another site is neither rolled back nor unpinned, although the page uses its files")
    func otherSite() async throws {
        let container = try await stage.container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await trial(of: "library", base: "https://library.example/", in: container)
        let page = try await container.open("https://shop.example/index.html")
        let events = container.events
        for kind in [BlankPageStep.Kind.reloaded, .reloadedWithoutPackage] {
            stage.load(stage.url, in: page.view)
            _ = try await fixture.text("containerkit://library.example/", from: page.view, of: container)
            try await stage.show(BlankPageStage.look(), in: page.view)
            #expect(try await stage.nextStep(events).kind == kind)
        }
        #expect(versions(container) == ["library 2", "shop 1"])
        #expect(container.openPages[0].generations.map(\.package) == ["library"])
    }

    @Test("An error counts in a document of the package, but not in a server's document that uses the package's files")
    func beside() async throws {
        let container = try await stage.container()
        try await trial(in: container)
        let events = container.events
        let place = "containerkit://shop.example/other.html"
        // The script of this document comes from the package.
        let other = try await container.open("https://shop.example/other.html")
        for kind in [BlankPageStep.Kind.reloaded, .reloadedWithoutPackage] {
            stage.load(place, in: other.view)
            _ = try await fixture.text(stage.url, from: other.view, of: container)
            try await stage.show(BlankPageStage.look(), in: other.view)
            #expect(try await stage.nextStep(events).kind == kind)
        }
        #expect(versions(container) == ["shop 1"])
    }

    @Test("The end of a process unpins the version from its page and marks no version as failed")
    func killed() async throws {
        let container = try await stage.container()
        try await trial(in: container)
        let page = try await container.open("https://shop.example/index.html")
        let events = container.events
        for kind in [BlankPageStep.Kind.reloaded, .reloadedWithoutPackage] {
            stage.load(stage.url, in: page.view)
            try await stage.speak(in: page.view)
            page.view.onSignal?(.processEnded(reason: "killed"))
            #expect(try await stage.nextStep(events).kind == kind)
        }
        #expect(versions(container) == ["shop 2"] && container.openPages[0].generations.isEmpty)
        await container.shutDown()
        #expect(versions(container) == ["shop 2"])
    }

    /// Opens a page that shows version 2, which is on trial.
    private func onTrial(
        _ stage: BlankPageStage, at place: String,
        _ change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> (Container<FakeEngine>, Page<FakeView>) {
        let container = try await stage.container(change: change)
        try await stage.fixture.install(["index.html": "one"], version: "1", into: container)
        try await container.update(from: stage.fixture.publish(["index.html": "two"], version: "2"))
        let page = try await container.open("https://shop.example/index.html")
        stage.load(place, in: page.view)
        return (container, page)
    }

    private func step(_ signal: BlankPageSignal, _ source: String) -> BlankPageStep {
        BlankPageStep(kind: .reloadedWithoutPackage, signal: signal, detail: "seen", number: 2, source: source)
    }

    private func dropPackages(
        of page: Page<FakeView>, for step: BlankPageStep, in container: Container<FakeEngine>
    ) async throws -> Bool {
        try await #require(container.blankPages).dropPackages(of: page.session.id, for: step) { true }
    }

    @Test("A finding counts only if the responsible package also provides the document")
    func evidence() async throws {
        let (container, page) = try await onTrial(stage, at: stage.url)
        let own = ScriptFailure(text: "own", file: stage.url + "#part")
        let seen = ProbeResult(
            bootErrors: [
                own, ScriptFailure(text: "of the server", file: "containerkit://shop.example/other.js"),
                ScriptFailure(text: "elsewhere", file: "https://elsewhere.example/a.js"),
                ScriptFailure(text: "of a blob", file: "blob:https://shop.example/1"),
            ],
            failedResources: ["containerkit://shop.example/gone.js#part", "https://elsewhere.example/gone.js"])
        let attributed = try await #require(container.blankPages).attribute(seen, of: page.session.id)
        #expect(attributed.isPackaged && attributed.bootErrors == [own])
        #expect(attributed.failedResources == ["containerkit://shop.example/gone.js#part"])
        // A document of the server in the scope of the package.
        stage.load("containerkit://shop.example/other.html", in: page.view)
        let other = try await #require(container.blankPages).attribute(seen, of: page.session.id)
        #expect(!other.isPackaged && other.bootErrors.isEmpty && other.failedResources.isEmpty)
    }

    @Test("A missing resource marks its version as failed if the server reports that the resource does not exist")
    func resources() async throws {
        let url = "containerkit://shop.example/gone.js"
        let (container, page) = try await onTrial(stage, at: stage.url)
        let drop = { (source: String) in
            try await self.dropPackages(of: page, for: self.step(.failedResource, source), in: container)
        }
        // The resource was not requested, has no response, or is not the missing resource.
        #expect(try await drop(url) == false)
        let events = container.events
        fixture.engine.send(url, from: page.view).drop()
        for await case .request in events { break }
        #expect(try await drop(url) == false)
        _ = try await fixture.text(url, from: page.view, of: container)
        for await case .request in events { break }
        #expect(try await drop("https://elsewhere.example/gone.js") == false && versions(container) == ["shop 2"])
        #expect(try await drop(url + "#part") && versions(container) == ["shop 1"])
    }

    @Test("An error marks no version as failed while requests of the page fail")
    func errors() async throws {
        let (container, page) = try await onTrial(stage, at: stage.url)
        let drop = {
            try await self.dropPackages(of: page, for: self.step(.bootError, self.stage.url), in: container)
        }
        let url = "https://elsewhere.example/data"
        for resource in [
            EngineResource(url: url, status: 503, length: 1, failure: nil),
            EngineResource(url: url, status: nil, length: nil, failure: "no way"),
        ] {
            stage.load(stage.url, in: page.view)
            page.view.onSignal?(.resource(resource))
            #expect(try await drop() == false && versions(container) == ["shop 2"])
        }
        stage.load(stage.url, in: page.view)
        #expect(try await drop() && versions(container) == ["shop 1"])
        #expect(container.openPages[0].generations.count == 1)
    }

    @Test("An unresponsive page, or a page whose process ends, marks no version as failed")
    func silent() async throws {
        for signal in [BlankPageSignal.unresponsive, .processEnded, .noFirstPaint, .uniformPicture] {
            let stage = BlankPageStage()
            let (container, page) = try await onTrial(stage, at: stage.url)
            #expect(try await dropPackages(of: page, for: step(signal, ""), in: container))
            #expect(versions(container) == ["shop 2"] && container.openPages[0].generations.isEmpty)
        }
    }

    @Test("Over loopback a version is marked as failed only if no other page is open, because open pages share it")
    func loopback() async throws {
        for hasOthers in [true, false] {
            let stage = BlankPageStage()
            let place = "https://shop.example/index.html"
            let (container, page) = try await onTrial(stage, at: place) { $0.pages.mode = .loopbackProxy }
            let other = hasOthers ? try await container.open(place) : nil
            let isDropped = try await dropPackages(of: page, for: step(.emptyDocument, ""), in: container)
            #expect(isDropped == !hasOthers && versions(container) == [hasOthers ? "shop 2" : "shop 1"])
            if let other { await container.close(other) }
            await container.shutDown()
        }
    }
}
