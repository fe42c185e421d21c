// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import PageInterface

@MainActor
@Suite("Script of a page's interface", .timeLimit(.minutes(1)))
struct PageInterfaceScriptTests {
    @Test("The script has at most 3,072 bytes without its data, and runs in top-level documents of the page's world")
    func script() throws {
        #expect(PageInterfaceScriptText.function.utf8.count <= 3_072)
        let stage = try InterfaceStage(PageInterfaceOptions(name: "$shop_1"))
        let script = try #require(stage.view.scripts.last)
        #expect(script.time == .documentStart && script.world == .page && !script.inAllFrames)
        #expect(script.source.hasPrefix(PageInterfaceScriptText.function + "({"))
        #expect(
            script.source.hasSuffix(
                #"""
                ({"handler":"containerkit-interface","name":"$shop_1","places":["^https\\:\\/\\/shop\\.example$"],\#
                "token":"\#(try stage.token)"});
                """#))
        let first = try stage.token
        try stage.open()
        #expect(try stage.token != first, "each page has its own token")
    }

    @Test("A view that refuses the message handler gets no script")
    func refusedHandler() throws {
        let stage = try InterfaceStage()
        let view = FakeView(id: ViewID(rawValue: 2))
        view.refusedHandlers = [PageInterfaceScript.handler]
        let session = PageSession(
            id: PageID(rawValue: 2), documentURL: "", view: view.id, mode: .document, generations: [])
        #expect(throws: EngineError.self) {
            try stage.controller.begin(session, in: view, at: PageInterfacePlaces(origins: []))
        }
        #expect(view.scripts.isEmpty)
    }

    @Test(
        "The name must be an identifier",
        arguments: ["", "1a", "a-b", "a.b", "a b", "é", "a;", String(repeating: "a", count: 65)])
    func names(name: String) throws {
        let error = #expect(throws: PageInterfaceError.self) { try PageInterfaceOptions(name: name) }
        #expect(error?.code == .invalidName)
        #expect(PageInterfaceOptions().name == "containerkit")
        #expect(try PageInterfaceOptions(name: String(repeating: "a", count: 64)).name.count == 64)
    }

    @Test("Origins are compared exactly; patterns, custom schemes and the local server as the container does")
    func places() throws {
        let places = PageInterfacePlaces(
            origins: ["https://shop.example", "http://a.example:8080"],
            hosts: ["*.wild.example", "one.example:8443", "two.example:443", "[::1]"], schemes: ["containerkit"],
            server: "https://shop.localhost:7001/a")
        let matches = { (place: String) in
            try places.expressions.contains { try Regex($0).firstMatch(in: place) != nil }
        }
        for place in [
            "https://shop.example", "http://a.example:8080", "https://x.wild.example", "http://y.x.wild.example:81",
            "https://one.example:8443", "https://two.example", "https://two.example:443", "https://[::1]:81",
            "containerkit://any.example", "https://b.localhost:7001",
        ] {
            #expect(try matches(place), "\(place)")
        }
        for place in [
            "http://shop.example", "https://shop.example:444", "https://shopxexample", "https://a.shop.example",
            "https://shop.example.evil.example", "http://a.example", "https://wild.example", "https://xwild.example",
            "https://one.example", "https://two.example:444", "containerkit-http://any.example",
            "https://b.localhost:7002", "https://evil.example:7001.example", "app://x.wild.example",
        ] {
            #expect(try !matches(place), "\(place)")
        }
        #expect(PageInterfacePlaces(origins: [], server: "https://shop.localhost/").expressions.isEmpty)
    }

    @Test("The declarations for TypeScript name the members of the script, and its events")
    func declarations() throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardized
        let text = { try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8) }
        let declared = try text("docs/containerkit.d.ts")
        let script = try text("Packages/ContainerKit/Script/src/interface.js")
        // The members of an interface have two spaces before them, those of the object in the script four.
        let members = { (text: String, start: String, form: Regex<(Substring, Substring)>) throws -> [String] in
            let body = try #require(text.components(separatedBy: start).dropFirst().first)
            let lines = body.split(separator: "\n").prefix { $0 != "}" && $0 != "  };" }
            return Set(lines.compactMap { $0.prefixMatch(of: form).map { String($0.1) } }).sorted()
        }
        let names = try members(declared, "interface ContainerKitPage {\n", #/  (\w+)[(<]/#)
        #expect(names == (try members(script, "const page = {\n", #/    (\w+): (?!null)/#)))
        #expect(names.count == 7)
        let events = try members(declared, "interface ContainerKitEvents {\n", #/  (\w+):/#)
        let listed = try #require(script.firstMatch(of: /const listeners = \{ __proto__: null, (.*) \};/)?.1)
        #expect(events == listed.matches(of: /(\w+): new Set/).map { String($0.1) }.sorted())
    }
}
