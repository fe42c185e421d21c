// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Testing
import WebEngine
import WebEngineTesting

/// The sample of the guide docs/page-requests.md.
@MainActor
@Suite("Calls of an app's own", .timeLimit(.minutes(1)))
struct CartCallsTests {
    private let fixture = Fixture()

    @Test("A page of the shop calls the app; other documents and invalid messages are refused")
    func calls() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        let cart = CartCalls()
        let page = try await container.open("https://shop.example/") { try cart.install(in: $0) }
        #expect(page.view.scripts.contains { $0.source.contains("shopAdd") })
        let handler = try #require(page.view.handlers["shopCart"])
        for url in ["https://shop.example/a", "containerkit://shop.example/a"] {
            _ = try await handler(ScriptMessage(json: #"{"sku":"a","count":2}"#, documentURL: url))
        }
        #expect(
            try await handler(ScriptMessage(json: #"{"sku":"b","count":1}"#, documentURL: "https://shop.example/"))
                == "5")
        for (json, url) in [
            (#"{"sku":"a","count":1}"#, "https://shop.example.evil/"), (#"{"sku":"a","count":1}"#, "null"),
            (#"{"sku":"a","count":-1}"#, "https://shop.example/"), ("[]", "https://shop.example/"),
        ] {
            await #expect(throws: (any Error).self) {
                try await handler(ScriptMessage(json: json, documentURL: url))
            }
        }
        #expect(cart.articles == ["a": 4, "b": 1])
        await container.shutDown()
    }
}
