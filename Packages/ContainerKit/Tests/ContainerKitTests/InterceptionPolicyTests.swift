// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

/// The requests that are intercepted, and those that are not.
@MainActor
@Suite("Interception policy", .timeLimit(.minutes(1)))
struct InterceptionPolicyTests {
    private let fixture = Fixture()

    @Test("Only hosts that the app names and URLs below a package are covered")
    func interceptionPolicy() async throws {
        let container = try await fixture.container(covering: ["m.example:8443", "*.cdn.example"])
        try await fixture.install(["a.html": "a"], version: "1", base: "https://shop.example/app/", into: container)
        for (url, isCovered) in [
            ("https://m.example:8443/x", true), ("http://m.example:8443/x", true), ("https://m.example/x", false),
            ("https://a.cdn.example/", true), ("https://cdn.example/", false), ("https://shop.example/app/none", true),
            ("HTTPS://Shop.Example:443/app/", true), ("https://shop.example/", false),
            ("https://shop.example/apps/", false),
            ("http://shop.example/app/", false), ("https://shop.example:444/app/", false),
            ("https://user@shop.example/app/", false), ("https://shop.example@evil.example/app/", false), ("", false),
            ("javascript:alert(1)", false), ("containerkit://shop.example/app/", false),
        ] {
            #expect(container.covers(url) == isCovered, "\(url)")
        }
    }

    @Test("Host names are compared by bytes, and only ASCII letters have a case")
    func hostNames() async throws {
        let container = try await fixture.container(covering: ["k.example", "*.k.example"])
        #expect(container.covers("https://K.example/") && container.covers("https://A.K.example/"))
        // U+212A KELVIN SIGN is the letter K in lower case, and is canonically equivalent to it.
        #expect(!container.covers("https://\u{212A}.example/") && !container.covers("https://a.\u{212A}.example/"))
        try await fixture.install(["index.html": "home"], version: "1", base: "https://k.test/app/", into: container)
        let page = try await container.open("https://k.test/app/")
        let own = try await fixture.answer(to: "containerkit://K.test/api", from: page.view, of: container)
        #expect(own.sink.status == 200)
        let other = try await fixture.answer(to: "containerkit://\u{212A}.test/api", from: page.view, of: container)
        #expect(other.sink.error?.code == .invalidRequest)
        #expect(fixture.network.urls == ["https://k.test/api"])
    }

    @Test("In plain mode nothing is covered, and pages open at their real URLs")
    func plain() async throws {
        let container = try await fixture.container(covering: ["shop.example"]) { $0.pages.mode = .plain }
        #expect(!container.covers("https://shop.example/"))
        let page = try await container.open("https://shop.example/")
        #expect(page.session.mode == .plain && page.view.loads == ["https://shop.example/"])
    }

