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

/// The reasons for failed documents that the engine does not report itself.
@MainActor
@Suite("Documents that could not be loaded", .timeLimit(.minutes(1)))
struct DocumentFailureTests {
    private let fixture = Fixture()
    private let refused = ResourceError(.tls, "the certificate is not trusted", at: "https://a.example/")
    private let lost = EngineError(.connectionLost, "lost")

    @Test("An intercepted page gets the reason from the container, a plain page gets the error of the engine")
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

    @Test("A failure over loopback is recorded before the engine reports it, and a response removes it")
    func noted() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.pages.mode = .loopbackProxy }
        let failures = container.requests.failures
        let packages = try #require(container.components.first(PackagesComponent.self))
        let observer = LoopbackAdapter(container.hub, packages, fields: nil, failures: failures, proof: nil)
        let requests = LoopbackRequests(pipeline: container.path, pages: PageAttributor(), observer: observer)
        let url = "https://a.example/refused"
        var request = ResourceRequest(try #require(HTTPRequest(method: .get, urlText: url)))
        let picture = request
        request.destination = .document
        let document = request
        await #expect(throws: (any Error).self) { try await requests.load(picture) }
        #expect(failures.explained(lost, of: url) == lost)
        await #expect(throws: (any Error).self) { try await requests.load(document) }
        // An error with a reason from the engine is not replaced.
        #expect(failures.explained(EngineError(.processEnded, "gone"), of: url).code == .processEnded)
        #expect(failures.explained(lost, of: "https://a.example/other") == lost)
        #expect(failures.explained(lost, of: url + "#x").code == .tls)
        await container.shutDown()
    }
}
