// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import Logging
import PagePrefetch
import ResourceStore
import Testing
import WebEngine

/// The header fields that an engine adds, as recorded from its document requests.
@Suite("Header fields of the engine", .timeLimit(.minutes(1)))
struct EngineFieldsTests {
    private func document(_ agent: String) -> HTTPRequest {
        HTTPRequest(
            method: .get, scheme: "https", authority: "shop.example", path: "/",
            headerFields: [.userAgent: agent, .accept: "text/html", .referer: "https://shop.example/other"])
    }

    @Test("The engine's user agent is derived from requests of views with another user agent")
    func fields() async throws {
        let fields = EngineFields()
        let (token, text) = (try UserAgent.appending("Shop/2"), try UserAgent.text("Other/1"))
        fields.use(token)
        fields.use(text)
        fields.record(document("Other/1"))
        // A user agent that replaces the engine's own reveals nothing about the engine's own.
        #expect(try await fields.known()[.userAgent] == nil)
        #expect(text.knownText(of: nil) == "Other/1")
        fields.record(document("Engine/1 Shop/2"))
        #expect(try await fields.known()[.userAgent] == "Engine/1")
        fields.record(document("Other/1"))
        #expect(try await fields.known()[.userAgent] == "Engine/1")
        fields.record(document("Engine/2"))
        #expect(try await fields.known()[.userAgent] == "Engine/2")
    }

    @Test("Fields are stored when they change, except fields of a single request, and are read in the next launch")
    func stored() async throws {
        let writes = Mutex<[Data]>([])
        let fields = EngineFields { data in writes.withLock { $0.append(data) } }
        fields.record(document("Engine/1"))
        fields.record(document("Engine/1"))
        let stored = try #require(writes.withLock { $0.count == 1 ? $0[0] : nil })
        #expect(
            try JSONDecoder().decode([String: String].self, from: stored)
                == ["accept": "text/html", "user-agent": "Engine/1"])
        #expect(try await EngineFields(stored).known() == [.accept: "text/html", .userAgent: "Engine/1"])
    }

    @Test("Each mode except the first has its own stored document")
    func documents() async throws {
        let folder = try TemporaryFolder()
        let store = try BlobStore(directory: folder.path + "/store")
        try store.putDocument(Data(#"{"user-agent":"One"}"#.utf8), as: "prefetch-fields")
        try store.putDocument(Data(#"{"user-agent":"Two"}"#.utf8), as: "prefetch-fields-proxy")
        let logger = Logger(label: "test")
        #expect(try await EngineFields.open(store, logger: logger).known() == [.userAgent: "One"])
        #expect(try await EngineFields.open(store, of: .loopbackProxy, logger: logger).known() == [.userAgent: "Two"])
    }

    @Test("A reader waits for the engine's first request, and can be cancelled")
    func waiting() async throws {
        let fields = EngineFields()
        let cancelled = Task { try await fields.known() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let waiting = Task { try await fields.known() }
        fields.record(document("Engine/1"))
        #expect(try await waiting.value[.userAgent] == "Engine/1")
    }
}
