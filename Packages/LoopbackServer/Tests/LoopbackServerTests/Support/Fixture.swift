// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import NIOCore
import NIOPosix
import ResourceLoading
import WebSyntax

@testable import LoopbackServer

/// A proxy with a loader, and clients for it.
struct Fixture: Sendable {
    let proxy: InterceptingProxy
    let loader: RecordingLoader
    let witness: Witness

    /// Runs `body` with a proxy, and stops the proxy afterwards, also if `body` throws.
    static func with<Result: Sendable>(
        _ loader: RecordingLoader, change: (inout InterceptingProxy.Configuration) throws -> Void = { _ in },
        _ body: @Sendable (Fixture) async throws -> Result
    ) async throws -> Result {
        let witness = Witness()
        var configuration = InterceptingProxy.Configuration(
            loader: loader, policy: HostListPolicy(), trusting: Trusting())
        configuration.observer = witness
        configuration.limits.grace = .milliseconds(100)
        // The test must not depend on the load of the machine.
        configuration.limits.introduction = .seconds(60)
        try change(&configuration)
        let proxy = try await InterceptingProxy.start(configuration)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(Fixture(proxy: proxy, loader: loader, witness: witness)))
        } catch {
            result = .failure(error)
        }
        await proxy.stop()
        return try result.get()
    }

    /// The header field with the credentials.
    var field: String {
        let text = "\(proxy.credentials.username):\(proxy.credentials.password)"
        return "Proxy-Authorization: Basic \(Data(text.utf8).base64EncodedString())\r\n"
    }

    /// Returns a new connection.
    func connect() async throws -> Peer {
        guard let port = proxy.port else { throw Overdue(description: "the proxy does not listen") }
        return try await Peer.connect(to: port)
    }

    /// Sends CONNECT with credentials, and returns the connection and the response.
    func sendRequest(for target: String) async throws -> (peer: Peer, answer: Answer) {
        let peer = try await connect()
        try await peer.send("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\(field)\r\n")
        return (peer, try await peer.answerHead())
    }

    /// Returns a tunnel to a host.
    func tunnel(to target: String) async throws -> Peer {
        let (peer, answer) = try await sendRequest(for: target)
        guard answer.status == 200 else { throw Overdue(description: "\(answer)") }
        return peer
    }

    /// Returns a TLS connection to an intercepted host.
    func open(_ host: String = "shop.test", port: Int = 443) async throws -> Peer {
        let peer = try await tunnel(to: "\(host):\(port)")
        try await peer.secure(host, trusting: proxy.authority)
        return peer
    }
}

extension Fixture {
    /// Waits until each event loop has processed its pending tasks.
    static func turn() async throws {
        for eventLoop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            try await eventLoop.submit {}.get()
        }
        await Task.yield()
    }
}
