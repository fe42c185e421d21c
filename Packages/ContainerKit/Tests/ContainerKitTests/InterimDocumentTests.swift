// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContainerTesting
import Foundation
import Testing
import WebEngine
import WebEngineTesting

/// Documents that only redirect the page to another URL.
@MainActor
@Suite("Interim documents", .timeLimit(.minutes(1)))
struct InterimDocumentTests {
    private let fixture = Fixture()

    /// Sends a document request like the engine, and signals the commit.
    private func arrive(
        _ url: String, in page: Page<FakeView>, of container: Container<FakeEngine>, isMainDocument: Bool = true
    ) async throws {
        if isMainDocument { page.view.onSignal?(.started(url: url)) }
        _ = try await fixture.answer(to: url, from: page.view, isMainDocument: isMainDocument, of: container)
        guard isMainDocument else { return }
        page.view.onSignal?(.committed(url: url))
        page.view.onSignal?(.finished(url: url))
    }

    @Test("A load is finished by its final document, after any number of redirects")
    func hops() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        let page = try await container.open("https://shop.example/to//to//new")
        var received: [String] = []
        page.load.observe { signal in
            switch signal {
            case .committed(let url): received.append("committed \(url)")
            case .finished(let url): received.append("finished \(url)")
            default: break
            }
        }
        for url in ["containerkit://shop.example/to//to//new", "containerkit://shop.example/to//new"] {
            try await arrive(url, in: page, of: container)
            #expect("\(page.load.state)" == "waiting")
        }
        #expect(received.isEmpty)
        try await arrive("containerkit://shop.example/new", in: page, of: container)
        try await page.load.finished(within: .seconds(1), clock: ManualClock())
        #expect(received == ["committed containerkit://shop.example/new", "finished containerkit://shop.example/new"])
        #expect(container.openPages.first?.documentURL == "https://shop.example/new")
    }

    @Test("A redirected frame does not affect the page's load, and a load that fails during a redirect is reported")
    func others() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        let page = try await container.open("https://shop.example/new")
        page.view.onSignal?(.started(url: "containerkit://shop.example/new"))
        try await arrive(
            "containerkit://shop.example/to/https://other.example/", in: page, of: container, isMainDocument: false)
        page.view.onSignal?(.finished(url: "containerkit://shop.example/new"))
        try await page.load.finished(within: .seconds(1), clock: ManualClock())

        try await arrive("containerkit://shop.example/to//gone", in: page, of: container)
        page.view.onSignal?(.failed(url: "x", error: EngineError(.cannotConnect, "?")))
        await #expect {
            try await page.load.finished(within: .seconds(1), clock: ManualClock())
        } throws: {
            ($0 as? EngineError)?.code == .cannotConnect
        }
    }
}
