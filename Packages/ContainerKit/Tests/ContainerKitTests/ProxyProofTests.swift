// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) import ContainerKit
import ContainerTesting
import Testing
import WebEngine
import WebEngineTesting

@testable import LoopbackInterception
@testable import LoopbackServer

/// Pages of the mode `loopbackProxy` in an engine that may ignore its proxy. The engine sends real requests.
@MainActor
@Suite("Proof of the proxy", .timeLimit(.minutes(1)))
struct ProxyProofTests {
    /// The requests that the engine sends for the loads of a proof.
    enum Requests: CaseIterable, Sendable {
        case all, none, first, withoutCredentials, ofOtherNames
    }

    /// The loads of proofs and of pages.
    @MainActor
    private final class Loads {
        var requests = Requests.all
        var hosts: [String] = []
        /// The proxies of the engine when a proof or a page loads.
        var proofProxies: [EngineProxy?] = []
        var pageProxies: [EngineProxy?] = []
        var isSilent = false
    }

    private let fixture = Fixture()
    private let clock = ManualClock()
    private let loads = Loads()
    private let url = "https://a.example/x"
    private var engine: FakeEngine { fixture.engine }

    init() {
        engine.isProxyReliable = false
        engine.traitsByMode[.loopbackProxy] = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true, caches: true,
            identifiesPage: false, acceptLanguage: nil)
        engine.onLoad = { [weak engine, loads] view, url in
            guard url.hasSuffix(".invalid/") else { return loads.pageProxies.append(engine?.proxy) }
            loads.proofProxies.append(engine?.proxy)
            let host = String(url.dropFirst("https://".count).dropLast())
            loads.hosts.append(host)
            guard !loads.isSilent else { return }
            let (proxy, requests, count) = (engine?.proxy, loads.requests, loads.hosts.count)
            Task {
                if let proxy, requests != .none, requests != .first || count == 1 {
                    let name = requests == .ofOtherNames ? String(host.reversed().dropFirst(8)) + ".invalid" : host
                    _ = try? await TunnelRequest.send(
                        to: name, by: proxy, hasCredentials: requests != .withoutCredentials)
                }
                view.onSignal?(.failed(url: url, error: EngineError(.unknownHost, "no such host", at: url)))
            }
        }
    }

    private func container(
        change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        try await fixture.container(covering: ["a.example", "b.example"]) {
            $0.pages.mode = .loopbackProxy
            $0.clock = clock
            change(&$0)
        }
    }

    /// Records the reasons of failed proofs, and the hosts that could not be reached.
    private func record(_ container: Container<FakeEngine>) -> Record {
        let record = Record()
        record.observation = container.observe { event in
            switch event {
            case .loopback(.unproven(let reason)): record.reasons.append(reason)
            case .loopback(.unreachable(let host, _)): record.hosts.append(host.host)
            default: break
            }
        }
        return record
    }

    @MainActor
    private final class Record {
        var reasons: [String] = []
        var hosts: [String] = []
        var observation: EventObservation?
    }

    @Test(
        "Two names that arrive with the credentials prove the proxy, once for several pages that open at once",
        arguments: [EngineProxy.Kind.socks5, .http])
    func proven(_ kind: EngineProxy.Kind) async throws {
        engine.proxyKind = kind
        let container = try await container()
        let record = record(container)
        #expect(container.mode(ofPageAt: url) == .customScheme && loads.hosts.isEmpty && engine.proxy == nil)
        let opening = (0..<3).map { _ in Task { try await container.open(url) } }
        for task in opening {
            let page = try await task.value
            #expect(page.session.mode == .loopbackProxy && page.view.loads == [url])
        }
        #expect(try await container.open(url).session.mode == .loopbackProxy)
        #expect(container.mode(ofPageAt: url) == .loopbackProxy)
        #expect(Set(loads.hosts).count == 2 && loads.hosts.count == 2)
        #expect(engine.views[0].hasEnded && engine.views[0].loads.count == 2)
        #expect(engine.proxy?.kind == kind && engine.proxy?.credentials?.password.count == 64)
        await container.shutDown()
        #expect(record.reasons.isEmpty && record.hosts.isEmpty, "names of proofs are no events")
    }

    @Test(
        "Without both names and credentials, pages open in the fallback mode, with one event",
        arguments: Requests.allCases.filter { $0 != .all }, [EngineProxy.Kind.socks5, .http])
    func unproven(_ requests: Requests, _ kind: EngineProxy.Kind) async throws {
        loads.requests = requests
        engine.proxyKind = kind
        let container = try await container()
        let record = record(container)
        let page = try await container.open(url)
        let place = "containerkit://a.example/x"
        #expect(page.session.mode == .customScheme && page.view.loads == [place])
        #expect(engine.proxy == nil && engine.views[0].hasEnded)
        #expect(record.reasons.count == 1 && !record.reasons.joined().contains("\n"))
        let count = requests == .first ? 2 : 1
        #expect(loads.hosts.count == count)
        #expect(try await fixture.text(place, from: page.view, of: container) == "network \(url)")
        page.view.onSignal?(.committed(url: place))
        #expect(container.originModes == ["https://a.example": .intercepted])
        #expect(try await container.open("https://b.example/").session.mode == .customScheme)
        #expect(loads.hosts.count == count && record.reasons.count == 1 && engine.proxy == nil)
        #expect(loads.pageProxies == [nil, nil] && loads.proofProxies.allSatisfy { $0 != nil })
        await container.shutDown()
    }

    @Test("The first subscriber receives the event of a failed proof, also later")
    func early() async throws {
        loads.requests = .none
        let container = try await container()
        _ = try await container.open(url)
        for await case .loopback(.unproven(let reason)) in container.events {
            #expect(reason == "no request of the engine arrived at the proxy with its credentials")
            break
        }
        await container.shutDown()
    }

    @Test("An origin that has opened in the fallback mode keeps it after a proof in the next launch")
    func sticky() async throws {
        loads.requests = .none
        try await launch { container in
            let page = try await container.open(url)
            page.view.onSignal?(.committed(url: "containerkit://a.example/x"))
        }
        loads.requests = .all
        try await launch { container in
            let modes = [
                try await container.open("https://b.example/").session.mode, try await container.open(url).session.mode,
            ]
            #expect(modes == [.loopbackProxy, .customScheme])
        }
    }

    @Test("After a proof, a link or a redirect of a page in the fallback mode leads to the real URL of another origin")
    func leadsBack() async throws {
        loads.requests = .none
        let place = "containerkit://a.example/"
        try await launch { container in
            let page = try await container.open(url)
            page.view.onSignal?(.committed(url: place + "x"))
        }
        loads.requests = .all
        try await launch { container in
            _ = try await container.open("https://b.example/")
            let page = try await container.open(url)
            #expect(page.session.mode == .customScheme)
            page.view.onSignal?(.committed(url: place + "x"))
            for target in ["containerkit://b.example/y", place + "to/https://b.example/y"] {
                let answer = try await fixture.answer(
                    to: target, from: page.view, isMainDocument: true, of: container)
                #expect(answer.sink.text.contains(#"location.replace("https:\/\/b.example\/y"+location.hash)"#))
            }
            let own = try await fixture.answer(to: place + "z", from: page.view, isMainDocument: true, of: container)
            #expect(own.sink.text == "network https://a.example/z")
        }
    }

    /// Opens a container. Afterwards the folder is unlocked.
    private func launch(_ body: @MainActor (Container<FakeEngine>) async throws -> Void) async throws {
        let container = try await container()
        try await body(container)
        await container.shutDown()
    }

    @Test("A proof without an answer ends at its time limit")
    func late() async throws {
        loads.isSilent = true
        let container = try await container()
        let record = record(container)
        let opening = Task { try await container.open(url) }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(9_999))
        #expect(engine.views.count == 1 && record.reasons.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(try await opening.value.session.mode == .customScheme)
        #expect(record.reasons.count == 1 && engine.views[0].hasEnded && engine.proxy == nil)
        await container.shutDown()
    }

    @Test("The end of the container ends a proof")
    func shutDown() async throws {
        loads.isSilent = true
        let container = try await container()
        let record = record(container)
        let opening = Task { try await container.open(url) }
        await clock.sleepers(atLeast: 1)
        await container.shutDown()
        _ = try? await opening.value
        #expect(engine.views[0].hasEnded && engine.proxy == nil && record.reasons.isEmpty)
    }

    @Test("A page that needs no proof loads when a running proof has ended, and not through the unproven proxy")
    func meanwhile() async throws {
        loads.isSilent = true
        let container = try await container()
        let opening = Task { try await container.open(url) }
        await clock.sleepers(atLeast: 1)
        #expect(engine.proxy != nil)
        let other = Task { try await container.open("https://c.example/") }
        while engine.views.count < 2 { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(engine.views[1].loads.isEmpty)
        clock.advance(by: .seconds(10))
        #expect(try await other.value.view.loads == ["https://c.example/"])
        #expect(try await opening.value.session.mode == .customScheme)
        #expect(loads.pageProxies == [nil, nil])
        await container.shutDown()
    }

    @Test("A suspension ends a proof without a result, and the next page of the mode proves the proxy")
    func interrupted() async throws {
        loads.isSilent = true
        let container = try await container()
        let record = record(container)
        let opening = Task { try await container.open(url) }
        await clock.sleepers(atLeast: 1)
        try await container.hostWillSuspend()
        clock.advance(by: .seconds(10))
        #expect(engine.views[0].hasEnded && engine.proxy == nil)
        #expect(try await opening.value.session.mode == .customScheme)
        #expect(loads.hosts.count == 1, "no proof starts during the suspension")
        loads.isSilent = false
        try await container.hostResumed()
        #expect(try await container.open("https://b.example/").session.mode == .loopbackProxy)
        #expect(loads.hosts.count == 3 && record.reasons.isEmpty)
        await container.shutDown()
    }

    @Test("Views that are prepared in advance start no proof, and use a proxy that is proven")
    func warmUp() async throws {
        let container = try await container { $0.views.pool = 1 }
        try await container.warmUp()
        #expect(loads.hosts.isEmpty && engine.proxy == nil)
        await container.close(try await container.open(url))
        try await container.warmUp()
        #expect(loads.hosts.count == 2)
        let scripts: [String] = engine.views.flatMap(\.evaluatedScripts)
        let preconnections = scripts.filter { $0.contains("preconnect") }
        #expect(preconnections.count == 1 && preconnections[0].contains("https://a.example"))
        await container.shutDown()
    }

    @Test("If a lost listener returns at another port under open pages, the new port is proven at once")
    func lostListener() async throws {
        let container = try await container()
        _ = try await container.open(url)
        let first = try #require(engine.proxy)
        let takeover = try PortTakeover(of: first.port)
        let listener = try #require(container.loopback?.proxy?.proxy.listener)
        listener.closeListener()
        try await until { listener.port.map { $0 != first.port } == true && engine.proxy?.port == listener.port }
        try await until { container.mode(ofPageAt: url) == .loopbackProxy }
        #expect(loads.hosts.count == 4 && engine.proxy?.port == listener.port)
        await container.shutDown()
        takeover.release()
    }

    private func suspend(_ container: Container<FakeEngine>) async throws {
        try await container.hostWillSuspend()
        try await container.hostResumed()
    }

    @Test(
        "A new port under open pages is proven after a suspension; no page depends on it before",
        arguments: [true, false])
    func newPort(isProven: Bool) async throws {
        let container = try await container()
        let record = record(container)
        let page = try await container.open(url)
        #expect(page.session.mode == .loopbackProxy)
        let first = try #require(engine.proxy)
        var takeovers = [try PortTakeover(of: first.port)]
        loads.requests = isProven ? .all : .none
        try await suspend(container)
        #expect(loads.hosts.count == (isProven ? 4 : 3) && record.reasons.count == (isProven ? 0 : 1))
        let second = try #require(loads.proofProxies.last ?? nil)
        #expect(second.port != first.port && second.credentials == first.credentials)
        #expect(try await TunnelRequest.send(to: "a.example", by: second) == true)
        #expect(engine.proxy == (isProven ? second : nil))
        #expect(try await container.open("https://c.example/").session.mode == .plain)
        #expect(try await container.open(url).session.mode == (isProven ? .loopbackProxy : .customScheme))
        #expect(loads.hosts.count == (isProven ? 4 : 3) && container.openPages.first == page.session)
        // After a failed proof, only a page of the mode starts another one.
        takeovers.append(try PortTakeover(of: second.port))
        try await suspend(container)
        #expect(loads.hosts.count == (isProven ? 6 : 3))
        #expect(try await container.open("https://c.example/").session.mode == .plain)
        let third = engine.proxy
        #expect((third != nil) == isProven && third != second)
        #expect(try await container.open(url).session.mode == (isProven ? .loopbackProxy : .customScheme))
        #expect(loads.hosts.count == (isProven ? 6 : 4) && record.reasons.count == (isProven ? 0 : 2))
        let later = isProven ? [second, second, third, third] : [nil, nil, nil, nil]
        #expect(loads.pageProxies == [first] + later && engine.proxy == third)
        await container.shutDown()
        for takeover in takeovers { takeover.release() }
    }

    @Test("A proxy that is used again needs a new proof, also after a failed one")
    func again() async throws {
        loads.requests = .none
        let container = try await container()
        #expect(try await container.open(url).session.mode == .customScheme)
        loads.requests = .all
        for wasProven in [false, true] {
            container.isEnabled = false
            container.isEnabled = true
            #expect(engine.proxy == nil && container.mode(ofPageAt: url) == .customScheme)
            #expect(try await container.open("https://c.example/").session.mode == .plain)
            #expect((engine.proxy != nil) == wasProven && loads.pageProxies.last == .some(engine.proxy))
            #expect(container.mode(ofPageAt: url) == (wasProven ? .loopbackProxy : .customScheme))
            #expect(loads.hosts.count == (wasProven ? 5 : 1))
            #expect(try await container.open(url).session.mode == .loopbackProxy)
            #expect(loads.hosts.count == (wasProven ? 5 : 3) && loads.pageProxies.last == .some(engine.proxy))
        }
        await container.shutDown()
    }

    @Test("A proxy that the app sets is neither replaced nor proven", arguments: [true, false])
    func ofApp(isProven: Bool) async throws {
        let own = EngineProxy(.http, host: "proxy.example", port: 8_080)
        let container = try await container()
        if isProven { #expect(try await container.open(url).session.mode == .loopbackProxy) }
        engine.setProxy(own)
        #expect(try await container.open("https://c.example/").session.mode == .plain)
        #expect(loads.pageProxies.last == .some(own) && loads.hosts.count == (isProven ? 2 : 0))
        await container.shutDown()
        #expect(engine.proxy == own)
    }

    @Test("Pages that do not open in the mode need no proof, and load without the proxy")
    func otherPages() async throws {
        let entry = try PageMode("b.example", .plain)
        let container = try await container { $0.pages.modes = [entry] }
        for url in ["https://b.example/", "https://c.example/"] {
            #expect(try await container.open(url).session.mode == .plain)
        }
        try await suspend(container)
        #expect(try await container.open("https://b.example/").session.mode == .plain)
        container.isEnabled = false
        #expect(try await container.open(url).session.mode == .plain)
        #expect(loads.hosts.isEmpty && loads.pageProxies == [nil, nil, nil, nil])
        await container.shutDown()
    }

    @Test("An engine that uses its proxy reliably needs no proof")
    func reliable() async throws {
        engine.isProxyReliable = true
        let container = try await container()
        #expect(container.mode(ofPageAt: url) == .loopbackProxy)
        #expect(try await container.open(url).session.mode == .loopbackProxy)
        #expect(loads.hosts.isEmpty)
        await container.shutDown()
    }

    @Test("The engine chooses the protocol of the proxy, which always has credentials")
    func kind() async throws {
        for kind in [EngineProxy.Kind.socks5, .http] {
            let fixture = Fixture()
            fixture.engine.proxyKind = kind
            let container = try await fixture.container { $0.pages.mode = .loopbackProxy }
            let proxy = try #require(fixture.engine.proxy)
            #expect(proxy.kind == kind && proxy.credentials?.password.count == 64)
            await container.shutDown()
        }
    }
}
