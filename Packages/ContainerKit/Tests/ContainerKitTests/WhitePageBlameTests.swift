// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import EngineTesting
import Foundation
import HTTPTypes
import OfflinePackage
import ResourceLoading
import Testing

@testable import ContainerKit

/// Which versions are to blame for a page that stays white, and which are not.
@MainActor
@Suite("White pages: what is to blame", .timeLimit(.minutes(1)))
struct WhitePageBlameTests {
    private let stage = WhiteStage()
    private var fixture: Fixture { stage.fixture }

    /// Version 1 is good, and version 2 on trial.
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

    @Test("A version on trial of another site, whose files a page has used, is not taken back for it, nor from it")
    func otherSite() async throws {
        let container = try await stage.container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await trial(of: "library", base: "https://library.example/", in: container)
        let page = try await container.open("https://shop.example/index.html")
        let events = container.events()
        for _ in 0..<2 {
            stage.load(stage.url, in: page.view)
            _ = try await fixture.text("containerkit://library.example/", from: page.view, of: container)
            try await stage.show(WhiteStage.look(), in: page.view)
            _ = try await stage.nextStep(events)
        }
        #expect(versions(container) == ["library 2", "shop 1"])
        #expect(container.openPages[0].generations.map(\.package) == ["library"])
    }

    @Test("An error counts of what a package has given, and not of a server's page that only lies beside its files")
    func beside() async throws {
        let container = try await stage.container()
        try await trial(in: container)
        let page = try await container.open("https://shop.example/other.html")
        let events = container.events()
        let place = "containerkit://shop.example/other.html"
        let kinds = try await stage.showTwice(WhiteStage.look(#""empty":true"#), at: place, in: page.view, events)
        #expect(kinds == [.reloaded, .showedErrorPage] && versions(container) == ["shop 2"])
        // Its script is the package's.
        let other = try await container.open("https://shop.example/other.html")
        for kind in [WhitePageStep.Kind.reloaded, .reloadedWithoutPackage] {
            stage.load(place, in: other.view)
            _ = try await fixture.text(stage.url, from: other.view, of: container)
            try await stage.show(WhiteStage.look(), in: other.view)
            #expect(try await stage.nextStep(events).kind == kind)
        }
        #expect(versions(container) == ["shop 1"])
    }

    @Test("A process that ended takes a version from its page, and marks none as failed")
    func killed() async throws {
        let container = try await stage.container()
        try await trial(in: container)
        let page = try await container.open("https://shop.example/index.html")
        let events = container.events()
        for kind in [WhitePageStep.Kind.reloaded, .reloadedWithoutPackage] {
            stage.load(stage.url, in: page.view)
            page.view.onSignal?(.processEnded(reason: "killed"))
            #expect(try await stage.nextStep(events).kind == kind)
        }
        #expect(versions(container) == ["shop 2"] && container.openPages[0].generations.isEmpty)
        await container.shutDown()
        #expect(versions(container) == ["shop 2"])
    }

    @Test("What could not be had condemns the version that it lies in, where the server has it not, and no other")
    func resources() async throws {
        let cases: [(String, isAnswered: Bool, WhitePageStep.Kind, String)] = [
            ("containerkit://shop.example/gone.js", true, .reloadedWithoutPackage, "shop 1"),
            ("containerkit://shop.example/gone.js", false, .showedErrorPage, "shop 2"),
            ("https://elsewhere.example/gone.js", true, .showedErrorPage, "shop 2"),
        ]
        for (url, isAnswered, kind, version) in cases {
            let stage = WhiteStage()
            let container = try await stage.container()
            try await stage.fixture.install(["index.html": "one"], version: "1", into: container)
            try await container.update(from: stage.fixture.publish(["index.html": "two"], version: "2"))
            let page = try await container.open("https://shop.example/index.html")
            let events = container.events()
            if !isAnswered {
                // Asked for, and dropped.
                stage.fixture.engine.send(url, from: page.view).drop()
                for await case .request in events { break }
            }
            let look = WhiteStage.look("\"failed\":[\"\(url)\"]")
            let kinds = try await stage.showTwice(look, in: page.view, events)
            #expect(kinds == [.reloaded, kind] && versions(container) == [version])
        }
    }

    @Test("Over loopback a version is condemned where the page can get another one, and so not beside other pages")
    func loopback() async throws {
        for hasOthers in [true, false] {
            let stage = WhiteStage()
            let container = try await stage.container { $0.mode = .loopbackProxy }
            try await stage.fixture.install(["index.html": "one"], version: "1", into: container)
            try await container.update(from: stage.fixture.publish(["index.html": "two"], version: "2"))
            let page = try await container.open("https://shop.example/index.html")
            let other = hasOthers ? try await container.open("https://shop.example/index.html") : nil
            let events = container.events()
            let kinds = try await stage.showTwice(
                WhiteStage.look(), at: "https://shop.example/index.html", in: page.view, events)
            #expect(kinds == [.reloaded, hasOthers ? .showedErrorPage : .reloadedWithoutPackage])
            #expect(versions(container) == [hasOthers ? "shop 2" : "shop 1"])
            if let other { await container.close(other) }
            await container.shutDown()
        }
    }
}
