// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting
import WebViewPool

@testable import PagePrompts

/// Prompts of pages, without a container.
@MainActor
@Suite("Page prompts", .timeLimit(.minutes(1)))
struct PagePromptTests {
    @Test("The time limit ends a prompt whose delegate never returns and ignores cancellation")
    func limit() async throws {
        let stage = PromptStage { $0.hosts = [] }
        stage.delegate.gate.close()
        stage.requestDecision(.dialog(.leave, message: ""))
        stage.requestDecision(.document(url: "https://b.example/"))
        await stage.clock.sleepers(atLeast: 2)
        stage.clock.advance(by: .seconds(10))
        #expect(try await stage.record(0).answer == .link(.cancel))
        #expect(stage.answers == [.no])
        stage.clock.advance(by: .seconds(50))
        #expect(try await stage.record(1).answer == .dialog(.accept()))
        #expect(stage.answers == [.no, .yes])
        #expect(stage.records.map(\.ending) == [.timedOut, .timedOut])
        // A late answer has no effect.
        stage.delegate.dialogAnswer = .cancel
        stage.delegate.gate.open()
        stage.requestDecision(.dialog(.confirm, message: ""))
        #expect(try await stage.record(2).ending == .answered)
        #expect(stage.answers == [.no, .yes, .no])
    }

    @Test("An error of the delegate is reported, and the page gets the safe answer")
    func failure() async throws {
        let stage = PromptStage()
        stage.delegate.linkAnswer = { throw PromptDelegate.Refusal() }
        stage.requestDecision(.newWindow(url: "https://b.example/", isUserGesture: true))
        let record = try await stage.record(0)
        #expect(record.ending == .failed("Refusal()") && record.answer == .link(.cancel))
        #expect(stage.answers == [.no])
    }

    @Test("The limit of waiting requests applies to each page")
    func tooMany() async throws {
        let stage = PromptStage { $0.waitingLimit = 2 }
        stage.delegate.gate.close()
        for _ in 0..<3 { stage.requestDecision(.permission([.clipboard], requester: nil)) }
        stage.requestDecision(.permission([.clipboard], requester: nil), in: stage.otherView)
        #expect(stage.records.map(\.ending) == [.tooMany] && stage.answers == [.no])
        await stage.clock.sleepers(atLeast: 3)
        stage.delegate.gate.open()
        #expect(try await stage.record(3).ending == .answered)
        #expect(stage.answers.count == 4)
    }

    @Test("Links to other schemes are never loaded, and reach the app only with a user gesture")
    func otherSchemes() async throws {
        let stage = PromptStage()
        stage.delegate.linkAnswer = { .openHere }
        stage.requestDecision(.otherScheme(url: "tel:+1", isUserGesture: false))
        for url in [
            "file:///etc/passwd", "FILE:///x", "view-source:https://a.example/", "a b:c",
            "x" + String(repeating: "y", count: 20_000) + ":z",
        ] {
            stage.requestDecision(.otherScheme(url: url, isUserGesture: true))
        }
        for url in ["about:blank", "data:text/html,x", "blob:null/1", "", "javascript:1", "containerkit:x"] {
            stage.requestDecision(.newWindow(url: url, isUserGesture: true))
        }
        #expect(stage.records.map(\.ending) == Array(repeating: .ruledOut, count: 12))
        #expect(stage.answers == Array(repeating: .no, count: 12) && stage.delegate.links.isEmpty)
        stage.requestDecision(.otherScheme(url: "mailto:a@b.example", isUserGesture: true))
        _ = try await stage.record(12)
        stage.requestDecision(.newWindow(url: "tel:+1", isUserGesture: true))
        _ = try await stage.record(13)
        #expect(stage.delegate.links.map(\.reason) == [.otherScheme, .otherScheme])
        #expect(stage.delegate.links.map(\.url) == ["mailto:a@b.example", "tel:+1"])
        // The container's own schemes do not count as other schemes.
        stage.requestDecision(.otherScheme(url: "ContainerKit://a.example/", isUserGesture: false))
        #expect(stage.answers == Array(repeating: .no, count: 14) + [.yes])
        #expect(stage.view.loads.isEmpty)
    }

