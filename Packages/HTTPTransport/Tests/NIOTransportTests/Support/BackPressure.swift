// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import HTTPTransport
@testable import NIOTransport

/// Expects that a sender stops well before the end while its reader pauses, and continues when the reader continues.
/// - Parameter host: A name that the transport resolves to this machine.
func expectBackPressure(_ configuration: AsyncHTTPTransport.Configuration, host: String) async throws {
    let total = 160 << 20
    // The limit is larger than the largest socket buffers of the system.
    let most = 64 << 20
    try await PouringServer.with(total: total) { server async throws in
        try await withOrigin([try route(.get, "/ping") { _ in .text("pong") }], transport: configuration) {
            origin, transport async throws in
            /// Waits until the number of sent bytes does not grow during thirty other requests, and returns the number.
            func rest() async throws -> Int {
                var before = -1
                while true {
                    let now = server.sent
                    if now == before { return now }
                    before = now
                    for _ in 0..<30 { _ = try await transport.get("http://\(host):\(origin.port)/ping") }
                }
            }
            guard case .stream(let stream) = try await transport.send("http://\(host):\(server.port)/").body else {
                Issue.record("no stream")
                return
            }
            // Without back-pressure the count grows to the total.
            let ahead = try await rest()
            #expect(ahead < most)
            var iterator = stream.makeAsyncIterator()
            var received = 0
            while received < total / 2 {
                guard let data = try await iterator.next() else { break }
                received += data.count
            }
            let later = try await rest() - received
            #expect(later < most)
            while let data = try await iterator.next() { received += data.count }
            #expect(received == total)
        }
    }
}
