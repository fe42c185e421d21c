// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import HTTPTransport

@Suite("Line at a host", .timeLimit(.minutes(1)))
struct HostQueueTests {
    @Test("So many are admitted; the next one goes when a place is left, and once only")
    func order() async throws {
        let queue = HostQueue(limit: 1)
        let first = try await queue.enter("h")
        let (entries, entry) = AsyncStream<Int>.makeStream()
        let second = Task {
            let pass = try await queue.enter("h")
            entry.yield(2)
            return pass
        }
        let other = try await queue.enter("other")
        other.leave()
        first.leave()
        first.leave()
        let pass = try await second.value
        let third = Task {
            _ = try await queue.enter("h")
            entry.yield(3)
            entry.finish()
        }
        pass.leave()
        try await third.value
        #expect(await entries.reduce(into: []) { $0.append($1) } == [2, 3])
    }

    @Test("Who is cancelled in line leaves it, and takes no place")
    func cancellation() async throws {
        let queue = HostQueue(limit: 1)
        let first = try await queue.enter("h")
        let second = Task { try await queue.enter("h") }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        first.leave()
        _ = try await queue.enter("h")
    }

    @Test("A raised limit admits those in line")
    func raisedLimit() async throws {
        let queue = HostQueue(limit: 1)
        let first = try await queue.enter("h")
        let second = Task { try await queue.enter("h") }
        queue.raiseLimit(of: "h", to: 2)
        _ = try await second.value
        first.leave()
    }
}
