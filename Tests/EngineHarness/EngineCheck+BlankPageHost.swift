// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import Foundation
internal import WebKitGTKAdapter

// Pages that the host recovers, and hidden pages.
extension EngineCheck {
    /// Checks that the container does not recover a page if the host loads another page after the process ended.
    @MainActor
    func checkHost(_ container: Container<WebKitGTKEngine>) async throws {
        let page = try await open(BlankPageSite.url, in: container)
        let place = try await page.view.evaluate("return location.href", in: .page).filter { $0 != "\"" }
        var steps = 0
        let observation = container.observe { [view = page.view] event in
            if case .page(_, .processEnded) = event { view.load(place + "?host") }
            if case .blankPage = event { steps += 1 }
        }
        try await waitUntilQuiet(page)
        for process in try childProcesses(named: "WebKitWebProces") { kill(process, SIGKILL) }
        try await seeInTime(page, "location.search", "\"?host\"")
        try await waitUntilQuiet(page)
        try expect(steps == 0, "\(steps) steps in addition to the host's")
        observation.end()
        await container.close(page)
    }

    /// Checks that a hidden page whose process ends is reloaded when it becomes visible.
    @MainActor
    func checkVisibility(_ container: Container<WebKitGTKEngine>) async throws {
        let page = try await open(BlankPageSite.url, in: container)
        let diary = StepDiary(container)
        try await waitUntilQuiet(page)
        try expect(page.view.isVisible == true, "a shown window is not visible")
        try Windows.show(false)
        try expect(page.view.isVisible == false, "a hidden window is visible")
        var steps = 0
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let observation = container.observe { event in
            if case .page(_, .processEnded) = event { end.yield() }
            if case .blankPage = event { steps += 1 }
        }
        for process in try childProcesses(named: "WebKitWebProces") { kill(process, SIGKILL) }
        for await _ in ends { break }
        // Recovery of a visible page would start within this turn of the main actor.
        await Task.yield()
        try expect(steps == 0, "a hidden page is reloaded")
        try Windows.show(true)
        let step = await diary.next()
        try expect(step?.kind == .reloaded, "shown again: \(String(describing: step))")
        try await waitUntilQuiet(page)
        observation.end()
        await container.close(page)
    }
}
