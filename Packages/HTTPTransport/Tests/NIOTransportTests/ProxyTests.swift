// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import NIOTransport
import ResourceLoading
import Testing
import WebSyntax

@Suite("Requests through a proxy", .timeLimit(.minutes(3)))
struct ProxyTests {
    private func withProxy<Result: Sendable>(
        _ body: @Sendable (ForwardProxy, AsyncHTTPTransport.Configuration) async throws -> Result
    ) async throws -> Result {
        let proxy = try await ForwardProxy.start()
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.proxy = HostPort(host: "127.0.0.1", port: proxy.port)
        do {
            let result = try await body(proxy, configuration)
            await proxy.stop()
            return result
        } catch {
            await proxy.stop()
            throw error
        }
    }

    @Test("All requests use the proxy")
    func requests() async throws {
        try await withProxy { proxy, configuration async throws in
            let route = try route(.get, "/*") { .text($0.path) }
            try await withOrigin([route], transport: configuration) { origin, transport async throws in
                for path in ["/a", "/b"] {
                    #expect(try await transport.get(origin.url + path) == Data(path.utf8))
                }
                #expect(proxy.connections == 1 && origin.connectionCount == 1)
                // There are more requests than connections. Each connection has its own tunnel.
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<50 {
                        group.addTask {
                            try await transport.get(origin.url + "/\(number)") == Data("/\(number)".utf8)
                        }
                    }
                    for try await isRight in group { #expect(isRight) }
                }
                #expect(origin.connectionCount <= 6 && proxy.connections <= 6)
            }
        }
    }

    @Test("A host that the proxy cannot reach fails with cannotConnect")
    func unreachable() async throws {
        try await withProxy { _, configuration async throws in
            try await withTransport(configuration) { transport async in
                await expectFailure(.cannotConnect) { try await transport.get("http://127.0.0.1:1/") }
            }
        }
    }

    @Test("Requests fail without their proxy and do not bypass it")
    func gone() async throws {
        let route = try route(.get, "/*") { _ in .text("") }
        let port = try RefusingPort()
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.proxy = HostPort(host: "127.0.0.1", port: port.number)
        try await withOrigin([route], transport: configuration) { origin, transport async in
            await expectFailure(.cannotConnect) { try await transport.get(origin.url + "/") }
            #expect(origin.requestCount == 0)
        }
        withExtendedLifetime(port) {}
    }
}
