// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import Testing
import WebEngineTesting

@MainActor
@Suite("Initial page data", .timeLimit(.minutes(1)))
struct InitialPageDataTests {
    private let fixture = Fixture()

    @Test(
        "An origin must have the scheme http or https",
        arguments: [
            "", "shop.example", "https://", "ftp://shop.example", "https://shop.example/a", "https://shop.example?a",
            "https://a@shop.example", "https://shop.example#a", "javascript:1", "https://shop.example ",
        ])
    func origins(origin: String) throws {
        let error = #expect(throws: PageInterfaceError.self) { try InitialPageData(origin: origin) }
        #expect(error?.code == .invalidInitialData)
        for origin in ["https://Shop.Example:8443/", "https://shop.example:443", "http://shop.example:80/"] {
            #expect(throws: Never.self) { try InitialPageData(origin: origin) }
        }
    }

    @Test(
        "The name of a global object must be an identifier",
        arguments: ["", "1a", "a-b", "a.b", "a b", "é", "a;", String(repeating: "a", count: 65)])
    func names(name: String) {
        let error = #expect(throws: PageInterfaceError.self) {
            try InitialPageData(origin: "https://shop.example", global: .init(name, [:]))
        }
        #expect(error?.code == .invalidInitialData)
    }

    @Test("Values must be JSON, with limited depth and size")
    func values() throws {
        var deep = InjectedValue.null
        for _ in 0..<64 { deep = [deep] }
        for value in [.number(.nan), .number(.infinity), ["a": [1, .number(-.infinity)]], deep] as [InjectedValue] {
            let error = #expect(throws: PageInterfaceError.self) {
                try InitialPageData(origin: "https://shop.example", global: .init("shop", ["a": value]))
            }
            #expect(error?.code == .invalidInitialData)
        }
        let large = String(repeating: "a", count: InitialPageData.limit)
        #expect(throws: PageInterfaceError.self) {
            try InitialPageData(origin: "https://shop.example", localStorage: ["a": large])
        }
    }

    @Test("For each name, the value of a page takes precedence over the value for all pages")
    func merged() async throws {
        let initialData = [
            try InitialPageData(
                origin: "https://shop.example", localStorage: ["a": "all"], global: .init("one", ["v": 1])),
            try InitialPageData(origin: "https://shop.example", global: .init("two", ["v": 2])),
        ]
        let container = try await fixture.container { $0.pages.initialData = initialData }
        let own = try InitialPageData(
            origin: "https://shop.example", localStorage: ["b": "own"], global: .init("one", ["v": 3]))
        let page = try await container.open("https://shop.example/", options: PageOptions(initialData: [own]))
        let sources = page.view.scripts.map(\.source)
        #expect(sources.count == 1)
        let source = try #require(sources.first)
        for text in [#"\"a\":\"all\""#, #"\"b\":\"own\""#, #"\"one\":{\"v\":3}"#, #"\"two\":{\"v\":2}"#] {
            #expect(source.contains(text), "\(text)")
        }
        await container.shutDown()
    }

    @Test("Each open adds the scripts for the origin in its mode, first the scripts for all pages")
    func scripts() async throws {
        let all = try InitialPageData(origin: "https://shop.example", localStorage: ["a": "\u{2028}\"</script>"])
        let own = try InitialPageData(origin: "http://other.example", global: .init("other", ["a": true]))
        let container = try await fixture.container(covering: ["shop.example"]) { $0.pages.initialData = [all] }
        let page = try await container.open("https://shop.example/", options: PageOptions(initialData: [own]))
        let sources = page.view.scripts.filter { !$0.inAllFrames && $0.world == .page }.map(\.source)
        #expect(sources.count == 2)
        #expect(sources.first?.contains(#""containerkit://shop.example""#) == true)
        #expect(sources.first?.contains("\u{2028}") == false, "a line end would end the literal in older engines")
        #expect(sources.last?.contains(#""containerkit-http://other.example""#) == true)
        await container.close(page)
        let plain = try await container.open("https://plain.example/")
        let script = try #require(plain.view.scripts.first?.source)
        #expect(script.contains(#""https://shop.example""#), "the origin in plain mode")
        await container.shutDown()
    }
}
