// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import PackageFormat
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import OfflinePackage
@testable import PageInterface

@MainActor
@Suite("Interface of a page", .timeLimit(.minutes(1)))
struct PageInterfaceTests {
    private let stage: InterfaceStage

    init() throws {
        stage = try InterfaceStage()
    }

    @Test("A page reads its package: the one with the longest base path that covers the document")
    func package() async throws {
        #expect(try await stage.call("hello") == "null")
        #expect(try await stage.call("package") == #"{"id":"shop","version":"1"}"#)
        try stage.pages.pin("inner", "3", number: 3, base: "https://shop.example/inner/")
        #expect(try await stage.call("package") == #"{"id":"shop","version":"1"}"#)
        try stage.pages.pin("index", "4", number: 4, base: "https://shop.example/index.html/")
        #expect(try await stage.call("package") == #"{"id":"shop","version":"1"}"#)
    }

    @Test("The first report of a document counts, for the generations with which the document began")
    func reports() async throws {
        #expect(try await stage.call("hello") == "null")
        // A package of another site is not responsible for the page.
        try stage.pages.pin("shop", "2", number: 2)
        #expect(try await stage.call("failed", "a\u{202E}\nb") == "null")
        #expect(try await stage.call("ready") == "null")
        #expect(stage.pages.calls == ["failed a\u{FFFD}\u{FFFD}b [1]"])
        #expect(stage.pages.events == [.failed("a\u{FFFD}\u{FFFD}b")])

        stage.controller.documentChanged(in: stage.view.id)
        #expect(try await stage.call("ready", of: "8") == "null")
        #expect(stage.pages.calls.last == "healthy [2]")
        stage.controller.documentChanged(in: stage.view.id)
        #expect(try await stage.call("failed", of: "9") == "null")
        #expect(stage.pages.events == [.failed("a\u{FFFD}\u{FFFD}b"), .ready, .failed("no reason")])
        stage.controller.documentChanged(in: stage.view.id)
        _ = try await stage.call("failed", String(repeating: "x", count: 3_000), of: "10")
        #expect(stage.pages.events.last == .failed(String(repeating: "x", count: 256)))
    }

    @Test("Packages that do not cover the document are not reported")
    func otherPackages() async throws {
        try stage.pages.pin("other", "1", number: 5, base: "https://other.example/")
        _ = try await stage.call("failed", "broken")
        #expect(stage.pages.calls == ["failed broken [1]"])
    }

    @Test("Messages of former documents are refused without an event")
    func formerDocuments() async throws {
        _ = try await stage.call("hello", of: "1")
        stage.controller.documentChanged(in: stage.view.id)
        // The former document may send its message before the new one.
        await #expect(throws: PageInterfaceRefusal.former) { try await stage.call("failed", "late", of: "1") }
        _ = try await stage.call("hello", of: "2")
        await #expect(throws: PageInterfaceRefusal.former) { try await stage.call("failed", "late", of: "1") }
        #expect(stage.pages.calls.isEmpty && stage.pages.events.isEmpty)
    }

    @Test("Messages without the token, without a known form, or of a size above the limit are refused")
    func hostileMessages() async throws {
        let token = try stage.token
        #expect(token.utf8.count == 32)
        let other = String(repeating: "0", count: 32)
        await #expect(throws: PageInterfaceRefusal.stranger) { try await stage.send("\(other) 7 ready ") }
        await #expect(throws: PageInterfaceRefusal.stranger) { try await stage.send(" 7 ready ") }
        for text in ["", token, "\(token) 7 ready", "\(token)  ready ", "\(token) 7 none ", "\(token) é ready "] {
            await #expect(throws: PageInterfaceRefusal.malformed, "\(text)") { try await stage.send(text) }
        }
        await #expect(throws: PageInterfaceRefusal.malformed) { try await stage.send(json: #"{"kind":"ready"}"#) }
        let long = String(repeating: "7", count: 33)
        await #expect(throws: PageInterfaceRefusal.malformed) { try await stage.call("ready", of: long) }
        let large = String(repeating: "x", count: PageInterfaceMessage.sizeLimit)
        await #expect(throws: PageInterfaceRefusal.tooLarge) { try await stage.call("failed", large) }
        #expect(stage.pages.calls.isEmpty)
        // The event is sent once for a document.
        #expect(stage.pages.events == [.refused(PageInterfaceRefusal.stranger.description)])
        // The messages of others do not count for the rate of the page.
        for _ in 0..<1_000 { _ = try? await stage.send("\(other) 7 ready ") }
        #expect(try await stage.call("ready") == "null")
    }

    @Test("A page that is not covered any more, or is closed, gets no replies")
    func uncovered() async throws {
        stage.pages.uncovered = [stage.pages.document]
        await #expect(throws: PageInterfaceRefusal.uncovered) { try await stage.call("package") }
        stage.pages.uncovered = []
        #expect(try await stage.call("package") != "null")
        stage.pages.isOpen = false
        await #expect(throws: PageInterfaceRefusal.closed) { try await stage.call("package") }
        stage.pages.isOpen = true
        stage.controller.end(in: stage.view.id)
        await #expect(throws: PageInterfaceRefusal.closed) { try await stage.call("package") }
    }

    @Test("A page can send 64 messages at once, and then one in each interval of 250 ms")
    func rate() async throws {
        for _ in 0..<64 { _ = try await stage.call("network") }
        await #expect(throws: PageInterfaceRefusal.tooMany) { try await stage.call("network") }
        stage.clock.advance(by: .milliseconds(249))
        await #expect(throws: PageInterfaceRefusal.tooMany) { try await stage.call("network") }
        stage.clock.advance(by: .milliseconds(1))
        _ = try await stage.call("network")
        await #expect(throws: PageInterfaceRefusal.tooMany) { try await stage.call("network") }
        stage.clock.advance(by: .seconds(3_600))
        for _ in 0..<64 { _ = try await stage.call("network") }
        await #expect(throws: PageInterfaceRefusal.tooMany) { try await stage.call("network") }
    }

