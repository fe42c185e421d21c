// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing
import WebEngineTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
@Suite("Requests of the app use the same content sources as requests of pages", .timeLimit(.minutes(2)))
struct AppRequestTests {
    let fixture = Fixture()

    private func session(of container: Container<FakeEngine>) -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.httpCookieStorage = nil
        container.intercept(configuration)
        return URLSession(configuration: configuration)
    }

    private func text(_ url: String, from session: URLSession) async throws -> String {
        let (data, _) = try await session.data(from: #require(URL(string: url)))
        return String(decoding: data, as: UTF8.self)
    }

    @Test("Responses come from the package, the cache, and then the container's network, and each is reported")
    func sources() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        try await fixture.install(["a.json": "[1]"], version: "1", into: container)
        fixture.network.put(.bytes(Data("kept".utf8)), at: "https://shop.example/kept", [.cacheControl: "max-age=60"])
        let session = session(of: container)
        let events = container.events
        #expect(try await text("https://shop.example/a.json", from: session) == "[1]")
        #expect(try await text("https://shop.example/kept", from: session) == "kept")
        #expect(try await text("https://shop.example/kept", from: session) == "kept")
        #expect(try await text("https://shop.example/b", from: session) == "network https://shop.example/b")
        #expect(fixture.network.urls == ["https://shop.example/kept", "https://shop.example/b"])
        var records: [RequestRecord] = []
        for await case .request(let record) in events {
            records.append(record)
            if records.count == 4 { break }
        }
        #expect(records.allSatisfy { $0.initiator == .app && $0.page == nil && $0.status == .ok })
        #expect(records.map(\.provenance?.source) == [.package, .network, .memory, .network])
    }

    @Test("Redirects between packaged and other resources are followed")
    func redirects() async throws {
        let container = try await fixture.container(covering: ["shop.example", "cdn.example"])
        try await fixture.install(["a.json": "[1]"], version: "1", into: container)
        let session = session(of: container)
        #expect(try await text("https://cdn.example/to/https://shop.example/a.json", from: session) == "[1]")
    }

    @Test("Bypassed requests, and all requests while the container is disabled, are not intercepted")
    func rules() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        try await fixture.install(["a.json": "[1]"], version: "1", into: container)
        let configuration = URLSessionConfiguration.ephemeral
        container.intercept(configuration)
        let type = try #require(configuration.protocolClasses?.first as? URLProtocol.Type)
        let request = URLRequest(url: try #require(URL(string: "https://shop.example/a.json")))
        #expect(type.canInit(with: request))
        #expect(!type.canInit(with: URLRequest(url: try #require(URL(string: "https://other.example/")))))
        container.isEnabled = false
        #expect(!type.canInit(with: request))
        container.isEnabled = true
        container.setRules(try RouteRules(json: Data(#"{"format":1,"deny":[{"host":"shop.example"}]}"#.utf8)))
        #expect(!type.canInit(with: request))
    }
}
