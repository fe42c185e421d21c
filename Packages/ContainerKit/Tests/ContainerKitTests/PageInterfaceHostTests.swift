// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import OfflinePackage
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

/// The interface of pages in a container, without a web engine.
@MainActor
@Suite("Interface of pages", .timeLimit(.minutes(1)))
struct PageInterfaceHostTests {
    private let fixture = Fixture()
    private let handler = "containerkit-interface"
    private let url = "https://shop.example/index.html"

    private func container(
        _ mode: InterceptionMode, change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        try await fixture.container {
            $0.pages.mode = mode
            $0.pages.interface = PageInterfaceOptions()
            change(&$0)
        }
    }

    /// The script of the interface in a view; `nil` if it has none.
    private func script(_ view: FakeView) -> String? {
        view.scripts.map(\.source).last { $0.contains(handler) }
    }

    /// Sends a message as the script of a document does.
    private func call(_ kind: String, of document: Int = 1, in view: FakeView) async throws -> String {
        let start = try #require(script(view)?.components(separatedBy: #""token":""#).last)
        let handler = try #require(view.handlers[handler])
        let text = "\(start.prefix { $0 != "\"" }) \(document) \(kind)"
        let place = try #require(view.reloads.last ?? view.loads.last)
        return try await handler(ScriptMessage(json: "\"\(text)\"", documentURL: place))
    }

    /// Sends the signals of a document that the view loads.
    private func load(_ view: FakeView) throws {
        let place = try #require(view.reloads.last ?? view.loads.last)
        view.onSignal?(.started(url: place))
        view.onSignal?(.committed(url: place))
    }

    @Test("Pages have no interface by default, and then only covered pages")
    func covered() async throws {
        let without = try await fixture.container(covering: ["shop.example"])
        let page = try await without.open(url)
        #expect(script(page.view) == nil && page.view.handlers[handler] == nil)
        await without.close(page)
        await without.shutDown()

        let other = Fixture()
        let container = try await other.container(covering: ["shop.example", "*.wild.example:8443"]) {
            $0.pages.interface = PageInterfaceOptions()
        }
        let plain = try await container.open("https://plain.example/")
        #expect(script(plain.view) == nil && plain.view.handlers[handler] == nil)
        try await other.install(["a.js": ""], version: "1", base: "https://cdn.example:81/a/", into: container)
        let covered = try await container.open(url)
        let source = try #require(script(covered.view))
        for place in [
            #"^https\\:\\/\\/shop\\.example$"#, #"^https\\:\\/\\/cdn\\.example\\:81$"#, #"^containerkit:"#,
            #"^containerkit\\-http:"#, #"^https?://[^/]+\\.wild\\.example:8443$"#,
        ] {
            #expect(source.contains("\"\(place)\""), "\(place) in \(source)")
        }
        await container.shutDown()
    }

    @Test("A page learns of a new version and reloads into it; reports count for the version of the document")
    func versions() async throws {
        let container = try await container(.customScheme)
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        let page = try await container.open(url)
        let view = page.view
        try load(view)
        #expect(try await call("package ", in: view) == #"{"id":"shop","version":"1"}"#)
        #expect(try await call("reload ", in: view) == "false")

        let waiting = Task { try await call("next ", in: view) }
        await Task.yield()
        try await container.update(from: fixture.publish(["index.html": "two"], version: "2"))
        #expect(try await waiting.value == #"{"activated":{"id":"shop","version":"2"}}"#)
        // The page still uses version 1, so that its report does not end the trial of version 2.
        #expect(try await call("failed old", in: view) == "null")
        #expect(try await call("reload ", in: view) == "true")
        #expect(view.reloads == [view.loads[0]])
        try load(view)
        #expect(try await call("package ", of: 2, in: view) == #"{"id":"shop","version":"2"}"#)
        #expect(try await fixture.text("containerkit://shop.example/index.html", from: view, of: container) == "two")
        #expect(container.openPages.first?.generations == container.installedPackages.map(\.generation))
        #expect(container.installedPackages.map(\.version.description) == ["2"])

        let events = container.events
        #expect(try await call("failed broken", of: 2, in: view) == "null")
        for await event in events {
            guard case .package(.scopeChanged(let change)) = event, change.reason != .activated else { continue }
            #expect(change.reason == .rolledBack("broken"))
            break
        }
        // The rollback has another active version.
        #expect(try await call("next ", of: 2, in: view) == #"{"activated":{"id":"shop","version":"1"}}"#)
        await container.shutDown()
    }

    @Test("The calls of a page are events, and a healthy page confirms its version")
    func events() async throws {
        let container = try await container(.customScheme)
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await container.update(from: fixture.publish(["index.html": "two"], version: "2"))
        let page = try await container.open(url)
        try load(page.view)
        let events = container.events
        #expect(try await call("ready ", in: page.view) == "null")
        await #expect(throws: (any Error).self) { try await call("none ", in: page.view) }
        var calls: [PageInterfaceEvent] = []
        for await event in events {
            if case .pageInterface(page.session.id, let call) = event { calls.append(call) }
            if case .package(.confirmed) = event { break }
        }
        #expect(calls.first == .ready)
        await container.close(page)
        await container.shutDown()
    }

    @Test("Over the proxy a page reloads into the new version while another page keeps the old one")
    func secondPage() async throws {
        fixture.engine.traits = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true, caches: true,
            identifiesPage: false, acceptLanguage: nil)
        let container = try await container(.loopbackProxy)
        try await fixture.install(["index.html": "one", "b.html": "b"], version: "1", into: container)
        let one = try await container.open(url)
        try load(one.view)
        let two = try await container.open("https://shop.example/b.html")
        try load(two.view)
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        #expect(try await call("reload ", in: one.view) == "true")
        #expect(one.view.reloads == [url] && two.view.reloads.isEmpty)
        try load(one.view)
        #expect(try await call("package ", of: 2, in: one.view) == #"{"id":"shop","version":"2"}"#)
        #expect(try await call("package ", of: 1, in: two.view) == #"{"id":"shop","version":"1"}"#)
        let numbers = container.openPages.map { $0.generations.map(\.number) }
        #expect(numbers.count == 2 && numbers[0] != numbers[1])
        #expect(try await call("next ", of: 1, in: two.view) == #"{"activated":{"id":"shop","version":"2"}}"#)
        await container.shutDown()
    }

    @Test("A page whose container is switched off gets no replies")
    func off() async throws {
        let container = try await container(.document)
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        let page = try await container.open(url)
        try load(page.view)
        #expect(try await call("package ", in: page.view) != "null")
        container.isEnabled = false
        await #expect(throws: (any Error).self) { try await call("package ", in: page.view) }
        await container.shutDown()
    }

    @Test("The guide shows the sample that is compiled, and the sample collects the failures of pages")
    func guide() async throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardized
        let text = { try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8) }
        let sample = try text("Packages/ContainerKit/Tests/ContainerKitTests/PageInterfaceSample.swift")
        let header = try #require(sample.firstRange(of: "\n\n"))
        #expect(try text("docs/page-interface.md").contains("```swift\n\(sample[header.upperBound...])```"))

        let container = try await fixture.container(covering: ["shop.example"]) {
            $0.pages = interfaceConfiguration(in: "").pages
        }
        let reasons = Task { [events = container.events] in await failures(in: events) }
        let page = try await container.open(url)
        try load(page.view)
        #expect(try await call("failed broken", in: page.view) == "null")
        await container.shutDown()
        #expect(await reasons.value == ["broken"])
    }
}
