// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import OfflinePackage
import RequestPipeline
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

@MainActor
@Suite("Modes of origins", .timeLimit(.minutes(1)))
struct OriginModeTests {
    private let fixture = Fixture()
    private let page = "https://shop.example/index.html"

    private func container(
        _ policy: OriginModePolicy, _ mode: InterceptionMode = .customScheme
    ) async throws -> Container<FakeEngine> {
        try await fixture.container {
            $0.pages.originModes = policy
            $0.pages.mode = mode
        }
    }

    /// Opens the page, commits it, and returns its mode.
    private func mode(of url: String, in container: Container<FakeEngine>) async throws -> InterceptionMode {
        let page = try await container.open(url)
        let place = try #require(page.view.loads.last)
        page.view.onSignal?(.started(url: place))
        page.view.onSignal?(.committed(url: place))
        await container.close(page)
        return page.session.mode
    }

    @Test("An origin stays intercepted without its package and across a restart")
    func staysIntercepted() async throws {
        var container: Container<FakeEngine>? = try await container(.staysIntercepted)
        do {
            let container = try #require(container)
            #expect(try await mode(of: page, in: container) == .plain)
            #expect(container.originModes.isEmpty)
            try await fixture.install(["index.html": "packaged"], version: "1", into: container)
            #expect(try await mode(of: page, in: container) == .customScheme)
            try await container.remove(container.installedPackages[0].id)
            #expect(try await mode(of: page, in: container) == .customScheme)
            // Without the package, the network serves the document.
            let answer = try await fixture.answer(
                to: "containerkit://shop.example/index.html", isMainDocument: true, of: container)
            #expect(String(decoding: answer.sink.body, as: UTF8.self) == "network https://shop.example/index.html")
            #expect(try await mode(of: "https://other.example/", in: container) == .plain)
            #expect(try await mode(of: "http://shop.example/", in: container) == .plain)
            await container.shutDown()
        }
        container = nil
        let next = try await self.container(.staysIntercepted)
        #expect(next.originModes == ["https://shop.example": .intercepted])
        #expect(try await mode(of: page, in: next) == .customScheme)
        // The app overrides the recorded mode: first by a rule, then by removing the mode.
        next.setRules(try RouteRules([RouteRule(.pass, host: HostPattern("shop.example"))]))
        #expect(try await mode(of: page, in: next) == .plain)
        next.setRules(.none)
        #expect(try await mode(of: page, in: next) == .customScheme)
        try next.setMode(nil, ofOrigin: page)
        #expect(try await mode(of: page, in: next) == .plain)
        await next.shutDown()
    }

    @Test("asFirstOpened: a later package has no effect until the host sets the mode")
    func asFirstOpened() async throws {
        let container = try await container(.asFirstOpened)
        #expect(try await mode(of: page, in: container) == .plain)
        try await fixture.install(["index.html": "packaged"], version: "1", into: container)
        #expect(try await mode(of: page, in: container) == .plain)
        #expect(container.originModes == ["https://shop.example": .plain])
        try container.setMode(.intercepted, ofOrigin: "https://shop.example/any?thing")
        #expect(try await mode(of: page, in: container) == .customScheme)
        // The mode of an origin is not recorded while the container is disabled.
        container.isEnabled = false
        #expect(try await mode(of: "https://new.example/", in: container) == .plain)
        container.isEnabled = true
        #expect(container.originModes == ["https://shop.example": .intercepted])
        await container.shutDown()
    }

    @Test("The host's mode of an origin takes precedence over coverage with any policy, and is stored")
    func decided() async throws {
        var container: Container<FakeEngine>? = try await container(.staysIntercepted)
        do {
            let container = try #require(container)
            try await fixture.install(["index.html": "packaged"], version: "1", into: container)
            #expect(try await mode(of: page, in: container) == .customScheme)
            try container.setMode(.plain, ofOrigin: page)
            #expect(try await mode(of: page, in: container) == .plain)
            await container.shutDown()
        }
        container = nil
        let next = try await self.container(.staysIntercepted)
        #expect(try await mode(of: page, in: next) == .plain)
        // The package still serves other pages: the mode applies only to pages of the origin itself.
        #expect(
            try await fixture.text("containerkit://shop.example/index.html", of: next) == "packaged")
        try next.setMode(nil, ofOrigin: page)
        #expect(try await mode(of: page, in: next) == .customScheme)
        await next.shutDown()
    }

    @Test("A document at a custom-scheme URL of a partly covered or uncovered origin records no mode")
    func wanderers() async throws {
        let container = try await container(.staysIntercepted)
        let path = try PathPattern(glob: "/app/*")
        container.setRules(
            try RouteRules([RouteRule(.intercept, host: HostPattern("shop.example"), path: path)]))
        let page = try await container.open("https://shop.example/app/")
        page.view.onSignal?(.committed(url: "containerkit://shop.example/app/"))
        #expect(container.originModes == ["https://shop.example": .intercepted])
        page.view.onSignal?(.committed(url: "containerkit://bank.example/"))
        #expect(container.originModes == ["https://shop.example": .intercepted])
        await container.shutDown()
    }

    @Test("No mode is stored if pages follow the interception policy or have real origins")
    func nothing() async throws {
        let other = Fixture()
        let proxied = try await other.container { $0.pages.mode = .loopbackProxy }
        #expect(throws: ContainerError.self) { try proxied.setMode(.plain, ofOrigin: page) }
        await proxied.shutDown()
        for container in [try await container(.followsInterceptionPolicy)] {
            try await fixture.install(["index.html": "packaged"], version: "1", into: container)
            #expect(try await mode(of: page, in: container) == .customScheme)
            try await container.remove(container.installedPackages[0].id)
            #expect(try await mode(of: page, in: container) == .plain)
            #expect(container.originModes.isEmpty)
            #expect(throws: ContainerError.self) { try container.setMode(.plain, ofOrigin: page) }
            await container.shutDown()
        }
    }

    @Test("Texts that are not a web origin are refused", arguments: ["", "shop.example", "tel:1", "https://"])
    func refused(url: String) async throws {
        let container = try await container(.staysIntercepted)
        let error = #expect(throws: ContainerError.self) { try container.setMode(.plain, ofOrigin: url) }
        #expect(error?.code == .invalidURL)
        await container.shutDown()
    }
}
