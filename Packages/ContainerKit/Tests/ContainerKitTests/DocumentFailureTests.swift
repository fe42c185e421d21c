// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import RequestPipeline
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import LoopbackInterception

/// Why a page is not there, where the engine hears of it at second hand.
@MainActor
@Suite("Documents that cannot be had", .timeLimit(.minutes(1)))
struct DocumentFailureTests {
    private let fixture = Fixture()
    private let refused = ResourceError(.tls, "the certificate is not trusted", at: "https://a.example/")
    private let lost = EngineError(.connectionLost, "lost")

    @Test("A page by the scheme hears what its server was refused for, and one past the container what the engine says")
    func told() async throws {
        let container = try await fixture.container(covering: ["a.example"])
        let page = try await container.open("https://a.example/refused#top")
        let place = try #require(page.view.loads.last)
        page.view.onSignal?(.started(url: place))
        _ = try await fixture.answer(
            to: "containerkit://a.example/refused", from: page.view, isMainDocument: true, of: container)
        page.view.onSignal?(.failed(url: place, error: EngineError(.loadFailed, "a scheme's error", at: place)))
        await #expect(throws: EngineError(.tls, refused.message, at: "https://a.example/refused#top")) {
            try await page.load.finished(within: .seconds(30))
        }
        container.requests.failures.failed("https://b.example/", because: refused)
        let plain = try await container.open("https://b.example/")
        plain.view.onSignal?(.failed(url: "https://b.example/", error: lost))
        await #expect(throws: lost) { try await plain.load.finished(within: .seconds(30)) }
        await container.shutDown()
    }

    @Test("What is asked for over loopback is noted before the engine hears of it, and an answer takes it back")
    func noted() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.pages.mode = .loopbackProxy }
        let failures = container.requests.failures
        let packages = try #require(container.components.first(PackagesComponent.self))
        let observer = LoopbackAdapter(container.hub, packages, fields: nil, failures: failures)
        let requests = LoopbackRequests(pipeline: container.path, pages: PageAttributor(), observer: observer)
        let url = "https://a.example/refused"
        var request = ResourceRequest(try #require(HTTPRequest(method: .get, urlText: url)))
        let picture = request
        request.destination = .document
        let document = request
        await #expect(throws: (any Error).self) { try await requests.load(picture) }
        #expect(failures.explained(lost, of: url) == lost)
        await #expect(throws: (any Error).self) { try await requests.load(document) }
        // What the engine knows itself, it knows best.
        #expect(failures.explained(EngineError(.processEnded, "gone"), of: url).code == .processEnded)
        #expect(failures.explained(lost, of: "https://a.example/other") == lost)
        #expect(failures.explained(lost, of: url + "#x").code == .tls)
        await container.shutDown()
    }
}
