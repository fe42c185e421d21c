// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import NIOTransport
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// Cookies of pages in custom-scheme mode.
extension EngineCheck {
    /// The differences in which the container follows RFC 6265bis and the engine does not. A script cannot change an
    /// `HttpOnly` cookie or set an insecure `__Secure-` cookie, and non-ASCII characters are preserved.
    private static let known = ["beyond the engine": "letters=ü"]

    /// Checks that a page and its servers see the same cookies as in the plain engine.
    /// - Parameter arguments: The folder of the page's script.
    @MainActor
    func checkPageCookies(_ engine: WebKitGTKEngine, _ arguments: ArraySlice<String>, in folder: String) async throws {
        guard let site = arguments.first else { throw CheckFailure(description: "specify the page's folder") }
        let origin = try await CookieSite.start(folder: site)
        let plain = try await plainCookies(engine, origin)
        let scheme = try await schemeCookies(WebKitGTKEngine(), origin, in: folder)
        await origin.stop()
        try expect(plain.count > 25, "cases: \(plain.keys)")
        let differing = plain.keys.sorted().filter { plain[$0] != scheme[$0] && Self.known[$0] == nil }
        for (name, seen) in Self.known {
            try expect(scheme[name] == seen && plain[name] != seen, "\(name): \(scheme[name] ?? "-")")
        }
        let report = differing.map { "\($0):\n  plain: \(plain[$0] ?? "-")\n  scheme: \(scheme[$0] ?? "-")" }
        try expect(differing.isEmpty, "\(differing.count) differ:\n" + report.joined(separator: "\n"))
    }

    @MainActor
    private func plainCookies(_ engine: WebKitGTKEngine, _ origin: OriginServer) async throws -> [String: String] {
        let proxy = try await ForwardProxy.leading(to: origin)
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy.port))
        for host in CookieSite.hosts {
            try await engine.trust(EngineCertificate(der: origin.certificate ?? []), for: host)
        }
        let view = try engine.makeView()
        let load = ViewLoad(of: view)
        view.load(CookieSite.page)
        try await load.finished(within: .seconds(20))
        let seen = try await cookies(in: view)
        view.discard()
        await proxy.stop()
        return seen
    }

    @MainActor
    private func schemeCookies(
        _ engine: WebKitGTKEngine, _ origin: OriginServer, in folder: String
    ) async throws -> [String: String] {
        let transport = try AddressedTransport(to: origin)
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = transport
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = .customScheme
        configuration.network.coveredHosts = CookieSite.hosts.compactMap { HostPattern($0) }
        let container = try await Container(engine: engine, configuration: configuration)
        let page = try await open(CookieSite.page, in: container)
        let seen = try await cookies(in: page.view)
        await container.close(page)
        await container.shutDown()
        try await transport.base.shutDown()
        return seen
    }

    @MainActor
    private func cookies(in view: WebKitGTKView) async throws -> [String: String] {
        let seen = try await view.evaluate("return await runCookies()", in: .page)
        return try JSONDecoder().decode([String: String].self, from: Data(seen.utf8))
    }
}
