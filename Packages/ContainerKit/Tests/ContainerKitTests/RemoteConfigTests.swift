// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPCache
import HTTPTypes
import OfflinePackage
import PackageUpdates
import Prefetch
import RequestPipeline
import ResourceLoading
import SchemeRouter
import Testing
import WebEngineTesting
import WebViewPool

@testable import ContainerKit

/// The effects of remote config in a container.
@MainActor
@Suite("Remote config of a container", .timeLimit(.minutes(1)))
struct RemoteConfigTests {
    private let fixture = Fixture()
    private let source = "https://config.example/switchboard"
    private let script = "containerkit://shop.example/a.js"

    private func json(_ version: Int, _ more: String = "") -> String {
        #"{"format":1,"version":\#(version)\#(more.isEmpty ? "" : ",")\#(more)}"#
    }

    private func document(_ version: Int, _ more: String = "") throws -> RemoteConfigDocument {
        try RemoteConfigDocument(json: Data(json(version, more).utf8))
    }

    private func publish(_ text: String) { fixture.network.put(.bytes(Data(text.utf8)), at: source) }

    /// Creates a container whose remote config comes from the host.
    private func container(
        on engine: FakeEngine? = nil, change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        try await fixture.container(on: engine) {
            $0.remote = RemoteConfigOptions()
            change(&$0)
        }
    }

    /// Creates a container whose remote config comes from a server.
    private func fetching(
        on engine: FakeEngine? = nil, change: (inout RemoteConfigSource) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        var place = RemoteConfigSource(url: source)
        place.interval = .zero
        place.retryInterval = .zero
        change(&place)
        return try await container(on: engine) { $0.remote?.source = place }
    }

    private func install(into container: Container<FakeEngine>) async throws {
        try await fixture.install(["index.html": "home", "a.js": "packed"], version: "1", into: container)
    }

    private func code(of check: RemoteConfigCheck?) -> String? {
        guard case .failed(let error as RemoteConfigError) = check else { return nil }
        return "\(error.code)"
    }

    @Test("Numbers replace those of the host, except for features that the host has disabled")
    func numbers() throws {
        let numbers = try document(
            1, #""limits":{"poolCapacity":5,"httpCacheMemoryBytes":100,"httpCacheDiskBytes":200}"#
        ).numbers
        var configuration = ContainerConfiguration(directory: fixture.folder)
        let changed = configuration.with(numbers)
        #expect(changed.views.pool.standard == 5)
        #expect(changed.network.httpCache?.memoryBytes == 100 && changed.network.httpCache?.diskBytes == 200)
        configuration.views.pool = PoolCapacity(fixed: 0)
        configuration.network.httpCache?.memoryBytes = 0
        configuration.network.httpCache?.diskBytes = 0
        let kept = configuration.with(numbers)
        #expect(kept.views.pool.standard == 0)
        #expect(kept.network.httpCache?.memoryBytes == 0 && kept.network.httpCache?.diskBytes == 0)
        configuration.network.httpCache = nil
        #expect(configuration.with(numbers).network.httpCache == nil)
    }

    @Test("Without the option there is no remote config, and documents of the host are refused")
    func none() async throws {
        let container = try await fixture.container()
        #expect(container.remoteConfig == nil && container.counters.remoteConfig == nil)
        let document = try document(1)
        await #expect(throws: ContainerError.self) { try await container.apply(document) }
    }

    @Test("Without a document the host's configuration applies")
    func first() async throws {
        let container = try await container()
        let state = try #require(container.remoteConfig)
        #expect(state.document == nil && state.isEnabled && state.features == Set(RemoteConfigFeature.allCases))
        try await install(into: container)
        #expect(container.covers("https://shop.example/"))
    }

