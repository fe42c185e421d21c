// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerKit
import ContentDigest
import Foundation
import HTTPTypes
import OfflinePackage
import ResourceLoading
import ResourceTable
import Testing
import WebEngineTesting

/// A resource table of an older server, in the facade.
@MainActor
@Suite("A resource table in a container", .timeLimit(.minutes(1)))
struct TableTests {
    private let fixture: Fixture
    private let script = "https://cdn.example/app.js"
    private let download = "https://cdn.example/xcache/1/app.js"

    init(fixture: Fixture = Fixture()) {
        self.fixture = fixture
    }

    /// Publishes a table with one script.
    /// - Parameter listed: the URL of the file in the table; by default its real URL.
    private func publish(
        _ content: String, version: String, at listed: String? = nil
    ) throws -> TableEndpoints {
        let url = "https://table.example/table"
        let json = """
            {"code":200,"data":{"version":"\(version)","update":true,"resourcemap":{"\(script)":
            {"version":"\(version)","md5":"\(MD5Digest(of: Data(content.utf8)))","download":"\(listed ?? download)",
            "ctype":"application/javascript"}}}}
            """
        fixture.network.put(.bytes(Data(json.utf8)), at: url)
        fixture.network.put(.bytes(Data(content.utf8)), at: download)
        return TableEndpoints(primary: try #require(TableURL(url)))
    }

    private func container(
        _ endpoints: TableEndpoints, scope: TableScope? = TableScope(pages: ["cdn.example"])
    ) async throws -> Container<FakeEngine> {
        try await fixture.container(covering: ["shop.example"]) {
            $0.packages.table = TableLibrary.Configuration(endpoints: endpoints)
            $0.packages.table?.scope = scope
        }
    }

    @Test("The table is requested at launch, and its files serve pages, from disk after the first time")
    func answers() async throws {
        let container = try await container(publish("run()", version: "1"))
        // If the table is not requested, the time limit ends the test.
        while !container.covers(script) {
            try Task.checkCancellation()
            await Task.yield()
        }
        let page = try await container.open("https://shop.example/")
        let name = "containerkit://cdn.example/app.js"
        let first = try await fixture.answer(to: name, from: page.view, of: container)
        #expect(first.sink.body == Data("run()".utf8))
        for _ in 0..<4 {
            let next = try await fixture.answer(to: name, from: page.view, of: container)
            #expect(next.sink.body == Data("run()".utf8) && next.record.provenance?.source == .package)
        }
        // Once for the page, and possibly once more: the table's own download may begin just after that of the page has
        // ended.
        #expect((1...2).contains(fixture.network.urls.count { $0 == download }))
        #expect(!fixture.network.urls.contains(script))
        await container.shutDown()
    }

    @Test("The table is available when the folder is opened again without a network")
    func reopening() async throws {
        let endpoints = try publish("run()", version: "1")
        var container: Container<FakeEngine>? = try await container(endpoints)
        while try #require(container).covers(script) == false {
            try Task.checkCancellation()
            await Task.yield()
        }
        await container?.shutDown()
        container = nil
        let next = try await fixture.container(covering: ["shop.example"], on: FakeEngine()) {
            $0.packages.table = TableLibrary.Configuration(endpoints: endpoints)
            $0.packages.table?.scope = TableScope(pages: ["cdn.example"])
            $0.network.transport = FakeNetwork()
        }
        #expect(next.covers(script))
        await next.shutDown()
    }

    @Test("Opening and closing a page request the table, and the result is reported")
    func openingAndClosing() async throws {
        let conditions = ChangingConditions(HostConditions(network: .none))
        let endpoints = try publish("run()", version: "1")
        let container = try await fixture.container(covering: ["shop.example"]) {
            $0.packages.table = TableLibrary.Configuration(endpoints: endpoints)
            $0.packages.table?.scope = TableScope(pages: ["cdn.example"])
            $0.conditions = conditions
        }
        let events = container.events
        var page: Page<FakeView>?
        var checks = [String]()
        for await event in events {
            guard case .tableChecked(let trigger, let result) = event else { continue }
            checks.append("\(trigger) \(result)")
            // The triggers follow one another, because a trigger during a check is dropped.
            if trigger == .launch { page = try await container.open("https://shop.example/") }
            if trigger == .open, let page {
                // Without a network, earlier requests had no effect.
                #expect(!fixture.network.urls.contains("https://table.example/table"))
                conditions.set(HostConditions())
                await container.close(page)
            }
            if trigger == .close { break }
        }
        #expect(checks.dropLast() == ["launch offline", "open offline"])
        #expect(checks.last?.hasPrefix("close replaced") == true)
        #expect(container.covers(script))
        await container.shutDown()
    }