    @Test("Links without a user gesture reach the app if the option is set")
    func withoutGesture() async throws {
        let stage = PromptStage { $0.reportsLinksWithoutGesture = true }
        stage.requestDecision(.otherScheme(url: "tel:+1", isUserGesture: false))
        #expect(try await stage.record(0).ending == .answered)
        #expect(stage.delegate.links.map(\.isUserGesture) == [false])
    }

    @Test("Documents of hosts outside the list require a decision; without a list no document does")
    func hosts() async throws {
        let open = PromptStage()
        open.requestDecision(.document(url: "https://z.example/"))
        #expect(open.answers == [.yes] && open.records.isEmpty)
        let stage = PromptStage {
            $0.hosts = ["*.b.example", "c.example:8443"].compactMap { HostPattern($0) }
        }
        for url in [
            "containerkit://a.example/2", "https://www.b.example/", "https://c.example:8443/", "about:blank",
            "data:text/html,x", "https://u:p@www.b.example:444/",
        ] {
            stage.requestDecision(.document(url: url))
        }
        #expect(stage.answers == Array(repeating: .yes, count: 6) && stage.records.isEmpty)
        for (index, url) in [
            "https://b.example/", "https://c.example/", "containerkit://z.example/", "http://www.b.example@z.example/",
        ].enumerated() {
            stage.requestDecision(.document(url: url))
            let record = try await stage.record(index)
            #expect(record.ending == .answered && record.answer == .link(.cancel))
        }
        #expect(stage.answers.suffix(4) == [.no, .no, .no, .no])
        #expect(stage.delegate.links.map(\.reason) == Array(repeating: .otherHost, count: 4))
        #expect(stage.delegate.links[2].url == "https://z.example/")
        stage.delegate.linkAnswer = { .openHere }
        stage.requestDecision(.document(url: "https://z.example/"))
        _ = try await stage.record(4)
        stage.requestDecision(.document(url: "https://z.example/again"))
        #expect(stage.answers.suffix(2) == [.yes, .yes] && stage.records.count == 5)
    }

    @Test("A new window is loaded in the view of its page if the app decides so, and the view is discarded afterwards")
    func windows() async throws {
        let stage = PromptStage { $0.hosts = [] }
        stage.delegate.linkAnswer = { .openHere }
        let (loads, load) = AsyncStream<Void>.makeStream()
        stage.view.onLoad = { load.yield() }
        stage.requestDecision(.newWindow(url: "containerkit://b.example/new", isUserGesture: true))
        for await _ in loads { break }
        #expect(stage.view.loads == ["place of https://b.example/new"] && stage.answers == [.no])
        #expect(stage.retirements == [.openedWindow])
        // The host of the new window is allowed for this page only.
        stage.requestDecision(.document(url: "https://b.example/next"))
        #expect(stage.answers == [.no, .yes])
        stage.delegate.linkAnswer = { .cancel }
        stage.requestDecision(.document(url: "https://b.example/next"), in: stage.otherView)
        #expect(try await stage.record(1).answer == .link(.cancel))
        #expect(stage.answers == [.no, .yes, .no] && stage.retirements.count == 1)
    }

    @Test("The view of a page that closes with an open dialog is discarded")
    func openDialog() async throws {
        let stage = PromptStage()
        stage.delegate.gate.close()
        stage.requestDecision(.permission([.camera], requester: nil))
        stage.requestDecision(.dialog(.confirm, message: ""), in: stage.otherView)
        stage.controller.end(stage.page)
        #expect(stage.retirements.isEmpty && stage.records.map(\.ending) == [.pageGone])
        let other = try #require(stage.session(of: stage.otherView.id))
        #expect(stage.controller.isWaiting(other.id))
        stage.controller.end(other)
        #expect(stage.retirements == [.openDialog] && stage.records.map(\.ending) == [.pageGone, .pageGone])
        #expect(!stage.controller.isWaiting(other.id))
        stage.delegate.gate.open()
    }
}
