// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import OfflinePackage
import PackageFormat
import Testing
import WebEngineTesting

/// Packages on trial that pages of other sites use.
@MainActor
@Suite("Shared packages on trial", .timeLimit(.minutes(1)))
struct SharedPackageTests {
    private let fixture = Fixture()

    /// Creates a container with version 1, and version 2 on trial.
    private func container() async throws -> Container<FakeEngine> {
        let container = try await fixture.container(covering: ["other.example"])
        try await fixture.install(["lib.js": "one"], version: "1", into: container)
        try await container.update(from: fixture.publish(["lib.js": "two"], version: "2"))
        return container
    }

    @Test("The failure of a page on another site counts against a version that has served the page")
    func answered() async throws {
        let container = try await container()
        let events = container.events
        let page = try await container.open("https://other.example/")
        container.report(.began, of: page)
        page.view.onSignal?(.committed(url: "containerkit://other.example/"))
        let library = "containerkit://shop.example/lib.js"
        #expect(try await fixture.text(library, from: page.view, of: container) == "two")
        container.report(.failed("white"), of: page)
        for await event in events {
            guard case .package(.scopeChanged(let change)) = event, change.reason != .activated else { continue }
            #expect(change.reason == .rolledBack("white"))
            break
        }
        #expect(try await fixture.text(library, of: container) == "one")
    }

    @Test("The failure of a page on another site does not count against a version that has not served its document")
    func pinnedOnly() async throws {
        let container = try await container()
        let page = try await container.open("https://other.example/")
        #expect(page.session.generations.count == 1)
        // The former document used the package; the current one does not.
        _ = try await fixture.text("containerkit://shop.example/lib.js", from: page.view, of: container)
        page.view.onSignal?(.committed(url: "containerkit://other.example/next"))
        container.report(.failed("white"), of: page)
        await container.shutDown()
        #expect(container.installedPackages.map(\.version.description) == ["2"])
    }
}