    @Test("The engine has the configured schemes, and only the scheme for https is secure")
    func schemes() async throws {
        let names = try #require(SchemeNames(prefix: "shop"))
        let container = try await fixture.container(covering: ["shop.example"]) { $0.pages.schemeNames = names }
        #expect(
            fixture.engine.schemes == [
                CustomScheme(name: "shop", isSecure: true), CustomScheme(name: "shop-http", isSecure: false),
            ])
        let page = try await container.open("http://shop.example/")
        #expect(page.view.loads == ["shop-http://shop.example/"])
        #expect(try await fixture.text("shop-http://shop.example/x", of: container) == "network http://shop.example/x")
    }

    @Test("A page gets all resources of its own origin, including those outside its package")
    func ownOrigin() async throws {
        let container = try await fixture.container()
        try await fixture.install(
            ["index.html": "home"], version: "1", base: "https://shop.example/app/", into: container)
        let page = try await container.open("https://shop.example/app/")
        #expect(page.session.mode == .customScheme)
        let beside = try await fixture.answer(to: "containerkit://shop.example/api", from: page.view, of: container)
        #expect(beside.record.provenance?.source == .network)
        #expect(beside.sink.status == 200 && fixture.network.urls == ["https://shop.example/api"])
    }

    @Test(
        "The scheme gives no access to other URLs",
        arguments: [
            "containerkit://other.example/", "containerkit-http://shop.example/api",
            "containerkit://shop.example:444/api",
            "containerkit://a.shop.example/api", "containerkit://shop.example.evil.example/api",
            "containerkit://user@shop.example/api", "containerkit://shop.example@evil.example/api",
        ])
    func elsewhere(url: String) async throws {
        let container = try await fixture.container()
        try await fixture.install(
            ["index.html": "home"], version: "1", base: "https://shop.example/app/", into: container)
        let page = try await container.open("https://shop.example/app/")
        let refused = try await fixture.answer(to: url, from: page.view, of: container)
        // A request of an https page for http is refused before the coverage is checked.
        let code: ResourceError.Code = url.hasPrefix("containerkit-http:") ? .blocked : .invalidRequest
        #expect(refused.sink.error?.code == code && refused.sink.status == nil)
        #expect(refused.record.provenance == nil && refused.record.page == page.session.id)
        #expect(fixture.network.urls.isEmpty)
    }

    @Test("A page that is unknown or not intercepted gets only covered URLs through the scheme")
    func strangers() async throws {
        let container = try await fixture.container()
        try await fixture.install(
            ["index.html": "home"], version: "1", base: "https://shop.example/app/", into: container)
        let plain = try await container.open("https://other.example/")
        for view in [plain.view, nil] {
            let own = try await fixture.answer(to: "containerkit://other.example/x", from: view, of: container)
            #expect(own.sink.error?.code == .invalidRequest)
            let beside = try await fixture.answer(to: "containerkit://shop.example/api", from: view, of: container)
            #expect(beside.sink.error?.code == .invalidRequest)
            #expect(try await fixture.text("containerkit://shop.example/app/", from: view, of: container) == "home")
        }
        #expect(fixture.network.urls.isEmpty)
    }

    @Test("Uncovered URLs of a partly covered host come from the network, because relative URLs may lead to them")
    func partlyCovered() async throws {
        let container = try await fixture.container {
            guard let host = HostPattern("cdn.example") else { return }
            $0.network.rules =
                (try? RouteRules(
                    [RouteRule(.intercept, scheme: .https, host: host, path: PathPattern(glob: "/app/**"))],
                    deny: [RouteRule(.pass, host: host, path: PathPattern(glob: "/app/pay/**"))])) ?? .none
        }
        try await fixture.install(["index.html": "home"], version: "1", into: container)
        try await fixture.install(
            ["a.css": "a{}"], id: "lib", version: "1", base: "https://lib.example:8443/v1/", into: container)
        let page = try await container.open("https://shop.example/")
        for place in ["cdn.example/img/x", "cdn.example/app/pay/x", "lib.example:8443/x"] {
            let answer = try await fixture.answer(to: "containerkit://\(place)", from: page.view, of: container)
            #expect(answer.sink.body == Data("network https://\(place)".utf8), "\(place)")
            #expect(answer.record.provenance?.source == .network)
            let stranger = try await fixture.answer(to: "containerkit://\(place)", of: container)
            #expect(stranger.sink.error?.code == .invalidRequest)
        }
        let count = fixture.network.urls.count
        for place in ["a.cdn.example/x", "cdn.example.evil/x", "lib.example/x", "user@cdn.example/img/x", "example/x"] {
            let answer = try await fixture.answer(to: "containerkit://\(place)", from: page.view, of: container)
            #expect(answer.sink.error?.code == .invalidRequest, "\(place)")
        }
        #expect(fixture.network.urls.count == count)
    }

    @Test("A rewritten URL of a page is served, even if the rules change afterwards")
    func givenNames() async throws {
        let container = try await fixture.container {
            $0.network.rules = (try? RouteRules([RouteRule(.intercept, host: HostPattern("cdn.example"))])) ?? .none
        }
        try await fixture.install(
            ["index.html": "<img src=https://cdn.example/a>", "other.html": "x"], version: "1", into: container)
        let page = try await container.open("https://shop.example/index.html")
        let document = try await fixture.answer(
            to: "containerkit://shop.example/index.html", from: page.view, isMainDocument: true, of: container)
        #expect(document.sink.body == Data("<img src=containerkit://cdn.example/a>".utf8))
        container.setRules(.none)
        let name = "containerkit://cdn.example/a"
        #expect(try await fixture.text(name, from: page.view, of: container) == "network https://cdn.example/a")
        // Another page cannot use the rewritten URL.
        let other = try await container.open("https://shop.example/other.html")
        let refused = try await fixture.answer(to: name, from: other.view, of: container)
        #expect(refused.sink.error?.code == .invalidRequest)
    }

    @Test("A document redirected to an uncovered URL opens there, and a redirect to a covered URL stays intercepted")
    func redirects() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        let page = try await container.open("https://shop.example/")
        for (target, opened) in [
            ("https://other.example/x", #"https:\/\/other.example\/x"#),
            ("https://shop.example/x", #"containerkit:\/\/shop.example\/x"#),
        ] {
            let answer = try await fixture.answer(
                to: "containerkit://shop.example/to/" + target, from: page.view, isMainDocument: true, of: container)
            #expect(answer.record.provenance?.source == .synthetic && answer.record.isMainDocument)
            #expect(String(decoding: answer.sink.body, as: UTF8.self).contains("location.replace(\"\(opened)\""))
        }
    }

    @Test("The container follows redirects if the engine does not, and otherwise forwards them")
    func hops() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        let url = "containerkit://shop.example/to//x"
        #expect(try await fixture.text(url, of: container) == "network https://shop.example/x")
        let follows = Fixture()
        follows.engine.traits.followsRedirects = true
        let other = try await follows.container(covering: ["shop.example"])
        #expect(try await follows.answer(to: url, of: other).sink.status == 302)
    }
}
