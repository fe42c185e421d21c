// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// Prompts of pages in a container.
@MainActor
@Suite("Page requests", .timeLimit(.minutes(1)))
struct PageRequestTests {
    private let fixture = Fixture()
    private let delegate = RecordedDelegate()

    private func container(
        change: (inout PageRequestOptions) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        try await fixture.container(covering: ["a.example"]) { change(&$0.pages.requests) }
    }

    /// The answers to a page's prompts, and their records, in order.
    @MainActor
    private final class PromptSender {
        private(set) var answers: [EnginePrompt.Answer] = []
        private(set) var records: [PageRequestRecord] = []
        private let (changes, change) = AsyncStream<Void>.makeStream()

        init(_ container: Container<FakeEngine>) {
            container.hub.observe { [weak self] event in
                guard case .pageRequest(_, let record) = event else { return }
                self?.records.append(record)
                self?.change.yield()
            }
        }

        /// Sends a prompt of the page in a view.
        func requestDecision(_ subject: EnginePrompt.Subject, in view: FakeView) {
            view.onPrompt?(EnginePrompt(subject) { [weak self] in self?.answers.append($0) })
        }

        /// Waits for a record, by its index, and returns it.
        func record(_ index: Int) async throws -> PageRequestRecord {
            while records.count <= index {
                for await _ in changes { break }
                try Task.checkCancellation()
            }
            return records[index]
        }
    }

    private nonisolated static let subjects: [EnginePrompt.Subject] = [
        .newWindow(url: "https://b.example/", isUserGesture: true),
        .otherScheme(url: "tel:+123", isUserGesture: true),
        .document(url: "https://b.example/"),
        .dialog(.alert, message: "a"), .dialog(.confirm, message: "c"),
        .dialog(.prompt(defaultText: "d"), message: "p"), .dialog(.leave, message: ""),
        .permission([.geolocation], requester: nil),
    ]

    @Test(
        "Without a delegate, and with a delegate without methods, each request gets its safe answer",
        arguments: subjects)
    func defaults(subject: EnginePrompt.Subject) async throws {
        @MainActor
        final class Silent: PageDelegate {}
        let container = try await container { $0.hosts = [] }
        let page = try await container.open("https://a.example/")
        let sender = PromptSender(container)
        let safe: EnginePrompt.Answer = subject == .dialog(.leave, message: "") ? .yes : .no
        sender.requestDecision(subject, in: page.view)
        #expect(sender.answers == [safe])
        #expect(sender.records.map(\.ending) == [.noDelegate])
        let silent = Silent()
        container.pageDelegate = silent
        sender.requestDecision(subject, in: page.view)
        #expect(try await sender.record(1).ending == .answered)
        #expect(sender.answers == [safe, safe])
        #expect(page.view.loads == ["containerkit://a.example/"])
    }

    @Test("The app gets real URLs and the committed page, and its decisions reach the page")
    func answers() async throws {
        let container = try await container()
        container.pageDelegate = delegate
        let page = try await container.open("https://a.example/")
        page.view.onSignal?(.committed(url: "containerkit://a.example/two"))
        page.view.onSignal?(.started(url: "containerkit://a.example/three"))
        let sender = PromptSender(container)
        delegate.dialogAnswer = .accept(text: "text")
        sender.requestDecision(
            .dialog(.prompt(defaultText: "d"), message: String(repeating: "p", count: 20_000)), in: page.view)
        _ = try await sender.record(0)
        delegate.dialogAnswer = .accept()
        sender.requestDecision(.dialog(.confirm, message: "c"), in: page.view)
        _ = try await sender.record(1)
        delegate.permissionAnswer = .allow
        sender.requestDecision(.permission([.camera, .microphone], requester: nil), in: page.view)
        _ = try await sender.record(2)
        sender.requestDecision(.newWindow(url: "containerkit://a.example/new", isUserGesture: true), in: page.view)
        _ = try await sender.record(3)
        #expect(sender.answers == [.text("text"), .yes, .yes, .no])
        #expect(sender.records.map(\.ending) == Array(repeating: .answered, count: 4))
        #expect(delegate.dialogs.map(\.kind) == [.prompt(defaultText: "d"), .confirm])
        #expect(delegate.dialogs.map(\.message.count) == [10_000, 1])
        #expect(delegate.dialogs.first?.page.documentURL == "https://a.example/two")
        #expect(delegate.permissions.map(\.permissions) == [[.camera, .microphone]])
        #expect(delegate.links.map(\.url) == ["https://a.example/new"])
        #expect(delegate.links.map(\.reason) == [.newWindow])
    }

