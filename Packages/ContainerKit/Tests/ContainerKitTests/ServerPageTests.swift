// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContainerTesting
import Foundation
import LoopbackServer
import Testing
import WebEngine
import WebEngineTesting

/// Pages of the mode `loopbackServer`, without a web engine.
@MainActor
@Suite("Pages in loopbackServer mode", .timeLimit(.minutes(1)))
struct ServerPageTests {
    private let fixture = Fixture()

    init() {
        fixture.engine.traits = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true,
            caches: true, identifiesPage: false, acceptLanguage: nil)
    }

    private func container(
        change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        try await fixture.container(covering: ["a.example", "b.example"]) {
            $0.pages.mode = .loopbackServer
            change(&$0)
        }
    }

    private func port(of page: Page<FakeView>) throws -> Int {
        try #require(page.view.loads.last.flatMap { URLComponents(string: $0)?.port })
    }

    @Test("A covered page opens at a loopback URL, with its real URL in the session; other pages open at real URLs")
    func pages() async throws {
        let container = try await container()
        let page = try await container.open("https://a.example/x?y#z")
        let port = try port(of: page)
        #expect(page.view.loads == ["https://a-example.localhost:\(port)/x?y#z"])
        #expect(page.session.mode == .loopbackServer && page.session.documentURL == "https://a.example/x?y#z")
        page.view.onSignal?(.committed(url: "https://a-example.localhost:\(port)/moved"))
        #expect(container.openPages.first?.documentURL == "https://a.example/moved")
        let other = try await container.open("https://c.example/")
        #expect(other.session.mode == .plain && other.view.loads == ["https://c.example/"])
        #expect(fixture.engine.proxy == nil)
        await container.shutDown()
    }

    @Test("The engine has the token only for the sites of pages, inaccessible to scripts and pages of other sites")
    func token() async throws {
        let container = try await container()
        _ = try await container.open("https://a.example/")
        _ = try await container.open("https://c.example/")
        let cookies = fixture.engine.jar.cookies
        #expect(cookies.map(\.domain) == ["a-example.localhost"])
        #expect(cookies.allSatisfy { $0.isSecure && $0.isHTTPOnly && $0.sameSite == .strict && $0.expires == nil })
        #expect(cookies.allSatisfy { $0.name.hasPrefix("__Host-") && $0.value.utf8.count == 64 })
        await container.shutDown()
    }

    @Test("Cookies that the app removed do not affect the next page")
    func removed() async throws {
        let container = try await container()
        _ = try await container.open("https://a.example/")
        let cookie = try #require(fixture.engine.jar.cookies.first)
        try await fixture.engine.jar.remove(name: cookie.name, domain: cookie.domain, path: cookie.path)
        _ = try await container.open("https://a.example/")
        #expect(fixture.engine.jar.cookies == [cookie])
        await container.shutDown()
    }

    @Test("If the engine does not accept the token, pages fail to open with an error")
    func refused() async throws {
        let container = try await container()
        fixture.engine.jar.failure = EngineError(.cookie, "full")
        await #expect {
            try await container.open("https://a.example/")
        } throws: { error in
            (error as? ContainerError)?.code == .server && "\(error)".contains("full")
        }
        #expect(container.openPages.isEmpty && fixture.engine.views.allSatisfy(\.loads.isEmpty))
        await container.shutDown()
    }

    @Test("A lost token is set once more, and a second loss is an error")
    func lost() async throws {
        let container = try await container()
        fixture.engine.jar.refusals = 1
        _ = try await container.open("https://a.example/")
        #expect(fixture.engine.jar.cookies.count == 1)
        fixture.engine.jar.refusals = 2
        await #expect { try await container.open("https://b.example/") } throws: {
            ($0 as? ContainerError)?.code == .server
        }
        await container.shutDown()
    }

    /// Opens a container and a page, and returns the port. Afterwards the folder is unlocked.
    private func launch(_ body: (Container<FakeEngine>) async throws -> Void = { _ in }) async throws -> Int {
        let container = try await container()
        let port = try port(of: try await container.open("https://a.example/"))
        try await body(container)
        await container.shutDown()
        return port
    }

    @Test("The port is the same in the next launch, and the token differs")
    func nextLaunch() async throws {
        let port = try await launch()
        let token = try #require(fixture.engine.jar.cookies.first?.value)
        #expect(try await launch() == port)
        #expect(fixture.engine.jar.cookies.first?.value != token)
    }

    @Test("An occupied port is reported to the first subscriber, and the next launch tries the preferred port again")
    func taken() async throws {
        let other = Fixture()
        let port = try await launch()
        let taking = try await other.container(covering: ["a.example"]) {
            $0.pages.mode = .loopbackServer
            $0.network.loopback.port = port
        }
        #expect(try self.port(of: try await taking.open("https://a.example/")) == port)
        let fallback = try await launch { container in
            for await event in container.events { if case .loopback(.portTaken(port)) = event { break } }
        }
        #expect(fallback != port)
        await taking.shutDown()
        #expect(try await launch() == port)
    }

    @Test("After a suspension the listener is new, and open pages stay at its port")
    func suspension() async throws {
        let container = try await container()
        let page = try await container.open("https://a.example/")
        let old = try port(of: page)
        try await container.hostWillSuspend()
        try await container.hostResumed()
        let new = try port(of: try await container.open("https://b.example/"))
        // Another process may have taken the port at this moment.
        #expect(page.view.loads.count == (new == old ? 1 : 2))
        await container.shutDown()
    }

    @Test("If the port was taken during a suspension, documents of the server load again at the new port")
    func suspensionWithoutPort() async throws {
        let container = try await container()
        let urls = ["https://a.example/x?y#z", "https://a.example/", "https://b.example/", "https://a.example/post"]
        var pages: [Page<FakeView>] = []
        for url in urls { pages.append(try await container.open(url)) }
        let old = try port(of: pages[0])
        let places = ["https://a-example.localhost:\(old)/moved?y#z", "https://c.example/"]
        for (page, place) in zip(pages, places) { page.view.onSignal?(.committed(url: place)) }
        pages[3].view.isPosted = true
        let counts = pages.map(\.view.loads.count)
        await container.close(pages[2])
        let takeover = try PortTakeover(of: old)
        try await container.hostWillSuspend()
        try await container.hostResumed()
        let new = try port(of: try await container.open("https://b.example/"))
        #expect(new != old)
        #expect(pages[0].view.loads.dropFirst() == ["https://a-example.localhost:\(new)/moved?y#z"])
        for number in [1, 3] { #expect(pages[number].view.loads.count == counts[number]) }
        pages[0].view.onSignal?(.committed(url: "https://a-example.localhost:\(new)/moved?y#z"))
        #expect(container.openPages.first?.documentURL == "https://a.example/moved?y#z")
        await container.shutDown()
        takeover.release()
    }

    @Test("A document that commits at a former port of the server loads again at the next port")
    func lateCommit() async throws {
        let container = try await container()
        let pages = [try await container.open("https://a.example/x"), try await container.open("https://b.example/")]
        let first = try port(of: pages[0])
        var takeovers: [PortTakeover] = []
        func changePort() async throws {
            takeovers.append(try PortTakeover(of: try port(of: pages[0])))
            try await container.hostWillSuspend()
            try await container.hostResumed()
        }
        try await changePort()
        let second = try port(of: pages[0])
        #expect(second != first && pages.allSatisfy { $0.view.loads.count == 2 })
        pages[0].view.onSignal?(.committed(url: "https://a-example.localhost:\(first)/x"))
        pages[1].view.onSignal?(.committed(url: "https://c-example.localhost:\(first)/"))
        try await changePort()
        #expect(pages[0].view.loads.count == 3 && pages[0].view.loads.last?.hasSuffix("/x") == true)
        #expect(try port(of: pages[0]) != second && pages[1].view.loads.count == 2)
        await container.shutDown()
        for takeover in takeovers { takeover.release() }
    }

    @Test(
        "A file without a valid port is ignored", arguments: ["", "80\n", "6667", "70000", "x", "12345678901234567890"])
    func strangeFile(text: String) async throws {
        let folder = URL(filePath: fixture.folder).appending(path: "store")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "server-port")
        try Data(text.utf8).write(to: file)
        let container = try await container()
        let port = try port(of: try await container.open("https://a.example/"))
        #expect((1_024...65_535).contains(port))
        #expect(try String(contentsOf: file, encoding: .utf8) == "\(port)\n")
        await container.shutDown()
    }

    @Test("Resources that the server loads are not reported by the engine as well")
    func resources() async throws {
        let container = try await container()
        let page = try await container.open("https://a.example/")
        let port = try port(of: page)
        var received: [String] = []
        page.load.observe { if case .resource(let resource) = $0 { received.append(resource.url) } }
        for url in ["https://a-example.localhost:\(port)/x", "https://a.example/x", "https://a-example.localhost:1/x"] {
            page.view.onSignal?(.resource(EngineResource(url: url, status: 200, length: 1, failure: nil)))
        }
        #expect(received == ["https://a.example/x", "https://a-example.localhost:1/x"])
        await container.shutDown()
    }

    @Test("While the container is disabled, pages open at their real URLs; afterwards they open at the server again")
    func switched() async throws {
        let container = try await container()
        container.isEnabled = false
        let plain = try await container.open("https://a.example/")
        #expect(plain.session.mode == .plain && plain.view.loads == ["https://a.example/"])
        container.isEnabled = true
        let page = try await container.open("https://a.example/")
        #expect(page.session.mode == .loopbackServer)
        await container.shutDown()
    }

    @Test("Pages of the server share their generations, which plain pages do not have")
    func shared() async throws {
        let container = try await container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        let page = try await container.open("https://shop.example/index.html")
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        let other = try await container.open("https://shop.example/index.html")
        #expect(page.session.generations.count == 1 && other.session.generations == page.session.generations)
        #expect(try await container.open("https://c.example/").session.generations.isEmpty)
        await container.shutDown()
    }
}
