// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore

@testable import LoopbackServer

/// A local server with a loader, and clients for it.
struct SiteFixture: Sendable {
    static let name = "shop-test.localhost"
    let server: LocalServer
    let loader: RecordingLoader
    let witness: Witness

    /// Runs `body` with a server that serves `https://shop.test`, and stops the server afterwards, also if `body`
    /// throws.
    static func with<Result: Sendable>(
        _ loader: RecordingLoader, port: Int = 0, trusting: Trusting = Trusting(),
        change: (inout LocalServer.Configuration) throws -> Void = { _ in },
        _ body: @Sendable (SiteFixture) async throws -> Result
    ) async throws -> Result {
        let witness = Witness()
        var configuration = LocalServer.Configuration(
            loader: loader, completing: HostListPolicy(), trusting: trusting, port: port)
        configuration.observer = witness
        configuration.limits.grace = .milliseconds(100)
        // The test must not depend on the load of the machine.
        configuration.limits.introduction = .seconds(60)
        try change(&configuration)
        let server = try await LocalServer.start(configuration)
        if let site = LocalSite(url: "https://shop.test/") { server.serve(site) }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(SiteFixture(server: server, loader: loader, witness: witness)))
        } catch {
            result = .failure(error)
        }
        await server.stop()
        return try result.get()
    }

    /// Returns a new connection.
    func connect() async throws -> Peer {
        try await Peer.connect(to: port)
    }

    var port: Int {
        get throws {
            guard let port = server.port else { throw Overdue(description: "the server does not listen") }
            return port
        }
    }

    /// Returns a TLS connection to a site.
    func open(_ name: String = Self.name) async throws -> Peer {
        let peer = try await connect()
        try await peer.secure(name, trusting: server.authority)
        return peer
    }

    /// The `Cookie` field with the token.
    var cookie: String { "Cookie: \(AccessToken.name)=\(server.token.value)\r\n" }

    func get(_ path: String, from peer: Peer, fields: String? = nil) async throws -> Answer {
        try await peer.get(path, host: "\(Self.name):\(port)", fields ?? cookie)
    }
}
