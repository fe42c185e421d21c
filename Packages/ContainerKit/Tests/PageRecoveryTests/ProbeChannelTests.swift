// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// What a page's script and its watch say to each other, and what the watch hears beside that.
@MainActor
@Suite("What is heard of a page's health", .timeLimit(.minutes(1)))
struct ProbeChannelTests {
    private let stage = BlankPageStage()

    private func message(_ json: String) -> ScriptMessage { ScriptMessage(json: json, documentURL: "") }

    @Test("A look that begins while another waits ends that one, and gets the answer")
    func twoLooks() async throws {
        let conversation = ProbeChannel { _ in }
        let first = Task { await conversation.look(within: .seconds(60)) }
        await Task.yield()
        let second = Task { await conversation.look(within: .seconds(60)) }
        #expect(await first.value == nil)
        #expect(await conversation.answer(message(#"{"from":"a"}"#)) == .look)
        let waiting = Task { await conversation.answer(message(BlankPageStage.look(#""painted":true"#))) }
        #expect(await second.value?.isPainted == true)
        conversation.end()
        #expect(await waiting.value == .end)
        // The last one ends with the conversation, long before its time.
        let last = Task { await conversation.look(within: .seconds(60)) }
        await Task.yield()
        conversation.end()
        #expect(await last.value == nil)
    }

    @Test("A page that does not answer is waited for, and its view is not kept by that")
    func view() async throws {
        let container = try await stage.container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        weak var watched: FakeView?
        var view: FakeView? = FakeView(id: ViewID(rawValue: 1_000))
        watched = view
        var options = BlankPageOptions()
        (options.clock, options.lookLimit) = (stage.clock, .seconds(3_600))
        let host = PageMonitor.Host(
            isOn: { true }, isWatched: { _ in true }, isBusy: { false }, isAsking: { false }, attribute: { $0 },
            dropPackage: { _, _ in false }, send: { _ in })
        let monitor = try PageMonitor(
            page.session.id, at: "x", in: #require(view), load: ViewLoad(of: #require(view)), options: options,
            hasScript: true, loadsAfterEnd: false, host: host)
        for event in [PageHealth.Event.started(url: "x", byPerson: false), .committed(url: "x", isWatched: true)] {
            monitor.handle(event)
        }
        monitor.handle(.finished)
        await stage.clock.sleepers(atLeast: 1)
        stage.clock.advance(by: .seconds(3))
        try await stage.untilNobodySleeps()
        view = nil
        while watched != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        monitor.end()
    }

    @Test("The last words of a document are not those of the next one")
    func lateWords() async throws {
        var received: [String?] = []
        let conversation = ProbeChannel { received.append($0.from) }
        let words = #"{"from":"old","news":true,"painted":true}"#
        #expect(await conversation.answer(message(words)) == .end)
        conversation.documentChanged()
        #expect(await conversation.answer(message(words)) == .end)
        #expect(await conversation.answer(message(#"{"from":"new","news":true,"visible":true}"#)) == .end)
        #expect(received == ["old", "new"])
        #expect(await conversation.answer(message("no message")) == .end)
    }

    @Test("What a page tells of its sight, and of its first words, reaches its health; news are no first words")
    func words() async throws {
        let container = try await stage.container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        stage.load("containerkit://a.example/", in: page.view)
        await stage.clock.sleepers(atLeast: 1)
        #expect(try await stage.say(#"{"news":true,"visible":false}"#, in: page.view) == "null")
        try await stage.untilNobodySleeps()
        stage.clock.advance(by: .seconds(100))
        #expect(try await stage.say(#"{"news":true,"visible":true}"#, in: page.view) == "null")
        await stage.clock.sleepers(atLeast: 1)
    }

    @Test("A request is counted to the page that began it, whoever has its view when it ends")
    func pending() async throws {
        let container = try await stage.container(covering: ["a.example"])
        let monitor = try #require(container.blankPages)
        let page = try await container.open("https://a.example/")
        let first = monitor.began(of: page.view.id)
        #expect(monitor.isBusy(page.session.id))
        await container.close(page)
        let next = try await container.open("https://a.example/")
        try #require(next.view.id == page.view.id)
        let second = monitor.began(of: next.view.id)
        monitor.ended(of: first)
        #expect(monitor.isBusy(next.session.id) && !monitor.isBusy(page.session.id))
        monitor.ended(of: second)
        #expect(!monitor.isBusy(next.session.id))
        #expect(monitor.began(of: nil) == nil)
    }

    @Test("That a document was posted is known before it is answered, and kept while a navigation leads nowhere")
    func posted() async throws {
        let container = try await stage.container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        let place = "containerkit://a.example/endless"
        page.view.onSignal?(.started(url: place))
        let sink = stage.fixture.engine.send(place, .post, from: page.view, isMainDocument: true)
        page.view.onSignal?(.committed(url: place))
        page.view.onSignal?(.started(url: "containerkit://a.example/file"))
        let error = EngineError(.loadFailed, "a download")
        page.view.onSignal?(.failed(url: "containerkit://a.example/file", error: error))
        page.view.onSignal?(.processEnded(reason: "killed"))
        #expect(page.view.reloads.isEmpty && page.view.errorPages.count == 1)
        sink.drop()
    }

    @Test("A document that leads on by its head, or has no content, is empty on purpose")
    func emptyOnPurpose() {
        var head = HTTPResponse(status: .ok)
        #expect(!head.leavesDocumentEmpty && HTTPResponse(status: .noContent).leavesDocumentEmpty)
        if let name = HTTPField.Name("Refresh") { head.headerFields[name] = "5; url=/next" }
        #expect(head.leavesDocumentEmpty)
    }

    @Test("A document that its process took with it is loaded, and not the one before")
    func lost() async throws {
        let container = try await stage.container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        stage.load("containerkit://a.example/", in: page.view)
        page.view.onSignal?(.started(url: "containerkit://a.example/next"))
        page.view.onSignal?(.processEnded(reason: "killed"))
        #expect(page.view.reloads.isEmpty && page.view.loads.last == "containerkit://a.example/next")
        page.view.onSignal?(.started(url: "containerkit://a.example/next"))
        page.view.onSignal?(.processEnded(reason: "killed"))
        #expect(page.view.errorPages.last?.contains("containerkit://a.example/next") == true)
    }

    @Test("Who leaves the error page by a touch has all steps again, and a page that goes by itself has not")
    func leaving() async throws {
        let container = try await stage.container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        let place = "containerkit://a.example/"
        let fail = {
            stage.load(place, in: page.view)
            page.view.onSignal?(.processEnded(reason: "killed"))
        }
        fail()
        page.view.onSignal?(.started(url: place))
        page.view.onSignal?(.failed(url: place, error: EngineError(.cannotConnect, "no way")))
        try #require(page.view.errorPages.count == 1 && page.view.reloads.count == 1)
        stage.load("about:blank", in: page.view)
        page.view.touched = [place]
        fail()
        #expect(page.view.reloads.count == 2)
    }
}
