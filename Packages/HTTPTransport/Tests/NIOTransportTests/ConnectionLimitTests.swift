// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTypes
import NIOTransport
import Testing

@Suite("The limit of connections to a host", .timeLimit(.minutes(3)))
struct ConnectionLimitTests {
    @Test("At most the limit of requests run concurrently, and all of them succeed", arguments: [1, 3])
    func limit(limit: Int) async throws {
        let running = Mutex((now: 0, most: 0))
        let route = try route(.get, "/*") { request in
            running.withLock { running in
                running.now += 1
                running.most = max(running.most, running.now)
            }
            await Task.yield()
            running.withLock { $0.now -= 1 }
            return .text(request.path)
        }
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.connectionsPerHost = limit
        try await withOrigin([route], transport: configuration) { origin, transport async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask { () async throws in
                        #expect(try await transport.get(origin.url + "/\(number)") == Data("/\(number)".utf8))
                    }
                }
                try await group.waitForAll()
            }
            #expect(origin.requestCount == 60 && origin.connectionCount <= limit)
        }
        #expect(running.withLock { $0.most } <= limit)
    }

    @Test("Failed responses and responses without a body release their passes")
    func failures() async throws {
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.connectionsPerHost = 1
        let route = try route(.get, "/*") { _ in OriginResponse(body: .bytes(Data(count: 100_000))) }
        try await withOrigin(
            [route], faults: "reset:/reset,reset=10:/later,status=204:/empty", transport: configuration
        ) {
            origin, transport async throws in
            for path in ["/reset", "/later", "/empty", "/unread"] {
                if path == "/unread" {
                    _ = try await transport.send(origin.url + path)
                } else {
                    _ = try? await transport.get(origin.url + path)
                }
                _ = try await transport.send(origin.url + "/", .head)
            }
            #expect(try await transport.get(origin.url + "/").count == 100_000)
        }
    }
}
