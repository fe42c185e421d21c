// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import HTTPTypes
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

/// A site of one page that leaves all it can in its view, and another that looks for it, in a container of its own.
@MainActor
struct PoolSite {
    /// What the page that looks has seen.
    struct Inspection: Decodable {
        /// Of the earlier page, in this view.
        let found: [String]
        /// Of what belongs to all views.
        let lost: [String]
    }

    static let leaving = "https://shop.example/leave.html"
    static let hasty = "https://shop.example/haste.html"
    static let looking = "https://shop.example/look.html"

    let container: Container<WebKitGTKEngine>

    private static let types = [".js": "text/javascript", ".svg": "image/svg+xml"]

    /// - Parameters:
    ///   - files: the folder with the pages.
    ///   - names: those of the pages.
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
        configuration.network.transport = MemoryTransport { [pages, types = Self.types] request in
            let path = String((request.path ?? "/").prefix { $0 != "?" })
            return .page(
                pages[path] ?? "nothing", type: types.first { path.hasSuffix($0.key) }?.value ?? "text/html")
        }
        configuration.pages.mode = mode
        configuration.network.coveredHosts = ["shop.example", "*.shop.example"].compactMap { HostPattern($0) }
        configuration.views.reuseLimit = reuseLimit
        // The checks count views.
        configuration.views.warmsUpWhenIdle = false
        container = try await Container(engine: engine, configuration: configuration)
    }

    /// Opens the page that leaves, with a host that leaves a script and a handler, and waits until it has.
    func leave() async throws -> Page<WebKitGTKView> {
        let page = try await container.open(Self.leaving, prepare: Self.prepareToLeave)
        try await page.load.finished(within: .seconds(20))
        let failed = try await page.view.evaluate("return await left", in: .page)
        try expect(failed == "[]", "not left: \(failed)")
        return page
    }

    /// Opens the page that looks.
    func look(as expected: String) async throws -> (page: Page<WebKitGTKView>, inspection: Inspection) {
        let page = try await container.open(Self.looking) { try Self.prepareToLook($0, expected) }
        try await page.load.finished(within: .seconds(20))
        return (page, try await Self.inspection(in: page.view))
    }

    /// What pages are to find by `expected`: what a view that was never used says of itself.
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
        let text = try await withLimit(.seconds(20), "the page does not see to the end") {
            try await view.evaluate("return await look()", in: .page)
        }
        return try JSONDecoder().decode(Inspection.self, from: Data(text.utf8))
    }
}
