// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import HTTPTypes
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct DocumentTests {
    private let a = "https://a.example/"
    private let origin = "https://a.example"

    /// Records each navigation of the app in WebKit.
    private func record(_ fixture: Fixture) -> Recorder {
        let recorder = Recorder()
        fixture.page.onNavigation = { navigation in
            recorder.navigations.append(navigation)
            await navigation.run()
        }
        return recorder
    }

    @MainActor
    private final class Recorder {
        var navigations: [PageNavigation] = []
        var simulated: [String] {
            navigations.filter { $0.simulated != nil }.compactMap(\.request.url?.absoluteString)
        }
        var native: [String] {
            navigations.filter { $0.simulated == nil }.compactMap(\.request.url?.absoluteString)
        }
    }

    @Test func givesTheDocumentOfALoad() async throws {
        let fixture = try Fixture()
        let recorder = record(fixture)
        let given = fixture.give(origin)
        fixture.view.load(a + "x#part")
        #expect(try await fixture.signals(until: "finished \(a)x#part") == Fixture.load(a + "x#part"))
        #expect(recorder.native.isEmpty && recorder.simulated == [a + "x#part"] && given.shown == [a + "x#part"])
        let navigation = try #require(given.navigations.first)
        #expect(navigation.isOfApp && !navigation.isReload && !navigation.mayBeOfFrame && given.navigations.count == 1)
        #expect(navigation.fields[.accept] == GivenDocuments.accept)
        let simulated = try #require(recorder.navigations.first?.simulated)
        let response = try #require(simulated.response as? HTTPURLResponse)
        #expect(response.statusCode == 200 && response.mimeType == "text/html" && response.textEncodingName == "utf-8")
        #expect(String(decoding: simulated.data, as: UTF8.self) == "<p>given" && fixture.list == [a + "x#part"])
    }

    @Test func letsTheEngineLoadOtherDocuments() async throws {
        let fixture = try Fixture()
        let recorder = record(fixture)
        let given = fixture.give(origin)
        let b = "https://b.example/"
        fixture.view.load(b)
        #expect(try await fixture.signals(until: "finished \(b)") == Fixture.load(b))
        #expect(recorder.native == [b] && recorder.simulated.isEmpty && given.urls == [b])
        await fixture.navigate(b + "2")
        #expect(given.urls == [b, b + "2"] && fixture.list == [b, b + "2"])
        // The URL of the refused load is asked again for a link.
        await fixture.navigate(b)
        #expect(given.urls == [b, b + "2", b])
        try await fixture.open("about:blank")
        #expect(given.urls.count == 3)
    }

    @Test func replacesALink() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        try await fixture.open(a)
        let recorder = record(fixture)
        var link = request(a + "2")
        link.setValue(a, forHTTPHeaderField: "Referer")
        link.setValue("secret", forHTTPHeaderField: "Cookie")
        let navigation = fixture.page.navigate(link)
        #expect(await navigation.decide() == .cancel)
        #expect(try await fixture.signals(until: "finished \(a)2") == Fixture.load(a + "2"))
        #expect(recorder.simulated == [a + "2"] && fixture.list == [a, a + "2"])
        let asked = try #require(given.navigations.last)
        #expect(!asked.isOfApp && asked.fields[.referer] == a && asked.fields[.cookie] == nil)
        #expect(fixture.view.location.documentURL == a + "2")
    }

    @Test func doesNotAskForFramesAndForms() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        try await fixture.open(a)
        #expect(await fixture.page.navigate(request(a + "f"), inFrame: true).decide() == .allow)
        await fixture.page.navigate(request(a + "p", method: "POST"), type: .formSubmitted).run()
        #expect(given.urls == [a] && fixture.view.isPosted)
        await fixture.page.navigate(request(a + "g"), type: .formSubmitted).decide()
        #expect(given.urls == [a, a + "g"])
    }

    /// WebKit asks for a policy, and keeps the document.
    @Test func doesNotAskForFragments() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin, script: "one")
        try await fixture.open(a + "#1")
        #expect(await fixture.page.navigate(request(a + "#2")).decide() == .allow)
        #expect(given.urls == [a + "#1"] && fixture.web.configuration.userContentController.userScripts.count == 1)
        #expect(await fixture.page.navigate(request(a)).decide() == .cancel)
        #expect(given.urls == [a + "#1", a])
        try await fixture.signals(until: "finished \(a)")
        // WebKit would show no other document.
        fixture.view.load(a + "#3")
        #expect(try await fixture.signals(until: "finished \(a)#3") == ["finished \(a)#3"])
        #expect(given.urls == [a + "#1", a] && fixture.list.last == a + "#3")
        // The URL of the document itself is loaded again.
        fixture.view.load(a + "#3")
        #expect(try await fixture.signals(until: "finished \(a)#3") == Fixture.load(a + "#3"))
        #expect(given.urls == [a + "#1", a, a + "#3"])
    }

    /// The app follows redirects, and the target may be a fragment of the document.
    @Test func scrollsToAGivenFragment() async throws {
        let fixture = try Fixture()
        let controller = fixture.web.configuration.userContentController
        _ = fixture.give(origin, script: "one")
        try await fixture.open(a)
        let old = "https://old.example/"
        var fragments = ["#2", "#1"]
        fixture.view.answerNavigations { [a] _ in
            EngineDocument(url: a + (fragments.popLast() ?? ""), html: "", script: "two")
        }
        fixture.view.load(old)
        #expect(try await fixture.signals(until: "finished \(old)") == ["finished \(old)"])
        #expect(controller.userScripts.map(\.source) == ["one"])
        #expect(await fixture.page.navigate(request(old)).decide() == .cancel)
        try await until { fixture.list.count == 3 }
        #expect(fixture.signals.isEmpty && controller.userScripts.map(\.source) == ["one"])
        #expect(fixture.list == [a, a + "#1", a + "#2"] && fixture.view.given.arrival == nil)
    }

    /// The URL of a navigation in progress is not that of the document.
    @Test func comparesFragmentsWithTheDocument() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        try await fixture.open(a)
        let b = "https://b.example/"
        let other = fixture.page.navigate(request(b))
        await other.decide()
        other.start()
        #expect(fixture.web.url == url(b))
        #expect(await fixture.page.navigate(request(a + "#1")).decide() == .allow)
        #expect(given.urls == [a, b])
        #expect(await fixture.page.navigate(request(b + "#1")).decide() == .allow)
        #expect(given.urls == [a, b, b + "#1"])
    }

    @Test func reloadsInPlace() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        try await fixture.open(a)
        let recorder = record(fixture)
        await fixture.page.navigate(request(a), type: .reload).decide()
        #expect(try await fixture.signals(until: "finished \(a)") == Fixture.load(a))
        fixture.view.reload(a)
        #expect(try await fixture.signals(until: "finished \(a)") == Fixture.load(a))
        #expect(recorder.simulated == [a, a] && recorder.native.isEmpty && fixture.list == [a])
        #expect(given.navigations.map(\.isReload) == [false, true, true])
        #expect(given.navigations.map(\.isOfApp) == [true, false, true])
        given.isGiving = false
        fixture.view.reload(a)
        try await fixture.signals(until: "finished \(a)")
        #expect(recorder.native == [a] && fixture.list == [a] && given.navigations.count == 4)
    }

    /// A given document would remove the entries that follow.
    @Test func goesBackAndForwardInTheEngine() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        for path in ["1", "2", "3"] { try await fixture.open(a + path) }
        let recorder = record(fixture)
        fixture.web.goBack()
        try await fixture.signals(until: "finished \(a)2")
        fixture.web.goForward()
        try await fixture.signals(until: "finished \(a)3")
        #expect(recorder.simulated.isEmpty && given.urls == [a + "1", a + "2", a + "3"])
        #expect(fixture.list == [a + "1", a + "2", a + "3"])
    }

    @Test func givesTheDocumentOfAReturnThatFails() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        for path in ["1", "2"] { try await fixture.open(a + path) }
        let recorder = record(fixture)
        fixture.page.onNavigation = { navigation in
            recorder.navigations.append(navigation)
            guard navigation.simulated == nil else { return await navigation.run() }
            await navigation.decide()
            navigation.start()
            navigation.fail(URLError(.notConnectedToInternet))
        }
        fixture.web.goBack()
        #expect(try await fixture.signals(until: "finished \(a)1") == Fixture.load(a + "1"))
        #expect(fixture.list == [a + "1", a + "2", a + "1"] && given.urls.last == a + "1")
        given.isGiving = false
        fixture.web.goBack()
        #expect(try await fixture.signals(until: "failed \(a)2") == ["started \(a)2", "failed \(a)2"])
        #expect(fixture.errors.map(\.code) == [.cannotConnect])
    }

    /// Fails a navigation back in WebKit, and waits until the app is asked for its document.
    private func failReturn(_ fixture: Fixture, _ given: NavigationRecord, _ gate: CallGate) async throws {
        for path in ["1", "2"] { try await fixture.open(a + path) }
        fixture.page.onNavigation = { navigation in
            guard navigation.simulated == nil else { return }
            await navigation.decide()
            navigation.start()
            navigation.fail(URLError(.notConnectedToInternet))
        }
        gate.close()
        given.gate = { await gate.pass() }
        fixture.web.goBack()
        for await _ in gate.arrivals { break }
        #expect(fixture.signals == ["started \(a)1"])
    }

    @Test func stopsAReturnThatFails() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        let gate = CallGate()
        try await failReturn(fixture, given, gate)
        fixture.view.stopLoading()
        #expect(fixture.signals == ["started \(a)1", "stopped \(a)1"])
        gate.open()
        for _ in 0..<50 { await Task.yield() }
        #expect(fixture.signals.count == 2 && fixture.errors.isEmpty && fixture.page.navigation == nil)
    }

    @Test func stopsTheDocumentOfAReturn() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        let gate = CallGate()
        try await failReturn(fixture, given, gate)
        gate.open()
        try await until { fixture.page.navigation?.simulated != nil }
        fixture.view.stopLoading()
        #expect(fixture.signals == ["started \(a)1", "stopped \(a)1"])
        try await until { !fixture.web.isLoading }
        #expect(fixture.signals.count == 2)
    }

    @Test("Another navigation replaces a return that fails", arguments: [true, false])
    func replacesAReturnThatFails(isOfApp: Bool) async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        let gate = CallGate()
        try await failReturn(fixture, given, gate)
        fixture.page.onNavigation = { await $0.run() }
        let b = "https://b.example/"
        if isOfApp {
            fixture.view.showErrorPage("<p>", for: b)
        } else {
            // The app is not asked for a posted document.
            await fixture.page.navigate(request(b, method: "POST"), type: .formSubmitted).run()
        }
        let signals = try await fixture.signals(until: isOfApp ? "finished about:blank" : "finished \(b)")
        // A load of the app sends no more signals of earlier navigations.
        let expected = isOfApp ? Fixture.load("about:blank") : ["stopped \(a)1"] + Fixture.load(b)
        #expect(signals == ["started \(a)1"] + expected)
        gate.open()
        for _ in 0..<50 { await Task.yield() }
        #expect(fixture.signals.isEmpty && given.shown == [a + "1", a + "2"])
    }

    @Test("A document that fails before its commit leaves the script of the shown one", arguments: ["one", ""])
    func keepsTheScriptOfTheShownDocument(script: String) async throws {
        let fixture = try Fixture()
        let controller = fixture.web.configuration.userContentController
        _ = fixture.give(origin, script: script)
        try await fixture.open(a)
        let shown = controller.userScripts.map(\.source)
        _ = fixture.give(origin, script: "two")
        var isFailed = false
        fixture.web.page.onNavigation = { navigation in
            _ = await navigation.decide()
            navigation.start()
            navigation.fail(URLError(.timedOut))
            isFailed = true
        }
        await fixture.navigate(a + "2")
        try await until { isFailed }
        #expect(controller.userScripts.map(\.source) == shown)
    }

    @Test("A document is shown if the app allows it, and only then", arguments: [EnginePrompt.Answer.yes, .no])
    func showsAllowedDocuments(answer: EnginePrompt.Answer) async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        var asked: [EnginePrompt] = []
        fixture.view.prompts?.onPrompt = { asked.append($0) }
        fixture.view.load(a)
        try await until { !asked.isEmpty }
        #expect(asked.map(\.subject) == [.document(url: a)] && given.shown.isEmpty)
        var shownBeforeCommit: [String]?
        let record = fixture.view.onSignal
        fixture.view.onSignal = { signal in
            if case .committed = signal { shownBeforeCommit = given.shown }
            record?(signal)
        }
        asked[0].answer(answer)
        try await fixture.signals(until: answer == .yes ? "finished \(a)" : "failed \(a)")
        #expect(given.shown == (answer == .yes ? [a] : []) && shownBeforeCommit == (answer == .yes ? [a] : nil))
    }

    /// Lets WebKit ask for the policy of each given document in another way than believed.
    /// - Parameter hasStarted: a Boolean value that indicates whether it asks after the start.
    private func askOtherwise(_ fixture: Fixture, hasStarted: Bool) {
        var count = 0
        fixture.page.onNavigation = { navigation in
            count += 1
            // Ends the test if the adapter does not.
            guard count < 200 else { return }
            if hasStarted {
                await navigation.decide()
                navigation.start()
            }
            await fixture.page.navigate(navigation.request, type: hasStarted ? .other : .linkActivated).decide()
        }
    }

    @Test("A given document for which WebKit asks again and again fails", arguments: [true, false])
    func boundsRepeatedQuestions(hasStarted: Bool) async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin, script: "given")
        let controller = fixture.web.configuration.userContentController
        askOtherwise(fixture, hasStarted: hasStarted)
        if hasStarted { fixture.view.load(a) } else { await fixture.page.navigate(request(a)).decide() }
        let signals = try await fixture.signals(until: "failed \(a)")
        #expect(signals.count { $0 == "failed \(a)" } == 1 && fixture.errors.map(\.code) == [.loadFailed])
        #expect(given.navigations.count == GivenDocuments.limit && given.shown.isEmpty)
        #expect(controller.userScripts.isEmpty)
        for _ in 0..<50 { await Task.yield() }
        #expect(fixture.signals.isEmpty && given.navigations.count == GivenDocuments.limit)
        // The next navigation has as many attempts.
        fixture.page.onNavigation = { await $0.run() }
        await fixture.navigate(a + "2")
        #expect(try await fixture.signals(until: "finished \(a)2").suffix(3) == Fixture.load(a + "2"))
    }

    @Test func countsDocumentsFromEachLoad() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        var arrivals = 0
        fixture.page.onNavigation = { _ in arrivals += 1 }
        for number in 0...GivenDocuments.limit {
            fixture.view.load(a + "\(number)")
            try await until { arrivals == number + 1 }
        }
        let last = try #require(fixture.page.navigation)
        await last.decide()
        last.start()
        fixture.page.onNavigation = { await $0.run() }
        await fixture.page.navigate(request(a + "x")).decide()
        #expect(fixture.errors.isEmpty && given.urls.last == a + "x")
    }

    @Test func asksAfterAStoppedDocument() async throws {
        let fixture = try Fixture()
        let record = fixture.give(origin)
        var arrivals = 0
        fixture.web.page.onNavigation = { _ in arrivals += 1 }
        fixture.view.load(a)
        try await until { arrivals == 1 }
        fixture.view.stopLoading()
        await fixture.page.navigate(request(a + "2"), type: .other).decide()
        #expect(record.urls == [a, a + "2"])
    }

    @Test func replacesTheScriptOfADocument() async throws {
        let fixture = try Fixture()
        let controller = fixture.web.configuration.userContentController
        fixture.view.add(UserScript("app", at: .documentEnd, in: .isolated(name: "w"), inAllFrames: false))
        var scripts: [String] { controller.userScripts.map(\.source) }
        _ = fixture.give(origin, script: "one")
        try await fixture.open(a)
        #expect(scripts == ["app", "one"])
        let script = try #require(controller.userScripts.last)
        #expect(
            script.injectionTime == .atDocumentStart && !script.isForMainFrameOnly
                && script.world === WKContentWorld.page)
        #expect(
            controller.userScripts[0].world === WKContentWorld.world(name: "w")
                && controller.userScripts[0].isForMainFrameOnly)
        _ = fixture.give(origin, script: "two")
        await fixture.navigate(a + "2")
        try await fixture.signals(until: "finished \(a)2")
        #expect(scripts == ["app", "two"])
        fixture.view.add(UserScript("late", at: .documentStart))
        #expect(scripts == ["app", "late", "two"])
        let other = fixture.page.navigate(request("https://b.example/"))
        await other.decide()
        #expect(scripts == ["app", "late"])
        other.start()
        other.fail(URLError(.timedOut))
        #expect(scripts == ["app", "late", "two"])
        await fixture.navigate("https://b.example/")
        #expect(scripts == ["app", "late"])
    }

    @Test func cancelsTheQuestionOfAReplacedLoad() async throws {
        let fixture = try Fixture()
        let recorder = record(fixture)
        let given = fixture.give(origin)
        let gate = CallGate()
        gate.close()
        given.gate = { await gate.pass() }
        var arrivals = gate.arrivals.makeAsyncIterator()
        fixture.view.load(a + "1")
        _ = await arrivals.next()
        fixture.view.load(a + "2")
        _ = await arrivals.next()
        #expect(fixture.signals.isEmpty)
        gate.open()
        #expect(try await fixture.signals(until: "finished \(a)2") == Fixture.load(a + "2"))
        #expect(recorder.simulated == [a + "2"] && given.shown == [a + "2"])
    }

    @Test func cancelsTheQuestionOfAReplacedLink() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        try await fixture.open(a)
        let gate = CallGate()
        gate.close()
        given.gate = { await gate.pass() }
        var arrivals = gate.arrivals.makeAsyncIterator()
        let first = fixture.page.navigate(request(a + "1"))
        let policy = Task { await first.decide() }
        _ = await arrivals.next()
        let second = fixture.page.navigate(request(a + "2"))
        let running = Task { await second.decide() }
        #expect(await result(of: policy) == .cancel)
        gate.open()
        #expect(await result(of: running) == .cancel)
        try await fixture.signals(until: "finished \(a)2")
        #expect(given.shown == [a, a + "2"] && fixture.list == [a, a + "2"])
        fixture.page.drain()
    }

    @Test func keepsTheQuestionDuringNavigationsOfFrames() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        try await fixture.open(a)
        let gate = CallGate()
        gate.close()
        given.gate = { await gate.pass() }
        let link = fixture.page.navigate(request(a + "2"))
        let policy = Task { await link.decide() }
        for await _ in gate.arrivals { break }
        #expect(await fixture.page.navigate(request("https://b.example/"), inFrame: true).decide() == .allow)
        try #require(fixture.view.decisions.count == 1)
        gate.open()
        #expect(await result(of: policy) == .cancel)
        #expect(try await fixture.signals(until: "finished \(a)2") == Fixture.load(a + "2"))
        #expect(given.shown == [a, a + "2"])
    }

    @Test func keepsAReturnDuringNavigationsOfFrames() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        let gate = CallGate()
        try await failReturn(fixture, given, gate)
        #expect(await fixture.page.navigate(request("https://b.example/"), inFrame: true).decide() == .allow)
        #expect(fixture.signals == ["started \(a)1"])
        fixture.view.stopLoading()
        #expect(fixture.signals == ["started \(a)1", "stopped \(a)1"])
        gate.open()
    }

    @Test func cancelsNavigationsOfThePageDuringTheQuestion() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        try await fixture.open(a)
        let gate = CallGate()
        gate.close()
        given.gate = { await gate.pass() }
        fixture.view.load(a + "1")
        for await _ in gate.arrivals { break }
        #expect(await fixture.page.navigate(request(a + "2")).decide() == .cancel)
        gate.open()
        #expect(try await fixture.signals(until: "finished \(a)1") == Fixture.load(a + "1"))
        #expect(given.shown == [a, a + "1"] && given.urls == [a, a + "1"])
    }

    @Test func givesTheTargetOfARedirect() async throws {
        let fixture = try Fixture()
        _ = fixture.give(origin)
        let old = "https://old.example/"
        let recorder = Recorder()
        fixture.page.onNavigation = { navigation in
            recorder.navigations.append(navigation)
            guard navigation.simulated == nil else { return await navigation.run() }
            await navigation.decide()
            navigation.start()
            // WebKit asks for the target like for a navigation of the page.
            await fixture.page.navigate(request(self.a), type: .other).decide()
        }
        fixture.view.load(old)
        try await fixture.signals(until: "finished \(a)")
        #expect(recorder.native == [old] && recorder.simulated == [a] && fixture.list == [a])
        #expect(fixture.errors.isEmpty)
    }

    @Test func stopsTheQuestion() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        let gate = CallGate()
        gate.close()
        given.gate = { await gate.pass() }
        var arrivals = gate.arrivals.makeAsyncIterator()
        fixture.view.load(a)
        _ = await arrivals.next()
        fixture.view.stopLoading()
        #expect(fixture.signals == ["failed \(a)"])
        gate.open()
        for _ in 0..<50 { await Task.yield() }
        #expect(given.shown.isEmpty && fixture.page.navigation == nil)
    }

    @Test func cancelsTheQuestionWithTheView() async throws {
        let fixture = try Fixture()
        var (isAsked, isCancelled) = (false, false)
        fixture.view.answerNavigations { _ in
            isAsked = true
            for await _ in AsyncStream<Void>.makeStream().stream {}
            isCancelled = Task.isCancelled
            return nil
        }
        fixture.view.load(a)
        try await until { isAsked }
        fixture.view.discard()
        for _ in 0..<50 { await Task.yield() }
        #expect(isCancelled)
    }

    /// Lets the app refuse each navigation.
    private func refuse(_ fixture: Fixture) {
        fixture.view.answerNavigations { navigation throws(EngineError) in
            throw EngineError(.blocked, "a rule", at: navigation.url)
        }
    }

    @Test func failsARefusedLoad() async throws {
        let fixture = try Fixture()
        refuse(fixture)
        let recorder = record(fixture)
        fixture.view.load(a)
        #expect(try await fixture.signals(until: "failed \(a)") == ["failed \(a)"])
        fixture.view.reload(a)
        #expect(try await fixture.signals(until: "failed \(a)") == ["failed \(a)"])
        #expect(recorder.navigations.isEmpty && fixture.errors.map(\.code) == [.blocked, .blocked])
    }

    @Test func failsARefusedLink() async throws {
        let fixture = try Fixture()
        let given = fixture.give(origin)
        try await fixture.open(a)
        refuse(fixture)
        #expect(await fixture.page.navigate(request(a + "2")).decide() == .cancel)
        #expect(try await fixture.signals(until: "failed \(a)2") == ["failed \(a)2"])
        #expect(fixture.errors.map(\.code) == [.blocked] && fixture.view.location.documentURL == a)
        #expect(given.shown == [a] && fixture.list == [a])
    }

    @Test func failsARefusedReturn() async throws {
        let fixture = try Fixture()
        _ = fixture.give(origin)
        for path in ["1", "2"] { try await fixture.open(a + path) }
        refuse(fixture)
        fixture.page.onNavigation = { navigation in
            await navigation.decide()
            navigation.start()
            navigation.fail(URLError(.notConnectedToInternet))
        }
        fixture.web.goBack()
        #expect(try await fixture.signals(until: "failed \(a)1") == ["started \(a)1", "failed \(a)1"])
        #expect(fixture.errors.map(\.code) == [.blocked])
    }

    @Test func givesADocumentAtAnotherURL() async throws {
        let fixture = try Fixture()
        fixture.view.answerNavigations { _ in
            EngineDocument(url: "https://a.example/target", html: "", script: "")
        }
        fixture.view.load(a)
        #expect(try await fixture.signals(until: "finished \(a)target") == Fixture.load(a + "target"))
        #expect(fixture.web.configuration.userContentController.userScripts.isEmpty)
        fixture.view.answerNavigations { _ in EngineDocument(url: "http://[", html: "", script: "") }
        try await fixture.open(a)
        #expect(await fixture.page.navigate(request(a + "2")).decide() == .cancel)
        try await fixture.signals(until: "stopped \(a)2")
    }

    @Test func readsTheUserAgentForItsQuestions() async throws {
        let fixture = try Fixture()
        fixture.page.onScript = { _ in "Engine/1.0" }
        let given = fixture.give(origin)
        fixture.view.setUserAgent(try .appending("Shop/2"))
        try await fixture.open(a)
        #expect(given.navigations[0].fields[.userAgent] == "Engine/1.0 Shop/2")
    }
}
