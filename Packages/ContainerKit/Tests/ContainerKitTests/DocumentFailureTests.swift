// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import EngineTesting
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing

@testable import ContainerKit

/// Why a page is not there, where the engine hears of it at second hand.
@MainActor
@Suite("Documents that cannot be had", .timeLimit(.minutes(1)))
struct DocumentFailureTests {
    private let fixture = Fixture()
    private let refused = ResourceError(.tls, "the certificate is not trusted", at: "https://a.example/")

    private func document(_ url: String) throws -> ResourceRequest {
        var request = ResourceRequest(try #require(HTTPRequest(method: .get, urlText: url)))
        request.destination = .document
        return request
    }

    @Test("A page hears what its server was refused for, in each mode", arguments: [true, false])
    func told(isByProxy: Bool) async throws {
        fixture.engine.traits.identifiesPage = !isByProxy
        let container = try await fixture.container(covering: ["a.example"]) {
            $0.mode = isByProxy ? .loopbackProxy : .customScheme
        }
        let page = try await container.open("https://a.example/#top")
        let place = try #require(page.view.loads.last)
        container.documentFailures.note(try document("https://a.example/"), refused)
        page.view.onSignal?(.started(url: place))
        let word = EngineError(isByProxy ? .connectionLost : .loadFailed, "the connection ended", at: place)
        page.view.onSignal?(.failed(url: place, error: word))
        await #expect(throws: EngineError(.tls, "the certificate is not trusted", at: "https://a.example/#top")) {
            try await page.load.finished(within: .seconds(30))
        }
        await container.shutDown()
    }

    @Test("What is asked for over loopback is noted before the engine hears of it, and an answer takes it back")
    func noted() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.mode = .loopbackProxy }
        let failures = DocumentFailures()
        let requests = LoopbackRequests(
            path: container.path, pages: OpenPages(), legacy: nil, failures: failures)
        let lost = EngineError(.connectionLost, "lost")
        let url = "https://a.example/refused"
        await #expect(throws: (any Error).self) { try await requests.load(document(url)) }
        #expect(failures.explained(lost, of: url + "#x").code == .tls)
        #expect(failures.explained(lost, of: "https://a.example/other") == lost)
        // What the engine knows itself, it knows best.
        #expect(failures.explained(EngineError(.processEnded, "gone"), of: url).code == .processEnded)
        failures.note(try document(url), nil)
        #expect(failures.explained(lost, of: url) == lost)
        // What nobody waits for any more says nothing of the page, and neither does a picture.
        failures.note(try document(url), ResourceError(.cancelled, "stopped"))
        failures.note(ResourceRequest(try #require(HTTPRequest(method: .get, urlText: url))), refused)
        #expect(failures.explained(lost, of: url) == lost)
        await container.shutDown()
    }

    @Test("The last 16 are kept")
    func limit() throws {
        let failures = DocumentFailures()
        for number in 0..<17 { failures.note(try document("https://a.example/\(number)"), refused) }
        let lost = EngineError(.loadFailed, "?")
        #expect(failures.explained(lost, of: "https://a.example/0") == lost)
        #expect(failures.explained(lost, of: "https://a.example/1").code == .tls)
    }
}
