// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import HTTPTypes
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct LoadingTests {
    private let a = "https://a.example/"
    private let b = "https://b.example/"

    @Test func reportsALoad() async throws {
        let fixture = try Fixture()
        fixture.view.load(a)
        #expect(fixture.view.lastLoad == LoadToken(of: a, after: nil) && fixture.signals.isEmpty)
        #expect(try await fixture.signals(until: "finished \(a)") == Fixture.load(a))
        await fixture.navigate(b)
        #expect(try await fixture.signals(until: "finished \(b)") == Fixture.load(b))
        #expect(fixture.list == [a, b] && fixture.view.lastLoad?.number == 1)
    }

    @Test func failsForATextThatIsNoURL() async throws {
        let fixture = try Fixture()
        fixture.view.load("http://[")
        #expect(try await fixture.signals(until: "failed http://[") == ["failed http://["])
        #expect(fixture.errors.map(\.code) == [.loadFailed])
    }

    @Test func sendsNoSignalsOfAnEarlierLoad() async throws {
        let fixture = try Fixture()
        fixture.page.onNavigation = nil
        fixture.view.load(a)
        let first = try #require(fixture.page.navigation)
        await first.decide()
        first.start()
        fixture.view.load(b)
        // The first document still arrives.
        first.commit()
        #expect(fixture.signals == ["started \(a)"])
        let second = try #require(fixture.page.navigation)
        await second.run()
        #expect(fixture.signals == ["started \(a)"] + Fixture.load(b))
        #expect(second !== first)
    }

    @Test func endsALoadOfAFragment() async throws {
        let fixture = try Fixture()
        try await fixture.open(a)
        fixture.view.load(a + "#1")
        #expect(try await fixture.signals(until: "finished \(a)#1") == ["finished \(a)#1"])
        #expect(fixture.list == [a, a + "#1"] && !fixture.view.location.isNavigating)
        // A document that still loads reports its end itself.
        let slow = fixture.page.navigate(request(b))
        await slow.decide()
        slow.start()
        slow.commit()
        fixture.view.load(b + "#2")
        try await until { fixture.list.last == b + "#2" }
        #expect(fixture.signals == ["started \(b)", "committed \(b)"])
        slow.finish()
        #expect(fixture.signals.last == "finished \(b)")
        // A document that ends before WebKit scrolls does not report the end.
        fixture.page.onNavigation = nil
        let other = fixture.page.navigate(request(a))
        await other.decide()
        other.start()
        other.commit()
        fixture.view.load(a + "#3")
        let load = try #require(fixture.page.navigation)
        other.finish()
        #expect(fixture.signals.last == "committed \(a)")
        await load.run()
        #expect(fixture.signals.last == "finished \(a)#3")
        // A script that changes the fragment at the same time does not end the load.
        fixture.view.load(a + "#4")
        await fixture.page.navigate(request(a + "#5"), type: .other).decide()
        #expect(fixture.signals.last == "finished \(a)#3")
    }

    @Test func distinguishesFailuresOfTheAppAndOfThePage() async throws {
        let fixture = try Fixture()
        fixture.page.onNavigation = nil
        fixture.view.load(a)
        let load = try #require(fixture.page.navigation)
        await load.decide()
        load.start()
        load.fail(URLError(.cannotFindHost))
        #expect(fixture.signals == ["started \(a)", "failed \(a)"] && fixture.errors.map(\.code) == [.unknownHost])
        fixture.page.onNavigation = { await $0.run() }
        _ = try await fixture.signals(until: "failed \(a)")
        try await fixture.open(a)
        let link = fixture.page.navigate(request(b))
        await link.decide()
        link.start()
        link.fail(NSError(domain: "WebKitErrorDomain", code: 102))
        #expect(fixture.signals == ["started \(b)", "stopped \(b)"])
        let slow = fixture.page.navigate(request(b))
        await slow.decide()
        slow.start()
        slow.commit()
        slow.fail(URLError(.networkConnectionLost))
        #expect(fixture.signals.suffix(2) == ["committed \(b)", "failed \(b)"])
        #expect(fixture.errors.last?.code == .connectionLost)
    }

    @Test func namesTheTargetOfARedirectThatFails() async throws {
        let fixture = try Fixture()
        let link = fixture.page.navigate(request(a))
        await link.decide()
        link.start()
        link.redirect(to: url(b))
        link.fail(URLError(.timedOut))
        #expect(fixture.signals == ["started \(a)", "failed \(b)"] && fixture.errors.first?.location == b)
    }

    @Test func stopsLoads() async throws {
        let fixture = try Fixture()
        fixture.page.onNavigation = nil
        fixture.view.load(a)
        fixture.view.stopLoading()
        #expect(fixture.signals == ["failed \(a)"])
        try await until { !fixture.web.isLoading }
        #expect(fixture.signals == ["failed \(a)"])
        fixture.view.load(a)
        let load = try #require(fixture.page.navigation)
        await load.decide()
        load.start()
        fixture.view.stopLoading()
        try await fixture.signals(until: "failed \(a)")
        try await until { !fixture.web.isLoading }
        let link = fixture.page.navigate(request(b))
        await link.decide()
        link.start()
        link.commit()
        fixture.view.stopLoading()
        #expect(try await fixture.signals(until: "stopped \(b)").suffix(1) == ["stopped \(b)"])
    }

    @Test func reloads() async throws {
        let fixture = try Fixture()
        fixture.view.reload(a)
        #expect(try await fixture.signals(until: "finished \(a)") == Fixture.load(a))
        var types: [String] = []
        fixture.page.onNavigation = { navigation in
            types.append(navigation.request.httpMethod ?? "")
            await navigation.run()
        }
        fixture.view.reload(b)
        try await fixture.signals(until: "finished \(a)")
        await fixture.page.navigate(request(b, method: "POST"), type: .formSubmitted).run()
        #expect(fixture.view.isPosted)
        fixture.view.reload(a)
        try await fixture.signals(until: "finished \(b)")
        try await fixture.signals(until: "finished \(b)")
        #expect(types == ["GET", "GET"] && !fixture.view.isPosted && fixture.list == [a, b])
    }

    @Test func knowsTheMethodOfANavigation() async throws {
        let fixture = try Fixture()
        let form = fixture.page.navigate(request(b, method: "POST"), type: .formSubmitted)
        await form.decide()
        #expect(fixture.view.isPosting(to: b + "#x") && !fixture.view.isPosting(to: a) && !fixture.view.isPosted)
        form.start()
        form.commit()
        #expect(fixture.view.isPosted && !fixture.view.isPosting(to: b))
    }

    @Test func postsTheRequestOfTheApp() async throws {
        let fixture = try Fixture()
        var asked: [String] = []
        fixture.view.answerNavigations { navigation in
            asked.append(navigation.url)
            return nil
        }
        var sent: [URLRequest] = []
        fixture.page.onNavigation = { navigation in
            sent.append(navigation.request)
            await navigation.run()
        }
        #expect(fixture.view.posting.sendsBodies)
        fixture.view.post(Data("a=b".utf8), fields: [.contentType: "a/b", .userAgent: "x"], to: a)
        #expect(try await fixture.signals(until: "finished \(a)") == Fixture.load(a))
        #expect(sent.map(\.httpMethod) == ["POST"] && sent[0].httpBody == Data("a=b".utf8))
        #expect(sent[0].allHTTPHeaderFields?["Content-Type"] == "a/b" && sent[0].url == url(a))
        #expect(fixture.view.isPosted && fixture.view.lastLoad?.url == a && asked.isEmpty)
        // The app reloads by GET.
        fixture.view.reload(a)
        try await fixture.signals(until: "finished \(a)")
        #expect(sent.last?.httpMethod == "GET" && !fixture.view.isPosted)
        fixture.view.discard()
        fixture.view.post(Data(), fields: [:], to: b)
        #expect(sent.count == 2)
    }

    @Test func showsAnErrorPage() async throws {
        let fixture = try Fixture()
        try await fixture.open(a)
        fixture.view.showErrorPage("<p>", for: b)
        try await fixture.signals(until: "finished about:blank")
        #expect(fixture.view.lastLoad?.url == b && fixture.list == [a])
        fixture.view.reload(a)
        #expect(try await fixture.signals(until: "finished \(b)") == Fixture.load(b))
    }

    @Test func reportsTheEndOfTheProcess() async throws {
        let fixture = try Fixture()
        try await fixture.open(a)
        fixture.page.terminateProcess()
        #expect(fixture.signals == ["ended"] && !fixture.view.isAlive && !fixture.view.hasEnded)
        let error = await #expect(throws: EngineError.self) { try await fixture.view.evaluate("1", in: .page) }
        #expect(error?.code == .processEnded)
        fixture.view.reload(b)
        try await fixture.signals(until: "finished \(a)")
        #expect(try await fixture.view.evaluate("1", in: .page) == "null" && !fixture.view.isAlive)
    }

    @Test func reportsFrames() async throws {
        let fixture = try Fixture()
        for (text, canShow) in [(b, true), (a, false), ("about:blank", true)] {
            let frame = fixture.page.navigate(request(text), inFrame: true)
            await frame.decide()
            let response = URLResponse(
                url: url(text), mimeType: "text/html", expectedContentLength: 0, textEncodingName: nil)
            #expect(await frame.respond(response, canShow: canShow) == (canShow ? .allow : .cancel))
        }
        #expect(fixture.signals == ["frame \(b)"])
    }

    @Test func cancelsOtherSchemes() async throws {
        let fixture = try Fixture()
        #expect(await fixture.page.navigate(request("mailto:a@a.example")).decide() == .cancel)
        #expect(await fixture.page.navigate(request(a), isDownload: true).decide() == .cancel)
        #expect(await fixture.page.navigate(request("about:blank")).decide() == .allow)
        #expect(fixture.page.openWindow(request(a)) == nil)
    }

    @Test func endsLoadsThatTheAppDoesNotAllow() async throws {
        let fixture = try Fixture()
        fixture.view.load("mailto:a@a.example")
        try await fixture.signals(until: "failed mailto:a@a.example")
        await fixture.navigate(a)
        try await fixture.signals(until: "finished \(a)")
    }

    @Test func holdsForms() async throws {
        let fixture = try Fixture()
        let gate = CallGate()
        gate.close()
        var held: [String] = []
        fixture.view.scripting.holdForms { url in
            held.append(url)
            return { await gate.pass() }
        }
        let form = fixture.page.navigate(request(b, method: "POST"), type: .formSubmitted)
        let running = Task { await form.run() }
        for await _ in gate.arrivals { break }
        #expect(held == [b] && form.stage == .allowed && fixture.signals.isEmpty)
        gate.open()
        await result(of: running)
        #expect(fixture.signals == Fixture.load(b))
        await fixture.navigate(a)
        #expect(held == [b])
        await fixture.navigate(b, .formResubmitted)
        #expect(held == [b, b])
    }

    @Test func endsADecisionWithTheView() async throws {
        let fixture = try Fixture()
        fixture.view.scripting.holdForms { _ in { for await _ in AsyncStream<Void>.makeStream().stream {} } }
        let form = fixture.page.navigate(request(b, method: "POST"), type: .formSubmitted)
        let policy = Task { await form.decide() }
        try await until { form.stage != .requested }
        fixture.view.discard()
        #expect(await result(of: policy) == .cancel)
        fixture.page.drain()
    }

    @Test func warmsUp() async throws {
        let fixture = try Fixture()
        fixture.page.onScript = { _ in "Engine/1.0" }
        try await fixture.view.warmUp()
        #expect(fixture.list.isEmpty && fixture.signals.isEmpty && fixture.view.onSignal == nil)
        fixture.view.setUserAgent(try .appending("Shop/2"))
        #expect(fixture.web.customUserAgent == "Engine/1.0 Shop/2")
        fixture.view.setUserAgent(.engine)
        #expect(fixture.web.customUserAgent == nil)
    }

    @Test func readsTheUserAgentBeforeALoad() async throws {
        let fixture = try Fixture()
        fixture.page.onScript = { _ in "Engine/1.0" }
        fixture.view.setUserAgent(try .text("Own"))
        #expect(fixture.web.customUserAgent == "Own")
        fixture.view.setUserAgent(try .appending("Shop/2"))
        try await fixture.open(a)
        #expect(fixture.web.customUserAgent == "Engine/1.0 Shop/2")
    }
    @Test func forgetsAUserAgentThatWaits() throws {
        let fixture = try Fixture()
        fixture.view.setUserAgent(try .appending("Shop/2"))
        #expect(fixture.view.pendingUserAgent != nil)
        fixture.view.setUserAgent(.engine)
        #expect(fixture.view.pendingUserAgent == nil && fixture.web.customUserAgent == nil)
    }
}