    @Test("enabled: false turns everything off for new work; open pages use the network, and can be turned on again")
    func off() async throws {
        let container = try await container()
        try await install(into: container)
        let page = try await container.open("https://shop.example/")
        #expect(try await fixture.text(script, from: page.view, of: container) == "packed")
        try await container.apply(document(1, #""enabled":false"#))
        #expect(container.remoteConfig?.isEnabled == false && container.remoteConfig?.features.isEmpty == true)
        #expect(!container.covers("https://shop.example/") && container.isEnabled)
        let answer = try await fixture.answer(to: script, from: page.view, of: container)
        #expect(answer.sink.body == Data("network https://shop.example/a.js".utf8))
        #expect(answer.record.provenance?.reason.hasSuffix("pass: veto, switched off") == true)
        let plain = try await container.open("https://shop.example/")
        #expect(plain.session.mode == .plain)
        try await container.apply(document(2))
        #expect(try await fixture.text(script, from: page.view, of: container) == "packed")
    }

    @Test("A document cannot turn on a feature that the host has turned off, and vice versa")
    func both() async throws {
        let container = try await container()
        try await install(into: container)
        for (version, host, remote) in [(1, true, true), (2, false, true), (3, true, false), (4, false, false)] {
            container.isEnabled = host
            try await container.apply(document(version, #""enabled":\#(remote)"#))
            #expect(container.covers("https://shop.example/") == (host && remote))
            #expect(container.isEnabled == host && container.remoteConfig?.isEnabled == remote)
        }
        container.isEnabled = true
        try await container.apply(document(5))
        container.setRules(try RouteRules([], deny: [RouteRule(.pass, host: HostPattern("shop.example"))]))
        #expect(!container.covers("https://shop.example/"))
    }

    @Test("The deny lists of the host and of the document are combined, and the host's rules do not override them")
    func deny() async throws {
        let rules = try RouteRules(
            [RouteRule(.intercept, host: HostPattern("*.example"))],
            deny: [RouteRule(.pass, host: HostPattern("bank.example"))])
        let container = try await container { $0.network.rules = rules }
        try await install(into: container)
        let page = try await container.open("https://shop.example/")
        try await container.apply(document(1, #""deny":["pay.example","https://shop.example/a.*"]"#))
        for (url, isCovered) in [
            ("https://pay.example/", false), ("https://bank.example/", false), ("https://shop.example/a.js", false),
            ("http://shop.example/a.js", true), ("https://shop.example/b.js", true),
        ] {
            #expect(container.covers(url) == isCovered, "\(url)")
        }
        let answer = try await fixture.answer(to: script, from: page.view, of: container)
        #expect(answer.record.provenance?.source == .network)
        #expect(answer.record.provenance?.reason.hasSuffix("pass: veto, deny[1]") == true)
        #expect(
            try await fixture.text("containerkit://shop.example/index.html", from: page.view, of: container) == "home")
        try await container.apply(document(2))
        #expect(container.covers("https://pay.example/") && !container.covers("https://bank.example/"))
    }

    @Test("packages off: packages serve and cover nothing until they are on again")
    func packagesOff() async throws {
        let container = try await container()
        try await install(into: container)
        let page = try await container.open("https://shop.example/")
        let origin = HTTPRequest(method: .get, scheme: "https", authority: "shop.example", path: "/")
        #expect(container.path.policy.opens(originOf: origin))
        try await container.apply(document(1, #""features":{"packages":false}"#))
        // The proxy opens no connections to the origin either.
        #expect(!container.covers("https://shop.example/") && !container.path.policy.opens(originOf: origin))
        #expect(try await fixture.text(script, from: page.view, of: container) == "network https://shop.example/a.js")
        try await container.apply(document(2, #""features":{"packages":{"perMille":1000}}"#))
        #expect(container.covers("https://shop.example/") && container.path.policy.opens(originOf: origin))
        #expect(try await fixture.text(script, from: page.view, of: container) == "packed")
    }

    @Test("httpCache off: the cache serves and stores nothing")
    func cacheOff() async throws {
        fixture.network.put(
            .bytes(Data("one".utf8)), at: "https://shop.example/c.js", [.cacheControl: "max-age=600"])
        let url = "containerkit://shop.example/c.js"
        let container = try await container {
            $0.network.coveredHosts = [HostPattern("shop.example")].compactMap(\.self)
        }
        func source() async throws -> Provenance.Source? {
            try await fixture.answer(to: url, of: container).record.provenance?.source
        }
        #expect(try await source() == .network)
        #expect(try await source() == .memory)
        try await container.apply(document(1, #""features":{"httpCache":false}"#))
        #expect(try await source() == .network)
        #expect(try await source() == .network)
        #expect(container.counters.httpCache?.requests.memoryHits == 1)
        try await container.apply(document(2))
        #expect(try await source() == .memory)
    }

    @Test("prefetch off starts nothing; pool off prewarms nothing; unused features remain unused")
    func othersOff() async throws {
        let table = try PrefetchTable(
            json: Data(
                """
                {"code":200,"data":{"version":"1","config":[{"url":"https://shop.example/","interfaces":
                [{"api":"https://shop.example/api"}]}]}}
                """.utf8))
        let container = try await container {
            $0.network.coveredHosts = [HostPattern("shop.example")].compactMap(\.self)
            $0.network.prefetch = PrefetchOptions()
            $0.network.prefetch?.table = table
            $0.pages.blankPages = nil
        }
        let document = HTTPRequest(
            method: .get, scheme: "containerkit", authority: "shop.example", path: "/",
            headerFields: [.userAgent: "Fake", .acceptLanguage: "de", .accept: "text/html"])
        container.pipelines.primary.fields?.record(document)
        try await container.apply(self.document(1, #""features":{"prefetch":false,"pool":false}"#))
        try await container.warmUp()
        let page = try await container.open("https://shop.example/")
        #expect(container.counters.prefetch?.started == 0 && fixture.engine.views.count == 1)
        await container.close(page)
        try await container.apply(self.document(2))
        let made = fixture.engine.views.count
        try await container.warmUp()
        #expect(fixture.engine.views.count > made)
        let next = try await container.open("https://shop.example/")
        try await until { container.counters.prefetch?.started == 1 }
        await container.close(next)
        // The feature is on in the document, but not in the configuration.
        #expect(container.blankPages == nil && container.remoteConfig?.features.contains(.blankPages) == true)
        await container.shutDown()
    }

    @Test("blankPages off: a new page is not monitored, and an open page is not recovered")
    func blankPagesOff() async throws {
        let container = try await container {
            $0.network.coveredHosts = [HostPattern("shop.example")].compactMap(\.self)
        }
        try await container.apply(document(1, #""features":{"whitePages":false}"#))
        let unwatched = try await container.open("https://shop.example/")
        let scripts = unwatched.view.scripts.count
        try await container.apply(document(2))
        let watched = try await container.open("https://shop.example/")
        #expect(watched.view.scripts.count == scripts + 1)
        try await container.apply(document(3, #""features":{"whitePages":false}"#))
        watched.view.onSignal?(.processEnded(reason: "killed"))
        #expect(watched.view.reloads.isEmpty && watched.view.loads.count == 1)
    }

    @Test("With the proxy, disabling removes the proxy from the engine, and enabling restores it")
    func proxy() async throws {
        let container = try await container { $0.pages.mode = .loopbackProxy }
        #expect(fixture.engine.proxy != nil)
        try await container.apply(document(1, #""enabled":false"#))
        try await until { fixture.engine.proxy == nil }
        try await container.apply(document(2))
        try await until { fixture.engine.proxy != nil }
        await container.shutDown()
    }

    @Test("A document is requested, stored, and applied in the next container before any request")
    func kept() async throws {
        publish(json(3, #""enabled":false,"limits":{"poolCapacity":5,"httpCacheMemoryBytes":4096}"#))
        var first: Container<FakeEngine>? = try await fetching()
        try await until { first?.counters.remoteConfig?.applied == 1 }
        let isOff = first?.remoteConfig?.isEnabled == false
        // Numbers and modes apply from the next launch on.
        #expect(isOff && first?.configuration.views.pool.standard == 3 && first?.remoteConfig?.documentAtStart == nil)
        await first?.shutDown()
        first = nil
        fixture.network.put(
            ResourceBody.stream(ByteStream(AsyncThrowingStream<Data, any Error>.makeStream().stream)), at: source)
        let next = try await fetching(on: FakeEngine())
        #expect(next.remoteConfig?.document?.version == 3 && next.remoteConfig?.isEnabled == false)
        #expect(
            next.configuration.views.pool.standard == 5 && next.configuration.network.httpCache?.memoryBytes == 4096)
        #expect(next.pool.capacity.current == 5 && next.remoteConfig?.documentAtStart?.version == 3)
        await next.shutDown()
    }

    @Test("An invalid, an older and a missing response change nothing, and each is reported and counted")
    func failures() async throws {
        publish(json(3, #""features":{"pool":false}"#))
        let container = try await fetching()
        var checks: [RemoteConfigCheck] = []
        container.hub.observe { if case .remoteConfigChecked(let check) = $0 { checks.append(check) } }
        try await until { checks.count == 1 }
        guard case .applied(3) = checks[0] else {
            Issue.record("\(checks)")
            return
        }
        func ask(_ text: String) async throws -> RemoteConfigCheck? {
            publish(text)
            let count = checks.count
            container.hostEnteredForeground()
            try await until { checks.count == count + 1 }
            return checks.last
        }
        #expect(code(of: try await ask("<html>")) == "bad-document")
        #expect(code(of: try await ask(json(4, #""deny":[1]"#))) == "bad-document")
        #expect(code(of: try await ask(json(2))) == "older")
        guard case .unchanged(3) = try await ask(json(3, #""features":{"pool":false}"#)) else {
            Issue.record("\(checks)")
            return
        }
        guard case .failed(is ResourceError) = try await ask(String(repeating: " ", count: 300_000)) else {
            Issue.record("\(checks)")
            return
        }
        #expect(container.remoteConfig?.document?.version == 3)
        #expect(container.remoteConfig?.features.contains(.pool) == false)
        guard case .applied(2) = try await ask(json(2, #""replaces":3"#)) else {
            Issue.record("\(checks)")
            return
        }
        #expect(container.remoteConfig?.features.contains(.pool) == true)
        let counters = try #require(container.counters.remoteConfig)
        #expect(counters.checks == 7 && counters.applied == 2 && counters.failures == 4)
        await #expect(throws: RemoteConfigError.self) { try await container.apply(document(1)) }
        #expect(container.counters.remoteConfig?.failures == 5)
        await container.shutDown()
    }

    @Test("The host's document takes precedence over an older document of the server, also across a restart")
    func pushed() async throws {
        publish(json(3))
        var first: Container<FakeEngine>? = try await fetching()
        try await until { first?.counters.remoteConfig?.applied == 1 }
        try await first?.apply(document(4, #""deny":["pay.example"]"#))
        await first?.shutDown()
        first = nil
        let next = try await fetching(on: FakeEngine())
        #expect(next.remoteConfig?.document?.version == 4)
        try await until { next.counters.remoteConfig?.failures == 1 }
        #expect(next.remoteConfig?.document?.version == 4)
        await next.shutDown()
    }

    @Test("A document of another server is not used, and an http server is not requested")
    func otherSource() async throws {
        publish(json(9, #""enabled":false"#))
        var first: Container<FakeEngine>? = try await fetching()
        try await until { first?.counters.remoteConfig?.applied == 1 }
        await first?.shutDown()
        first = nil
        let next = try await fetching(on: FakeEngine()) { $0.url = "http://config.example/switchboard" }
        #expect(next.remoteConfig?.document == nil && next.remoteConfig?.isEnabled == true)
        var checks: [RemoteConfigCheck] = []
        next.hub.observe { if case .remoteConfigChecked(let check) = $0 { checks.append(check) } }
        try await until { checks.count == 1 }
        #expect(code(of: checks[0]) == "insecure")
        #expect(!fixture.network.urls.contains { $0.hasPrefix("http:") })
        await next.shutDown()
    }

    @Test("Modes apply from the next launch on, and then to all requests of a page")
    func modes() async throws {
        let rules = try RouteRules([RouteRule(.intercept, host: HostPattern("*.example"))])
        var first: Container<FakeEngine>? = try await container { $0.network.rules = rules }
        try await first?.apply(
            document(1, #""modes":[{"host":"*.example","mode":"plain"},{"host":"shop.example","mode":"configured"}]"#))
        #expect(first?.covers("https://news.example/") == true)
        await first?.shutDown()
        first = nil
        let next = try await container(on: FakeEngine()) { $0.network.rules = rules }
        #expect(!next.covers("https://news.example/") && next.covers("https://shop.example/"))
        // A later document changes no mode before the next launch.
        try await next.apply(document(2))
        #expect(!next.covers("https://news.example/"))
        await next.shutDown()
    }
}
