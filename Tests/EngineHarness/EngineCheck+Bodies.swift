// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import LoopbackServer
internal import NIOTransport
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// The body matrix: each kind of body with each sender, as requested by Scripts/body-matrix.
extension EngineCheck {
    /// The parameters of a matrix run.
    private struct MatrixOrder {
        /// The folder of the page's files.
        let site: String
        /// The mode; `plain` is the engine without a container.
        let mode: CheckedMode
        /// The names of the columns, or an empty list for all columns.
        let columns: [String]

        /// Creates the parameters.
        /// - Parameter arguments: The folder of the page, the mode, and columns.
        init(_ arguments: ArraySlice<String>) throws {
            guard arguments.count >= 2, let mode = CheckedMode(rawValue: arguments[arguments.startIndex + 1]) else {
                throw CheckFailure(description: "specify the page's folder and a mode: \(CheckedMode.names)")
            }
            site = arguments[arguments.startIndex]
            self.mode = mode
            columns = Array(arguments.dropFirst(2))
        }
    }

    /// Runs the matrix in one mode and prints the results of the page and the received bodies as JSON.
    @MainActor
    func runBodies(_ engine: WebKitGTKEngine, _ arguments: ArraySlice<String>, in folder: String) async throws {
        let order = try MatrixOrder(arguments)
        let site = try await BodySite.start(folder: order.site)
        let proxy = order.mode.connectsByEngine ? try await reach(site, by: engine) : nil
        let seen =
            if order.mode == .plain {
                try await runPlainBodies(engine, order.columns)
            } else {
                try await runBodies(engine, order.mode, order.columns, of: site, in: folder)
            }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let got = String(decoding: try encoder.encode(site.recorder.bodies), as: UTF8.self)
        let name = String(decoding: try encoder.encode(engine.name), as: UTF8.self)
        let report = "{\"engine\":\(name),\"page\":\(seen),\"server\":\(got)}\n"
        FileHandle.standardOutput.write(Data(report.utf8))
        await proxy?.stop()
        await site.origin.stop()
    }

    /// Starts a proxy that connects the page's host to the server, and makes the engine use it and trust the server.
    @MainActor
    private func reach(_ site: BodySite, by engine: WebKitGTKEngine) async throws -> ForwardProxy {
        let proxy = try await site.proxy()
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy.port))
        try await engine.trust(EngineCertificate(der: site.origin.certificate ?? []), for: BodySite.host)
        return proxy
    }

    /// Runs the matrix in the plain engine.
    @MainActor
    private func runPlainBodies(_ engine: WebKitGTKEngine, _ columns: [String]) async throws -> String {
        let view = try engine.makeView()
        let load = ViewLoad(of: view)
        view.load("https://\(BodySite.host)/")
        try await load.finished(within: .seconds(20))
        let seen = try await matrix(columns, in: view)
        view.discard()
        return seen
    }

    @MainActor
    private func runBodies(
        _ engine: WebKitGTKEngine, _ mode: CheckedMode, _ columns: [String], of site: BodySite,
        in folder: String
    ) async throws -> String {
        let transport = try site.transport()
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = transport
        configuration.views.warmsUpWhenIdle = false
        configuration = mode.configuration(configuration)
        configuration.network.coveredHosts = [HostPattern(BodySite.host)].compactMap(\.self)
        let container = try await Container(engine: engine, configuration: configuration)
        let page = try await open("https://\(BodySite.host)/", in: container)
        let seen = try await matrix(columns, in: page.view)
        await container.close(page)
        await container.shutDown()
        try await transport.base.shutDown()
        return seen
    }

    /// A cell whose form replaces the page of the matrix.
    private struct TopOrder: Decodable {
        var cell: String
        /// The reason to skip the cell.
        var none: String?
        var url: String?
        /// The path of the response.
        var end: String?
    }

    @MainActor
    private func matrix(_ columns: [String], in view: WebKitGTKView) async throws -> String {
        let only = String(decoding: try JSONEncoder().encode(columns), as: UTF8.self)
        let seen = try await view.evaluate("return await runMatrix(\(only))", in: .page)
        let orders = try await view.evaluate("return topOrders(\(only))", in: .page)
        var report = try JSONSerialization.jsonObject(with: Data(seen.utf8)) as? [String: Any] ?? [:]
        var cells = report["cells"] as? [String: Any] ?? [:]
        for order in try JSONDecoder().decode([TopOrder].self, from: Data(orders.utf8)) {
            if let none = order.none {
                cells[order.cell] = ["none": none]
            } else {
                cells[order.cell] = ["page": try await shown(by: order, in: view)]
            }
        }
        report["cells"] = cells
        return String(decoding: try JSONSerialization.data(withJSONObject: report), as: UTF8.self)
    }

    /// Opens the page of a form in place of the current one and returns the text of the response.
    @MainActor
    private func shown(by order: TopOrder, in view: WebKitGTKView) async throws -> String {
        let encoder = JSONEncoder()
        let url = String(decoding: try encoder.encode(order.url), as: UTF8.self)
        let end = String(decoding: try encoder.encode(order.end), as: UTF8.self)
        _ = try? await view.evaluate("location.href = \(url)", in: .page)
        let code = """
            return location.pathname === \(end) && document.readyState === 'complete'
                ? document.documentElement.textContent : null
            """
        let limit = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < limit {
            let text = (try? await view.evaluate(code, in: .page)) ?? "null"
            if let shown = try JSONDecoder().decode(String?.self, from: Data(text.utf8)) { return "shows \(shown)" }
        }
        return "no end within 10 s"
    }
}
