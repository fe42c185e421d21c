// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import Foundation
internal import LoopbackServer
internal import SchemeRouter
internal import WebKitGTKAdapter

// Pages of the local server, with a network in memory.
extension EngineCheck {
    /// Checks that a page gets no response of another site, although the engine also has the token for that site. Both
    /// sites must not share cookies.
    @MainActor
    func checkServerSites(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let container = try await container(engine, in: folder)
        var asked: [String] = []
        var refusals: [String] = []
        container.observe { event in
            switch event {
            case .request(let record): asked.append(record.url)
            case .loopback(.refused(let reason)): refusals.append("\(reason)")
            default: break
            }
        }
        let one = try await open("https://one.example/", in: container)
        let two = try await open("https://two.example/", in: container)
        let place = try await two.view.evaluate("return location.href", in: .page)
        let seen = try await one.view.evaluate(
            """
            document.cookie = 'mine=1';
            document.cookie = 'all=1; Domain=localhost';
            document.cookie = 'two=1; Domain=two-example.localhost';
            const script = document.createElement('script');
            const isRun = new Promise(done => { script.onload = () => done(true); script.onerror = () => done(false) });
            script.src = \(place);
            document.head.append(script);
            const ways = [{}, { mode: 'no-cors', credentials: 'include' }, { method: 'POST', body: 'x' }];
            const answers = await Promise.all(ways.map(way => fetch(\(place), way).then(
                answer => answer.type, error => error.name)));
            return [document.cookie, await isRun, ...answers].join(' ');
            """, in: .page)
        try expect(seen == "\"mine=1 false TypeError opaque TypeError\"", "the first site: \(seen)")
        let others = try await two.view.evaluate("return document.cookie", in: .page)
        try expect(others == "\"\"", "cookies at the second site: \(others)")
        await container.shutDown()
        try expect(asked.sorted() == ["https://one.example/", "https://two.example/"], "asked: \(asked)")
        try expect(refusals.count == 4, "refusals: \(refusals)")
    }

    /// Checks that stored data of a page exists in the next launch, because its origin is the same.
    /// - Parameter expected: The number of launches including this one.
    @MainActor
    func checkServerLaunch(_ expected: String, in folder: String) async throws {
        var settings = WebKitGTKEngine.Configuration()
        settings.storage = .directory(path: folder + "/engine")
        let container = try await container(WebKitGTKEngine(settings), in: folder)
        let page = try await open("https://one.example/", in: container)
        let launches = try await page.view.evaluate(
            "return localStorage.launches = +(localStorage.launches ?? 0) + 1", in: .page)
        try expect(launches == expected, "launches: \(launches)")
        // The engine writes the data with a delay.
        await container.close(page)
        await container.shutDown()
    }

    @MainActor
    private func container(
        _ engine: WebKitGTKEngine, in folder: String
    ) async throws -> Container<WebKitGTKEngine> {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = MemoryTransport { _ in .page("<title>page</title>") }
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = .loopbackServer
        configuration.network.coveredHosts = ["one.example", "two.example"].compactMap { HostPattern($0) }
        return try await Container(engine: engine, configuration: configuration)
    }
}
