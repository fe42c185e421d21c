// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import PackageUpdates
import ResourceLoading
import Testing
import WebEngineTesting

@testable import ContainerKit

@MainActor
@Suite("Worker scripts", .timeLimit(.minutes(1)))
struct WorkerScriptTests {
    private let fixture = Fixture()
    private let id = String(repeating: "0f", count: 16)
    private let own = String(repeating: "own ", count: 10_000)

    /// Announces a worker like a page's script, and sends the request for it.
    private func start(_ url: String, in page: Page<FakeView>) -> FakeSink {
        let question = #"{"place":"containerkit://a.example/","ask":"worker","url":"\#(url)#\#(id)","isModule":false}"#
        #expect(page.view.prompt(question) == #"{"value":true}"#)
        return fixture.engine.send(url, fragment: id, from: page.view)
    }

    private func container() async throws -> Container<FakeEngine> {
        fixture.engine.traits.bodies = .plain
        return try await fixture.container(covering: ["a.example"]) { $0.pages.mode = .customScheme }
    }

    @Test("The script is requested once, and its bytes are served unchanged")
    func once() async throws {
        let container = try await container()
        fixture.network.put(.bytes(Data(own.utf8)), at: "https://a.example/w.js", [.cacheControl: "no-store"])
        let page = try await container.open("https://a.example/")
        let url = "containerkit://a.example/w.js"
        let events = container.events
        let front = start(url, in: page)
        for await case .request(let record) in events {
            #expect(record.url == "https://a.example/w.js" && record.bytes == own.utf8.count)
            break
        }
        #expect(
            String(decoding: front.body, as: UTF8.self).hasSuffix(#"importScripts("containerkit:\/\/a.example\/w.js")"#)
        )
        let imported = await fixture.engine.request(url, .get, [.referer: url], from: page.view)
        #expect(String(decoding: imported.body, as: UTF8.self) == own)
        #expect(fixture.network.urls.count { $0 == "https://a.example/w.js" } == 1)
    }

    @Test("A package that serves only a worker script counts as having served the page")
    func noted() async throws {
        let container = try await container()
        try await fixture.install(["w.js": own], version: "1", base: "https://a.example/pkg/", into: container)
        let page = try await container.open("https://a.example/")
        let generation = try #require(page.session.generations.first)
        let sink = start("containerkit://a.example/pkg/w.js", in: page)
        await sink.end()
        #expect(sink.error == nil && container.core.packages.hasRecorded(generation, of: page.session.id))
    }
}
