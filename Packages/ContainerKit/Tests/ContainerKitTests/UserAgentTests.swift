// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

@MainActor
@Suite("User agents", .timeLimit(.minutes(1)))
struct UserAgentTests {
    private let fixture = Fixture()

    @Test("A token is appended to the engine's user agent, a text replaces it")
    func texts() throws {
        #expect(UserAgent.engine.text(of: "Engine/1") == "Engine/1")
        #expect(try UserAgent.appending("Shop/2 (a; b)").text(of: "Engine/1") == "Engine/1 Shop/2 (a; b)")
        #expect(try UserAgent.text("Other/1").text(of: "Engine/1") == "Other/1")
    }

    @Test(
        "A text that is invalid in a header field is refused",
        arguments: ["", " ", "a ", " a", "a\r\nb: c", "a\u{0}", "é", "a\tb", String(repeating: "a", count: 513)])
    func refused(text: String) {
        for make in [UserAgent.appending, UserAgent.text] {
            let error = #expect(throws: EngineError.self) { try make(text) }
            #expect(error?.code == .invalidUserAgent)
        }
    }

    @Test("The user agent is set before the load; the page's own takes precedence, and does not affect the next page")
    func views() async throws {
        let all = try UserAgent.appending("Shop/2")
        let own = try UserAgent.text("Special/1")
        let container = try await fixture.container { $0.pages.userAgent = all }
        let first = try await container.open("https://shop.example/", options: PageOptions(userAgent: own))
        #expect(first.view.userAgent == own)
        await container.close(first)
        #expect(first.view.userAgent == .engine)
        let second = try await container.open("https://shop.example/")
        #expect(second.view === first.view)
        #expect(second.view.userAgent == all)
        await container.shutDown()
    }
}
