// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) import SchemeMode
import Testing
import WebEngine
import WebEngineTesting

@testable import RequestPipeline

@Suite("Content rules of views that navigate to other sites", .timeLimit(.minutes(1)))
@MainActor
struct SiteControllerTests {
    private let view = FakeView(id: ViewID(rawValue: 1))
    private let sites = SiteController(names: .standard)

    @Test("After concurrent navigations the rules of the last navigation apply, however long an earlier one takes")
    func overtaking() async throws {
        try await sites.begin(in: view, for: "https://bank.example/", nil)
        let (held, release) = AsyncStream<Void>.makeStream()
        let (asked, ask) = AsyncStream<Void>.makeStream()
        var isFirst = true
        view.onContentRules = { _ in
            guard isFirst else { return }
            isFirst = false
            ask.finish()
            for await _ in held {}
        }
        let earlier = Task { try await sites.prepare(for: "https://shop.example/", in: view.id, nil) }
        for await _ in asked {}
        let later = Task { try await sites.prepare(for: "https://news.example/", in: view.id, nil) }
        let again = Task { try await sites.prepare(for: "https://news.example/more", in: view.id, nil) }
        release.finish()
        for navigation in [earlier, later, again] { try await navigation.value }
        #expect(view.contentRules.count == 3)
        let last = try #require(view.contentRules.last)
        #expect(["bank", "shop", "news"].allSatisfy { last.contains($0) })
    }

    @Test("Rules that the engine refuses fail the navigation, and the next navigation to the site tries again")
    func refused() async throws {
        try await sites.begin(in: view, for: nil, nil)
        view.onContentRules = { _ in throw EngineError(.storage, "no room") }
        for _ in 1...2 {
            await #expect(throws: EngineError.self) {
                try await sites.prepare(for: "https://shop.example/", in: view.id, nil)
            }
        }
        view.onContentRules = nil
        try await sites.prepare(for: "https://shop.example/", in: view.id, nil)
        #expect(view.contentRules.count == 2)
        try await sites.prepare(for: "https://shop.example/cart", in: view.id, nil)
        #expect(view.contentRules.count == 2)
    }
}
