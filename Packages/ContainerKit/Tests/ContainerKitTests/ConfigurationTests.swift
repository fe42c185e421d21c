// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerKit
import Foundation
import Logging
import PackageFormat
import ResourceLoading
import Testing
import WebEngineTesting
import WebSyntax

@testable import OfflinePackage

@MainActor
@Suite("Configuration of a container", .timeLimit(.minutes(1)))
struct ConfigurationTests {
    private let fixture = Fixture()

    /// A resolver that names one proxy for all hosts, or fails.
    private struct Settings: ProxyResolving {
        let route: ProxyRoute?

        func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
            guard let route else { throw CancellationError() }
            return [route]
        }
    }

    @Test("The transport receives the system's proxies from the engine, unless the app selects its own or none")
    func systemProxies() async throws {
        let route = ProxyRoute.http(HostPort(host: "proxy.example", port: 3_128), nil)
        let host = HostPort(host: "shop.example", port: 443)
        _ = try await fixture.container()
        #expect(fixture.network.proxies.withLock { $0 } == nil)
        fixture.engine.systemProxies = Settings(route: route)
        _ = try await fixture.container { $0.network.proxies = .none }
        #expect(fixture.network.proxies.withLock { $0 } == nil)
        _ = try await fixture.container()
        let proxies = try #require(fixture.network.proxies.withLock { $0 })
        #expect(await proxies.routes(to: host, isSecure: true) == [route])
        #expect(await proxies.routes(to: HostPort(host: "a.localhost", port: 443), isSecure: true) == [.direct])
        let other = ProxyRoute.socks5(HostPort(host: "own.example", port: 1_080), nil)
        _ = try await fixture.container { $0.network.proxies = .resolver(Settings(route: other)) }
        let own = try #require(fixture.network.proxies.withLock { $0 })
        #expect(await own.routes(to: host, isSecure: true) == [other])
        #expect(await own.routes(to: HostPort(host: "a.localhost", port: 443), isSecure: true) == [.direct])
    }

    @Test("The logger receives the refusal of a message once for each document")
    func refusedMessages() async throws {
        let log = MessageLog()
        let container = try await fixture.container(covering: ["shop.example"]) {
            $0.pages.legacyMessages = LegacyMessages(prefix: "yx")
            $0.logger = Logger(label: "test") { _ in log }
        }
        let page = try await container.open("https://shop.example/")
        for _ in 0..<100 {
            #expect(page.view.prompt("body containerkit://shop.example/ {}").hasPrefix(#"{"error""#))
        }
        #expect(log.messages.withLock { $0.count { $0 == "a message is refused" } } == 1)
        await container.shutDown()
    }

    @Test("The logger receives the reason why the system's proxy is unknown")
    func unknownProxy() async throws {
        let log = MessageLog()
        fixture.engine.systemProxies = Settings(route: nil)
        _ = try await fixture.container { $0.logger = Logger(label: "test") { _ in log } }
        let proxies = try #require(fixture.network.proxies.withLock { $0 })
        #expect(await proxies.routes(to: HostPort(host: "shop.example", port: 443), isSecure: true) == [.direct])
        #expect(log.messages.withLock { $0 }.contains("no proxy is known: direct"))
    }

    @Test("The host sets the limits of packages")
    func limits() async throws {
        let container = try await fixture.container { $0.packages.library.manifestLimits.maxFiles = 1 }
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        await #expect {
            try await fixture.install(["index.html": "two", "app.js": "run()"], version: "2", into: container)
        } throws: {
            ($0 as? PackageError)?.code == .tooMany
        }
    }

    @Test("The container's logger receives damage to packages and warnings of updates")
    func logger() async throws {
        let log = MessageLog()
        let container = try await fixture.container {
            $0.logger = Logger(label: "test") { _ in log }
            $0.packages.updates.health = BrokenHealth()
        }
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try FileManager.default.removeItem(atPath: fixture.folder + "/store/blobs")
        _ = try await fixture.text("containerkit://shop.example/", of: container)
        let messages = log.messages.withLock { $0 }
        #expect(messages.contains("cannot read a packaged file"))
        #expect(messages.contains("cannot read the trial record"))
    }

    @Test("The container's conditions replace the conditions of the update configuration")
    func conditions() async throws {
        let (none, all) = (ChangingConditions(HostConditions(network: .none)), ChangingConditions(HostConditions()))
        let other = Fixture()
        let refused = try await fixture.container {
            $0.conditions = none
            $0.packages.updates.conditions = all
        }
        let error = await #expect(throws: DeliveryError.self) {
            try await refused.update(from: fixture.publish(["index.html": "one"], version: "1"))
        }
        #expect(error?.code == .notNow)
        let allowed = try await other.container {
            $0.conditions = all
            $0.packages.updates.conditions = none
        }
        let update = try await allowed.update(from: other.publish(["index.html": "one"], version: "1"))
        #expect(update.outcome == .activated)
    }

    @Test("Without a configured mode, covered pages use the default mode of the engine")
    func standardMode() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        #expect(container.mode(ofPageAt: "https://shop.example/") == FakeEngine.standardMode)
        let other = Fixture()
        let plain = try await other.container(covering: ["shop.example"]) { $0.pages.mode = .plain }
        #expect(plain.mode(ofPageAt: "https://shop.example/") == .plain)
    }

    private struct BrokenHealth: HealthRecording {
        func load() throws -> TrialRecord { throw CancellationError() }
        func save(_ record: TrialRecord) throws {}
    }
}
