// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ResourceLoading
import Testing

@testable import HTTPTransport

@Suite("HostQueue", .timeLimit(.minutes(3)))
struct HostQueueTests {
    /// Enters the queue, and yields `name` when it is admitted.
    private func enter(_ queue: HostQueue, _ name: Int, _ order: AsyncStream<Int>.Continuation) -> Task<
        HostQueue.Pass, any Error
    > {
        Task {
            let pass = try await queue.enter("h")
            order.yield(name)
            return pass
        }
    }

    @Test("Requests to different hosts wait independently")
    func hosts() async throws {
        let queue = HostQueue(limit: 1)
        let first = try await queue.enter("a")
        let second = try await queue.enter("b")
        first.release()
        second.release()
        _ = try await queue.enter("a")
    }

    @Test("A waiting request is admitted when another ends, and releasing a pass twice has no effect")
    func release() async throws {
        let queue = HostQueue(limit: 1)
        let (order, entered) = AsyncStream<Int>.makeStream()
        var names = order.makeAsyncIterator()
        let first = try await queue.enter("h")
        let second = enter(queue, 2, entered)
        first.release()
        #expect(await names.next() == 2)
        let third = enter(queue, 3, entered)
        // The pass is already released, so the second release does not affect the second request.
        first.release()
        try await second.value.release()
        #expect(await names.next() == 3)
        try await third.value.release()
    }

    @Test("Releasing a pass ends its admission")
    func dropping() async throws {
        let queue = HostQueue(limit: 1)
        for _ in 0..<3 { _ = try await queue.enter("h") }
    }

    @Test("A cancelled request is removed from the queue, and the requests after it advance")
    func cancelling() async throws {
        let queue = HostQueue(limit: 1)
        let held = try await queue.enter("h")
        let waiting = Task { try await queue.enter("h") }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await queue.enter("h")
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        held.release()
        // The cancelled requests use no capacity. A cancelled task is not admitted although capacity is free.
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await queue.enter("h")
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        try await queue.enter("h").release()
    }

    @Test("A request that waits longer than the limit fails, and the requests after it advance")
    func timingOut() async throws {
        let clock = ManualClock()
        let queue = HostQueue(limit: 1, longestWait: .seconds(60), clock: clock)
        let held = try await queue.enter("h")
        let first = Task { try await queue.enter("h") }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(30))
        let second = Task { try await queue.enter("h") }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(30))
        await #expect {
            try await first.value
        } throws: {
            ($0 as? ResourceError)?.code == .timedOut
        }
        held.release()
        try await second.value.release()
    }

    @Test("A full queue rejects further requests")
    func fullLine() async throws {
        let clock = ManualClock()
        let queue = HostQueue(limit: 1, longestLine: 0, clock: clock)
        let held = try await queue.enter("h")
        await #expect {
            try await queue.enter("h")
        } throws: {
            ($0 as? ResourceError)?.code == .cannotConnect
        }
        try await queue.enter("other").release()
        held.release()
        try await queue.enter("h").release()
    }

    /// Returns the number of requests that are admitted in addition to the current requests.
    private func room(of queue: HostQueue) async throws -> Int {
        var passes: [HostQueue.Pass] = []
        do {
            while true { passes.append(try await queue.enter("h")) }
        } catch let error as ResourceError where error.code == .cannotConnect {}
        return passes.count
    }

    @Test("The limit is raised for a host that uses HTTP/2, and restored when it no longer does")
    func raising() async throws {
        let queue = HostQueue(limit: 2, longestLine: 0)
        let pass = try await queue.enter("h")
        #expect(try await room(of: queue) == 1)
        pass.recordShared()
        #expect(try await room(of: queue) == 99)
        pass.recordSingle()
        #expect(try await room(of: queue) == 1)
    }

    @Test("Waiting requests are admitted when the limit is raised")
    func waking() async throws {
        let queue = HostQueue(limit: 1)
        let first = try await queue.enter("h")
        let (order, entered) = AsyncStream<Int>.makeStream()
        let waiting = [enter(queue, 1, entered), enter(queue, 2, entered)]
        first.recordShared()
        var names: Set<Int> = []
        for await name in order {
            names.insert(name)
            if names.count == 2 { break }
        }
        #expect(names == [1, 2])
        for task in waiting { try await task.value.release() }
        first.release()
    }

    @Test("The limit of a full host falls to the number of running requests, then grows by one with each response")
    func full() async throws {
        let queue = HostQueue(limit: 6, longestLine: 0)
        let passes = [try await queue.enter("h"), try await queue.enter("h"), try await queue.enter("h")]
        passes[0].recordShared()
        // Without a running request, a waiting request would wait forever.
        #expect(!queue.recordFull("h"))
        passes[0].begin()
        passes[1].begin()
        #expect(queue.recordFull("h"))
        passes[2].release()
        #expect(try await room(of: queue) == 0)
        passes[0].recordShared()
        #expect(try await room(of: queue) == 1)
        passes[0].release()
        #expect(try await room(of: queue) == 2)
        for _ in 0..<200 { passes[1].recordShared() }
        #expect(try await room(of: queue) == 99)
    }

    @Test("A slow network does not lower the limit of a host")
    func stalled() async throws {
        let queue = HostQueue(limit: 6, longestLine: 0)
        let endless = try await queue.enter("h")
        endless.begin()
        let second = try await queue.enter("h")
        #expect(!queue.recordFull("h"))
        second.release()
        #expect(try await room(of: queue) == 5)
    }

    @Test("A lowered limit is raised by one at intervals while the running requests do not end")
    func trial() async throws {
        let clock = ManualClock()
        let queue = HostQueue(limit: 6, clock: clock)
        let endless = try await queue.enter("h")
        endless.recordShared()
        endless.begin()
        let second = try await queue.enter("h")
        #expect(queue.recordFull("h"))
        second.release()
        let waiting = Task { try await queue.enter("h") }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(10))
        let third = try await waiting.value
        third.release()
        endless.release()
    }
}
