// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import PageRecovery

/// The messages between the script of a page and its monitor.
@MainActor
@Suite("Messages of the health script", .timeLimit(.minutes(1)))
struct ProbeChannelTests {
    private let stage = RecoveryStage()

    private static let paintedLook = """
        {"look":{"html":true,"hidden":false,"used":false,"painted":true,"empty":false,"scripts":true,
        "background":false,"errors":[],"failed":[]}}
        """

    private func message(_ json: String) -> ScriptMessage { ScriptMessage(json: json, documentURL: "") }

    @Test("An examination that begins while another waits ends the waiting examination, and gets the result")
    func twoLooks() async throws {
        let channel = ProbeChannel { _ in }
        let first = Task { await channel.examine(within: .seconds(60)) }
        await Task.yield()
        let second = Task { await channel.examine(within: .seconds(60)) }
        #expect(await first.value == nil)
        #expect(await channel.reply(to: message(#"{"from":"a"}"#)) == .examine)
        let waiting = Task { await channel.reply(to: message(Self.paintedLook)) }
        #expect(await second.value?.isPainted == true)
        channel.end()
        #expect(await waiting.value == .end)
        // The last examination ends with the channel, long before its time limit.
        let last = Task { await channel.examine(within: .seconds(60)) }
        await Task.yield()
        channel.end()
        #expect(await last.value == nil)
    }

    @Test("The wait for an unresponsive page does not retain its view")
    func view() async throws {
        weak var watched: FakeView?
        var view: FakeView? = FakeView(id: ViewID(rawValue: 1_000))
        watched = view
        let stage = RecoveryStage {
            $0.firstPaint = BlankPageOptions().firstPaint
            $0.examinationLimit = .seconds(3_600)
        }
        let session = PageSession(
            id: PageID(rawValue: 1), documentURL: "x", view: ViewID(rawValue: 1_000), mode: .loopbackProxy,
            generations: [])
        let monitor = try PageMonitor(
            session, at: "x", in: #require(view), load: ViewLoad(of: #require(view)), of: stage.monitor)
        for event in [PageHealth.Event.started(url: "x", byPerson: false), .committed(url: "x", isWatched: true)] {
            monitor.handle(event)
        }
        monitor.handle(.finished)
        await stage.clock.sleepers(atLeast: 1)
        stage.clock.advance(by: .seconds(3))
        try await stage.untilNoTaskSleeps()
        view = nil
        while watched != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        monitor.end()
    }

    @Test("Late messages of a document do not count for the next document")
    func lateWords() async throws {
        var received: [String?] = []
        let channel = ProbeChannel { received.append($0.from) }
        let words = #"{"from":"old","news":true,"painted":true}"#
        #expect(await channel.reply(to: message(words)) == .end)
        channel.documentChanged()
        #expect(await channel.reply(to: message(words)) == .end)
        #expect(await channel.reply(to: message(#"{"from":"new","news":true,"visible":true}"#)) == .end)
        #expect(received == ["old", "new"])
        #expect(await channel.reply(to: message("no message")) == .end)
    }

    @Test("Visibility and first messages of a page reach its health; notifications do not count as first messages")
    func words() async throws {
        let page = try stage.open("https://a.example/")
        stage.load("https://a.example/", in: page.view)
        await stage.clock.sleepers(atLeast: 1)
        #expect(try await stage.send(#"{"news":true,"visible":false}"#, in: page.view) == "null")
        try await stage.untilNoTaskSleeps()
        stage.clock.advance(by: .seconds(100))
        #expect(try await stage.send(#"{"news":true,"visible":true}"#, in: page.view) == "null")
        await stage.clock.sleepers(atLeast: 1)
    }
}