    @Test("Redirects of the table and of its files are followed, and a token is sent to its own server only")
    func redirects() async throws {
        var endpoints = try publish("run()", version: "1", at: "https://files.example/to/\(download)")
        endpoints.primary = try #require(TableURL("https://moved.example/to/https://table.example/table"))
        let container = try await fixture.container(covering: ["shop.example"]) {
            $0.packages.table = TableLibrary.Configuration(endpoints: endpoints)
            $0.packages.table?.scope = TableScope(pages: ["cdn.example"], downloads: ["files.example", "cdn.example"])
            $0.packages.table?.headerFields[.authorization] = "secret"
        }
        for await case .tableChecked(_, let result) in container.events {
            guard case .replaced = result else {
                Issue.record("\(result)")
                break
            }
            break
        }
        #expect(try await fixture.text("containerkit://cdn.example/app.js", of: container) == "run()")
        #expect(!fixture.network.urls.contains(script))
        let requests = fixture.network.requests.withLock { $0 }
        #expect(requests.first { $0.authority == "moved.example" }?.headerFields[.authorization] == "secret")
        let last = requests.first { $0.authority == "table.example" }
        #expect(last?.headerFields[.accept] == "application/json" && last?.headerFields[.authorization] == nil)
        await container.shutDown()
    }

    @Test("A table applies to its own host only, unless the app extends the scope")
    func scope() async throws {
        let cases: [(TableScope?, String)] = [
            (nil, "must not cover the host cdn.example"),
            (TableScope(pages: ["cdn.example"], downloads: ["table.example"]), "downloaded from the host cdn.example"),
            (TableScope(pages: ["example.cdn.example"], downloads: ["cdn.example"]), "must not cover the host"),
        ]
        for (scope, reason) in cases {
            let fixture = Fixture()
            let table = TableTests(fixture: fixture)
            let container = try await table.container(table.publish("run()", version: "1"), scope: scope)
            for await case .tableChecked(_, let result) in container.events {
                guard case .failed(let error) = result else {
                    Issue.record("\(result)")
                    break
                }
                #expect(error.code == .outOfScope && "\(error)".contains(reason), "\(error)")
                break
            }
            #expect(!container.covers(script))
            #expect(!fixture.network.urls.contains(download))
            await container.shutDown()
        }
    }

    @Test("A redirect of a file to a host outside the download hosts is not followed")
    func redirectOutOfScope() async throws {
        let endpoints = try publish("run()", version: "1", at: "https://cdn.example/to/https://evil.example/app.js")
        fixture.network.put(.bytes(Data("run()".utf8)), at: "https://evil.example/app.js")
        let container = try await container(endpoints)
        for await case .tableChecked(_, .replaced) in container.events { break }
        #expect(
            try await fixture.text("containerkit://cdn.example/app.js", of: container)
                == "network https://cdn.example/app.js")
        #expect(!fixture.network.urls.contains("https://evil.example/app.js"))
        await container.shutDown()
    }

    @Test("A stored table that is no longer in scope serves nothing")
    func keptOutOfScope() async throws {
        let endpoints = try publish("run()", version: "1")
        var container: Container<FakeEngine>? = try await container(endpoints)
        while try #require(container).covers(script) == false {
            try Task.checkCancellation()
            await Task.yield()
        }
        await container?.shutDown()
        container = nil
        let next = try await fixture.container(covering: ["shop.example"], on: FakeEngine()) {
            $0.packages.table = TableLibrary.Configuration(endpoints: endpoints)
            $0.conditions = ChangingConditions(HostConditions(network: .none))
        }
        #expect(!next.covers(script) && next.tableVersion == nil)
        await next.shutDown()
    }

    @Test("A table over http from another machine is not requested")
    func insecure() async throws {
        var endpoints = try publish("run()", version: "1")
        endpoints.primary = try #require(TableURL("http://table.example/table"))
        let container = try await container(endpoints)
        for await case .tableChecked(_, let result) in container.events {
            guard case .failed(let error) = result else {
                Issue.record("\(result)")
                break
            }
            #expect(error.code == .insecure)
            break
        }
        #expect(fixture.network.urls.isEmpty)
        await container.shutDown()
    }

    @Test("A server without a table is reported, and pages continue to work")
    func failing() async throws {
        let endpoints = TableEndpoints(primary: try #require(TableURL("https://table.example/table")))
        let container = try await container(endpoints)
        for await case .tableChecked(_, .failed(let error)) in container.events {
            #expect(error.code == .badJSON)
            break
        }
        #expect(!container.covers(script))
        await container.shutDown()
    }
}