    // MARK: Notifications

    @Test("A staged and an activated version are notified once, the newest of each type")
    func versions() async throws {
        _ = try await stage.call("hello")
        let waiting = Task { try await stage.call("next") }
        await Task.yield()
        stage.controller.receive(.staged(try PackageID("shop"), try PackageVersion("2"), .nextLaunch))
        #expect(try await waiting.value == #"{"update":{"id":"shop","version":"2"}}"#)
        // Another package, and a version that the document knows.
        stage.controller.receive(.staged(try PackageID("other"), try PackageVersion("2"), .nextLaunch))
        stage.controller.receive(.staged(try PackageID("shop"), try PackageVersion("2"), .nextLaunch))
        try stage.pages.activate("shop", "2", number: 2)
        stage.controller.packagesDidChange()
        try stage.pages.activate("shop", "3", number: 3)
        stage.controller.packagesDidChange()
        #expect(try await stage.call("next") == #"{"activated":{"id":"shop","version":"3"}}"#)
    }

    @Test("A document that begins after an activation is notified when it waits")
    func lateDocument() async throws {
        stage.controller.receive(.staged(try PackageID("shop"), try PackageVersion("3"), .nextLaunch))
        try stage.pages.activate("shop", "2", number: 2)
        stage.controller.packagesDidChange()
        let both = #"{"activated":{"id":"shop","version":"2"},"update":{"id":"shop","version":"3"}}"#
        #expect(try await stage.call("next") == both)
        stage.controller.documentChanged(in: stage.view.id)
        #expect(try await stage.call("next", of: "8") == both)
    }

    @Test("A document is not notified of an active version to which its page cannot change")
    func avoidedVersion() async throws {
        stage.pages.avoided = [2]
        try stage.pages.activate("shop", "2", number: 2)
        stage.controller.receive(.staged(try PackageID("shop"), try PackageVersion("3"), .nextLaunch))
        #expect(try await stage.call("next") == #"{"update":{"id":"shop","version":"3"}}"#)
        try stage.pages.activate("shop", "3", number: 3)
        stage.controller.packagesDidChange()
        #expect(try await stage.call("next") == #"{"activated":{"id":"shop","version":"3"}}"#)
    }

    @Test("An activation ends the notice of the staged version, also for views that open later")
    func activatedStage() async throws {
        stage.controller.receive(.staged(try PackageID("shop"), try PackageVersion("2"), .nextLaunch))
        try stage.pages.activate("shop", "2", number: 2)
        let change = PackageScopeChange(
            package: try PackageID("shop"), baseURL: try PackageBaseURL("https://shop.example/"), former: nil,
            current: GenerationReference(package: "shop", number: 2), reason: .activated)
        stage.controller.receive(.scopeChanged(change))
        try stage.open()
        #expect(try await stage.call("next") == #"{"activated":{"id":"shop","version":"2"}}"#)
    }

    @Test("A wait ends with the next wait, the next document, and the page")
    func waits() async throws {
        let first = Task { try await stage.call("next") }
        await Task.yield()
        let second = Task { try await stage.call("next") }
        #expect(try await first.value == "null")
        stage.controller.documentChanged(in: stage.view.id)
        #expect(try await second.value == "null")
        let third = Task { try await stage.call("next", of: "8") }
        await Task.yield()
        stage.controller.end(in: stage.view.id)
        #expect(try await third.value == "null")
    }

    @Test("The state of the network is read, and its changes are notified")
    func network() async throws {
        #expect(try await stage.call("network") == #"{"metered":false,"online":true}"#)
        stage.controller.start()
        let waiting = Task { try await stage.call("next") }
        await Task.yield()
        // A change of another condition is not notified.
        stage.conditions.set(HostConditions(isIdle: false))
        stage.conditions.set(HostConditions(network: .none))
        #expect(try await waiting.value == #"{"network":{"metered":null,"online":false}}"#)
        #expect(try await stage.call("network") == #"{"metered":null,"online":false}"#)
        await stage.controller.shutDown()
    }

    // MARK: Reload

    @Test("A reload pins the active version and reloads the view; without another version nothing is reloaded")
    func reload() async throws {
        #expect(try await stage.call("reload") == "false")
        #expect(stage.view.reloads.isEmpty && stage.pages.events.isEmpty)
        try stage.pages.activate("shop", "2", number: 2)
        #expect(try await stage.call("reload") == "true")
        #expect(stage.view.reloads == [stage.pages.document] && stage.pages.events == [.reloading])
        // The document that is being replaced cannot report against the new version.
        await #expect(throws: PageInterfaceRefusal.former) { try await stage.call("failed", "late") }
        #expect(try await stage.call("package", of: "8") == #"{"id":"shop","version":"2"}"#)
    }

    @Test("A page that navigates during the preparation of its reload is not reloaded")
    func overtakenReload() async throws {
        try stage.pages.activate("shop", "2", number: 2)
        stage.pages.onAdopt = { [stage] in
            stage.controller.documentChanged(in: stage.view.id)
            _ = try? await stage.call("hello", of: "8")
        }
        await #expect(throws: PageInterfaceRefusal.former) { try await stage.call("reload") }
        #expect(stage.view.reloads.isEmpty && stage.pages.events.isEmpty)
    }
}
