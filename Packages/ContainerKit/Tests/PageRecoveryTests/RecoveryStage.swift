// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import PageRecovery

/// Page recovery with fake views, pages and packages, and a clock that the test advances.
@MainActor
struct RecoveryStage {
    /// A page that is monitored.
    struct OpenPage {
        let session: PageSession
        let view: FakeView
        let load: ViewLoad
    }

    let pages = FakePages()
    let packages = FakePackages()
    let feature = FeatureSwitch()
    let clock = ManualClock()
    let monitor: BlankPageMonitor

    /// Creates a stage whose pages are examined three seconds after they have loaded.
    init(_ change: (inout BlankPageOptions) -> Void = { _ in }) {
        var options = BlankPageOptions()
        options.clock = clock
        options.firstPaint = options.grace
        change(&options)
        monitor = BlankPageMonitor(options, feature: feature, host: pages, packages: packages)
    }

    /// Opens a page whose URL in the engine is its real URL.
    func open(_ url: String, id: UInt64 = 1, in view: FakeView? = nil) throws -> OpenPage {
        let view = view ?? FakeView(id: ViewID(rawValue: id))
        let session = PageSession(
            id: PageID(rawValue: id), documentURL: url, view: view.id, mode: .loopbackProxy, generations: [])
        let load = ViewLoad(of: view)
        load.observe { [monitor] _ in monitor.recordLoad(in: view.id) }
        packages.documents[session.id] = url
        try monitor.begin(session, at: url, in: view, load: load)
        view.load(url)
        return OpenPage(session: session, view: view, load: load)
    }

    /// Sends the signals of a document that loads.
    func load(_ url: String, in view: FakeView) {
        view.onSignal?(.started(url: url))
        view.onSignal?(.committed(url: url))
        view.onSignal?(.finished(url: url))
    }

    /// Sends a message of the script in the document of a view.
    /// - Returns: the reply.
    func send(_ json: String, in view: FakeView) async throws -> String {
        let handler = try #require(view.handlers[HealthScript.name])
        return try await handler(ScriptMessage(json: json, documentURL: ""))
    }

    /// Waits until no task sleeps on the clock.
    func untilNoTaskSleeps() async throws {
        while clock.sleeperCount != 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

/// A host that covers all pages, and records the steps.
@MainActor
final class FakePages: PageRecoveryHost {
    private(set) var steps: [BlankPageStep] = []

    func realURL(of place: String) -> String { place }
    func isWebDocument(at place: String) -> Bool { place.hasPrefix("https:") }
    func isCovered(_ place: String) -> Bool { true }
    func isBusy(_ page: PageID) -> Bool { false }
    func isAwaitingAnswer(_ page: PageID) -> Bool { false }
    func page(_ page: PageID, willTake step: BlankPageStep) { steps.append(step) }
}

/// Packages in memory that all pages share, and a record of the calls that change something.
@MainActor
final class FakePackages: PagePackages {
    /// The URLs of the documents of the open pages.
    var documents: [PageID: String] = [:]
    var generations: [GenerationReference] = []
    /// The base URL of each generation.
    var bases: [GenerationReference: String] = [:]
    /// The generations that serve the URLs of their files.
    var files: [String: GenerationReference] = [:]
    var recorded: Set<GenerationReference> = []
    /// A Boolean value that indicates whether the generations cannot be unpinned, because other pages share them.
    var areShared = false
    private(set) var calls: [String] = []
    /// A closure that is called when a version is marked as failed.
    var onFailure: () -> Void = {}

    func reference(of page: PageID) -> PageReference? {
        documents[page].map { PageReference(id: page, documentURL: $0, generations: generations) }
    }

    func generations(of page: PageID, covering url: String) -> [GenerationReference] {
        generations.filter { bases[$0].map(url.hasPrefix) ?? false }
    }

    func generation(of page: PageID, answering url: String) async -> GenerationReference? {
        files[url].flatMap { generations.contains($0) ? $0 : nil }
    }

    func hasRecorded(_ generation: GenerationReference, of page: PageID) -> Bool { recorded.contains(generation) }

    func repin(_ page: PageID, without avoided: Set<GenerationReference>) -> Bool {
        calls.append("repin")
        guard !areShared else { return false }
        generations.removeAll(where: avoided.contains)
        return true
    }

    func generationsChanged(of page: PageID) { calls.append("changed") }

    func markFailed(_ page: PageReference, because reason: String, clock: any Clock<Duration>) async {
        calls.append("failed \(page.generations.map(\.package)) \(reason)")
        onFailure()
    }

    func invalidateStaleFiles(of page: PageID) async { calls.append("invalidate") }
}
