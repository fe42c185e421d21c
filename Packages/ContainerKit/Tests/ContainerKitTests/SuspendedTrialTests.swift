// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContainerTesting
import Foundation
import OfflinePackage
import Testing
import WebEngineTesting

/// Trials of packages during absences of the app, whose time does not count.
@MainActor
@Suite("Trials during absences of the app", .timeLimit(.minutes(1)))
struct SuspendedTrialTests {
    private let fixture = Fixture()
    private let clock = ManualClock()

    /// The kinds of absence of an app.
    enum Absence: CaseIterable, Sendable {
        case background, suspension, both
    }

    private func beginAbsence(_ container: Container<FakeEngine>, _ absence: Absence) async throws {
        if absence != .suspension { try await container.hostEnteredBackground() }
        if absence != .background { try await container.hostWillSuspend() }
    }

    private func endAbsence(_ container: Container<FakeEngine>, _ absence: Absence) async throws {
        if absence != .background { try await container.hostResumed() }
        if absence != .suspension { container.hostEnteredForeground() }
    }

    /// Opens a page that boots on a version on trial, and has one second left to report.
    private func bootForNineSeconds(in container: Container<FakeEngine>) async throws -> Page<FakeView> {
        try await container.update(from: fixture.publish(["index.html": "one"], version: "1"))
        let page = try await container.open("https://shop.example/")
        container.report(.began, of: page)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(9))
        return page
    }

    /// Returns the conclusion of the trial.
    private func verdict(_ events: AsyncStream<ContainerEvent>) async throws -> String {
        for await case .package(let event) in events {
            switch event {
            case .confirmed: return "proven"
            case .quarantined(_, _, let reason): return reason
            default: break
            }
        }
        throw CancellationError()
    }

    @Test("A page that is healthy after an absence of an hour confirms its version", arguments: Absence.allCases)
    func healthyAfterwards(_ absence: Absence) async throws {
        let container = try await fixture.container { $0.packages.updates.clock = clock }
        let events = container.events
        let page = try await bootForNineSeconds(in: container)
        try await beginAbsence(container, absence)
        clock.advance(by: .seconds(3_600))
        try await endAbsence(container, absence)
        container.report(.healthy, of: page)
        #expect(try await verdict(events) == "proven")
    }

    @Test("A page without a report after an absence gets the full time limit once", arguments: Absence.allCases)
    func silentAfterwards(_ absence: Absence) async throws {
        let container = try await fixture.container { $0.packages.updates.clock = clock }
        let events = container.events
        let page = try await bootForNineSeconds(in: container)
        try await beginAbsence(container, absence)
        // No timer is left.
        while clock.sleeperCount != 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        clock.advance(by: .seconds(3_600))
        try await endAbsence(container, absence)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(9_999))
        #expect(container.installedPackages.count == 1 && clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        #expect(try await verdict(events) == "the page did not report within 10.0 seconds")
        // The page is open until here, because a closed page does not report.
        #expect(container.openPages.map(\.id) == [page.session.id])
    }
}