    @Test("Prompts end with the page, and a view with an open dialog is discarded")
    func closing() async throws {
        let container = try await container()
        container.pageDelegate = delegate
        delegate.gate.close()
        let page = try await container.open("https://a.example/")
        let sender = PromptSender(container)
        sender.requestDecision(.dialog(.confirm, message: ""), in: page.view)
        sender.requestDecision(.permission([.camera], requester: nil), in: page.view)
        await container.close(page)
        #expect(sender.records.map(\.ending) == [.pageGone, .pageGone] && sender.answers == [.no, .no])
        #expect(!page.view.isAlive)
        delegate.gate.open()
        // The view of a page without prompts is reset for reuse.
        let other = try await container.open("https://a.example/")
        await container.close(other)
        #expect(other.view.isAlive && other.view.resets == 1)
    }

    @Test("Prompts end with another document, with the process, or when the engine withdraws them")
    func gone() async throws {
        let container = try await container()
        container.pageDelegate = delegate
        delegate.gate.close()
        let page = try await container.open("https://a.example/")
        let sender = PromptSender(container)
        sender.requestDecision(.permission([.camera], requester: nil), in: page.view)
        page.view.onSignal?(.committed(url: "containerkit://a.example/two"))
        sender.requestDecision(.permission([.camera], requester: nil), in: page.view)
        page.view.onSignal?(.processEnded(reason: "crashed"))
        var prompt: EnginePrompt? = EnginePrompt(.dialog(.leave, message: "")) { #expect($0 == .yes) }
        if let prompt { page.view.onPrompt?(prompt) }
        prompt?.withdraw()
        prompt = nil
        #expect(sender.records.map(\.ending) == [.pageGone, .pageGone, .pageGone] && sender.answers == [.no, .no])
        delegate.gate.open()
        // A closed page has no receiver: a dropped prompt gets its safe answer.
        let view = page.view
        await container.close(page)
        sender.requestDecision(.dialog(.leave, message: ""), in: view)
        #expect(sender.answers == [.no, .no, .yes] && sender.records.count == 3)
    }

    @Test("A new window is shown in the page's view if the app decides so, and the view is discarded afterwards")
    func windows() async throws {
        let container = try await container { $0.hosts = [] }
        container.pageDelegate = delegate
        let page = try await container.open("https://a.example/")
        let sender = PromptSender(container)
        delegate.linkAnswer = { .openHere }
        let (loads, load) = AsyncStream<Void>.makeStream()
        page.view.onLoad = { load.yield() }
        for (url, place) in [
            ("containerkit://a.example/new", "containerkit://a.example/new"),
            ("https://a.example/2", "containerkit://a.example/2"), ("https://b.example/", "https://b.example/"),
        ] {
            sender.requestDecision(.newWindow(url: url, isUserGesture: true), in: page.view)
            for await _ in loads { break }
            #expect(page.view.loads.last == place)
        }
        // The host of the new window is allowed now, as is the host of the opened URL.
        sender.requestDecision(.document(url: "https://b.example/next"), in: page.view)
        sender.requestDecision(.document(url: "containerkit://a.example/next"), in: page.view)
        #expect(sender.answers == [.no, .no, .no, .yes, .yes] && sender.records.count == 3)
        await container.close(page)
        #expect(!page.view.isAlive)
    }
}
