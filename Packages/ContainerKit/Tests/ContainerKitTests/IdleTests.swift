// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContentDigest
import Foundation
import OfflinePackage
import ResourceLoading
import ResourceTable
import Testing
import WebEngineTesting
import WebSyntax
import WebViewPool

@testable import ContainerKit

@MainActor
@Suite("Idle containers", .timeLimit(.minutes(1)))
struct IdleTests {
    @Test("A container prewarms its views automatically, but not while a page loads")
    func container() async throws {
        let fixture = Fixture()
        let container = try await fixture.container {
            $0.views.warmsUpWhenIdle = true
            $0.views.idleDelay = .zero
            $0.views.pool = PoolCapacity(fixed: 2)
        }
        while container.pool.warmCount < 2 { await Task.yield() }
        // The pool is full. A page takes one view, which is not replaced while the page loads.
        let page = try await container.open("https://shop.example/")
        #expect(page.view.id.rawValue <= 2)
        page.view.onSignal?(.started(url: "https://shop.example/"))
        #expect(fixture.engine.views.count == 2)
        page.view.onSignal?(.finished(url: "https://shop.example/"))
        while container.pool.warmCount < 2 { await Task.yield() }
        #expect(fixture.engine.views.count == 3)
        await container.shutDown()
    }

    @Test("Downloads for later wait until the network is unmetered and the app is idle")
    func downloads() async throws {
        let fixture = Fixture()
        let device = ChangingConditions(HostConditions(network: .unknown))
        fixture.engine.conditions = device
        let (script, file) = ("https://cdn.example/app.js", "https://files.example/app-1.js")
        let table = try #require(TableURL("https://table.example/table"))
        let json = """
            {"code":200,"data":{"version":"1","update":true,"resourcemap":{"\(script)":
            {"version":"1","md5":"\(MD5Digest(of: Data("run()".utf8)))","download":"\(file)",
            "ctype":"application/javascript"}}}}
            """
        fixture.network.put(.bytes(Data(json.utf8)), at: table.description)
        fixture.network.put(.bytes(Data("run()".utf8)), at: file)
        let container = try await fixture.container(covering: ["shop.example"]) {
            $0.conditions = nil
            $0.views.idleDelay = .zero
            $0.packages.table = TableLibrary.Configuration(endpoints: TableEndpoints(primary: table))
            $0.packages.table?.scope = TableScope(pages: ["cdn.example"], downloads: ["files.example"])
        }
        let conditions = container.configuration.hostConditions
        // If a step does not happen, the time limit ends the test.
        while !container.covers(script) || !conditions.conditions.isIdle { await Task.yield() }
        let source = try fixture.publish(["index.html": "one"], version: "1")
        let update = try await container.update(from: source, urgency: .whenConvenient)
        #expect(update.outcome == .waiting(reason: "the cost of the network is unknown"))
        #expect(!conditions.conditions.allowsBackgroundTransfers)
        let page = try await container.open("https://shop.example/")
        page.view.onSignal?(.started(url: "https://shop.example/"))
        device.set(HostConditions())
        while conditions.conditions.network != .unmetered { await Task.yield() }
        #expect(!conditions.conditions.isIdle)
        #expect(!fixture.network.urls.contains(file))
        page.view.onSignal?(.finished(url: "https://shop.example/"))
        while !fixture.network.backgroundURLs.withLock({ $0.contains(file) }) { await Task.yield() }
        await container.shutDown()
    }

    @Test("The options of the guide state the cost of the network and select a proxy")
    func guide() async throws {
        let fixture = Fixture()
        fixture.engine.conditions = ChangingConditions(HostConditions(network: .unknown))
        let container = try await fixture.container {
            $0.conditions = nil
            DeviceOptions.apply(to: &$0)
        }
        #expect(container.configuration.hostConditions.conditions.network == .unmetered)
        let proxies = try #require(fixture.network.proxies.withLock { $0 })
        let proxy = ProxyRoute.http(HostPort(host: "proxy.example", port: 3_128), nil)
        let shop = HostPort(host: "shop.example", port: 443)
        let wiki = HostPort(host: "wiki.intranet.example", port: 443)
        #expect(await proxies.routes(to: shop, isSecure: true) == [proxy])
        #expect(await proxies.routes(to: wiki, isSecure: true) == [.direct])
        await container.shutDown()
    }

    @Test("The statement of the host replaces an unknown cost, and conditions of the host are used unchanged")
    func hostStatements() async throws {
        let fixture = Fixture()
        fixture.engine.conditions = ChangingConditions(HostConditions(network: .unknown))
        let container = try await fixture.container {
            $0.conditions = nil
            $0.unknownNetwork = .unmetered
            $0.views.idleDelay = .zero
        }
        let conditions = container.configuration.hostConditions
        while !conditions.conditions.allowsBackgroundTransfers { await Task.yield() }
        let source = try fixture.publish(["index.html": "one"], version: "1")
        let update = try await container.update(from: source, urgency: .whenConvenient)
        #expect(update.outcome == .activated)
        await container.shutDown()
        let host = ChangingConditions(HostConditions(isIdle: false, network: .unknown))
        let other = Fixture()
        let second = try await other.container {
            $0.conditions = host
            $0.unknownNetwork = .unmetered
        }
        #expect(second.configuration.hostConditions.conditions == host.conditions)
        await second.shutDown()
    }
}
