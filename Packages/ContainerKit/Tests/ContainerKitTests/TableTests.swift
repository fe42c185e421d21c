// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import ResourceLoading
import ResourceTable
import Testing

/// A resource table of an older server, as the facade keeps it.
@MainActor
@Suite("A resource table in a container", .timeLimit(.minutes(1)))
struct TableTests {
    private let fixture = Fixture()
    private let script = "https://cdn.example/app.js"
    private let download = "https://cdn.example/xcache/1/app.js"

    /// Publishes a table that lists one script.
    private func publish(_ content: String, version: String) throws -> TableEndpoints {
        let url = "https://table.example/table"
        let json = """
            {"code":200,"data":{"version":"\(version)","update":true,"resourcemap":{"\(script)":
            {"version":"\(version)","md5":"\(MD5Digest(of: Data(content.utf8)))","download":"\(download)",
            "ctype":"application/javascript"}}}}
            """
        fixture.network.put(.bytes(Data(json.utf8)), at: url)
        fixture.network.put(.bytes(Data(content.utf8)), at: download)
        return TableEndpoints(primary: try #require(TableURL(url)))
    }

    private func container(_ endpoints: TableEndpoints) async throws -> Container<FakeEngine> {
        try await fixture.container(covering: ["shop.example"]) {
            $0.table = TableLibrary.Configuration(endpoints: endpoints)
        }
    }

    @Test("It is asked for at launch, and what it lists answers the pages, from disk after the first time")
    func answers() async throws {
        let container = try await container(publish("run()", version: "1"))
        // Where nobody asks for the table, the time limit ends this.
        while !container.covers(script) { await Task.yield() }
        let page = try await container.open("https://shop.example/")
        let name = "containerkit://cdn.example/app.js"
        let first = try await fixture.answer(to: name, from: page.view, of: container)
        #expect(first.sink.body == Data("run()".utf8))
        let second = try await fixture.answer(to: name, from: page.view, of: container)
        #expect(second.sink.body == Data("run()".utf8) && second.record.provenance?.source == .package)
        #expect(fixture.network.urls.count { $0 == download } == 1)
        #expect(!fixture.network.urls.contains(script))
        await container.shutDown()
    }

    @Test("It is there again when the folder is opened again, with the network cut")
    func reopening() async throws {
        let endpoints = try publish("run()", version: "1")
        let container = try await container(endpoints)
        while !container.covers(script) { await Task.yield() }
        await container.shutDown()
        let next = try await fixture.container(covering: ["shop.example"], on: FakeEngine()) {
            $0.table = TableLibrary.Configuration(endpoints: endpoints)
            $0.transport = FakeNetwork()
        }
        #expect(next.covers(script))
        await next.shutDown()
    }
}
