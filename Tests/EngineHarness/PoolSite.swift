// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import HTTPTypes
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

/// A site in a container with two pages: one leaves as much state as possible in its view, and one looks for that
/// state.
@MainActor
struct PoolSite {
    /// The result of the page that looks for state.
    struct Inspection: Decodable {
        /// The state of the earlier page found in this view.
        let found: [String]
        /// The state that all views must have and this view lacks.
        let lost: [String]
    }

    static let leaving = "https://shop.example/leave.html"
    static let hasty = "https://shop.example/haste.html"
    static let looking = "https://shop.example/look.html"

    let container: Container<WebKitGTKEngine>

    private static let types = [".js": "text/javascript", ".svg": "image/svg+xml"]

    /// Creates the site.
    /// - Parameters:
    ///   - files: The folder of the pages.
    ///   - names: The file names of the pages.
    init(
        _ engine: WebKitGTKEngine, _ mode: InterceptionMode, files: String,
        names: [String] = ["leave.html", "leave.js", "look.html", "look.js", "frame.html"], in folder: String,
        reuseLimit: Int = 50
    ) async throws {
        var pages: [String: String] = [:]
        for name in names {
            pages["/" + name] = try String(contentsOfFile: "\(files)/\(name)", encoding: .utf8)
        }
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = MemoryTransport { [pages, types = Self.types] request in
            let path = String((request.path ?? "/").prefix { $0 != "?" })
            return .page(
                pages[path] ?? "nothing", type: types.first { path.hasSuffix($0.key) }?.value ?? "text/html")
        }
        configuration.pages.mode = mode
        configuration.network.coveredHosts = ["shop.example", "*.shop.example"].compactMap { HostPattern($0) }
        configuration.views.reuseLimit = reuseLimit
        // The checks count views, so the pool must not create views when the app is idle.
        configuration.views.warmsUpWhenIdle = false
        container = try await Container(engine: engine, configuration: configuration)
    }

    /// Opens the page that leaves state, adds a script and a handler of the host, and waits until it is done.
    func leave() async throws -> Page<WebKitGTKView> {
        let page = try await container.open(Self.leaving, prepare: Self.prepareToLeave)
        try await page.load.finished(within: .seconds(20))
        let failed = try await page.view.evaluate("return await left", in: .page)
        try expect(failed == "[]", "not left: \(failed)")
        return page
    }

    /// Opens the page that looks for state.
    func look(as expected: String) async throws -> (page: Page<WebKitGTKView>, inspection: Inspection) {
        let page = try await container.open(Self.looking) { try Self.prepareToLook($0, expected) }
        try await page.load.finished(within: .seconds(20))
        return (page, try await Self.inspection(in: page.view))
    }

    /// Returns the values of a view that was never used, for `expected`.
    func expectation() async throws -> String {
        let page = try await container.open(Self.looking) { try Self.prepareToLook($0, "{}") }
        try await page.load.finished(within: .seconds(20))
        let text = try await page.view.evaluate(
            "return { ratio: devicePixelRatio, width: innerWidth, userAgent: navigator.userAgent }", in: .page)
        await container.close(page)
        return text
    }

    static func prepareToLeave(_ view: WebKitGTKView) throws {
        view.add(UserScript("globalThis.hostLeft = 1", at: .documentStart))
        try view.setMessageHandler(named: "hostLeft", in: .page) { _ in "1" }
    }

    static func prepareToLook(_ view: WebKitGTKView, _ expected: String) throws {
        view.add(UserScript("globalThis.hostOwn = 1; globalThis.expected = \(expected)", at: .documentStart))
        try view.setMessageHandler(named: "hostOwn", in: .page) { _ in "2" }
    }

    static func inspection(in view: WebKitGTKView) async throws -> Inspection {
        let text = try await withLimit(.seconds(20), "the page did not finish its inspection") {
            try await view.evaluate("return await look()", in: .page)
        }
        return try JSONDecoder().decode(Inspection.self, from: Data(text.utf8))
    }
}
