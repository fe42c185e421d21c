// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import HTTPTransport

@Suite("The line for a host", .timeLimit(.minutes(3)))
struct HostQueueTests {
    /// Enters and tells the order in which it came to be.
    private func enter(_ queue: HostQueue, _ name: Int, _ order: AsyncStream<Int>.Continuation) -> Task<
        HostQueue.Pass, any Error
    > {
        Task {
            let pass = try await queue.enter("h")
            order.yield(name)
            return pass
        }
    }

    @Test("Another host's line does not matter")
    func hosts() async throws {
        let queue = HostQueue(limit: 1)
        let first = try await queue.enter("a")
        let second = try await queue.enter("b")
        first.leave()
        second.leave()
        _ = try await queue.enter("a")
    }

    @Test("Who waits goes on when one leaves, and a place is given up once")
    func leaving() async throws {
        let queue = HostQueue(limit: 1)
        let (order, entered) = AsyncStream<Int>.makeStream()
        var names = order.makeAsyncIterator()
        let first = try await queue.enter("h")
        let second = enter(queue, 2, entered)
        first.leave()
        #expect(await names.next() == 2)
        let third = enter(queue, 3, entered)
        // Already given up: the place of the second is still taken.
        first.leave()
        try await second.value.leave()
        #expect(await names.next() == 3)
        try await third.value.leave()
    }

    @Test("A place goes with its pass")
    func dropping() async throws {
        let queue = HostQueue(limit: 1)
        for _ in 0..<3 { _ = try await queue.enter("h") }
    }

    @Test("One that is cancelled in line leaves it, and the ones behind it move up")
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
        held.leave()
        // The place is free: neither of the two took it, and one that is cancelled takes no free one either.
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await queue.enter("h")
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        try await queue.enter("h").leave()
    }

    @Test("Nobody waits longer than the limit, and those behind move up")
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
        held.leave()
        try await second.value.leave()
    }

    @Test("A full line takes nobody more")
    func fullLine() async throws {
        let clock = ManualClock()
        let queue = HostQueue(limit: 1, longestLine: 0, clock: clock)
        let held = try await queue.enter("h")
        await #expect {
            try await queue.enter("h")
        } throws: {
            ($0 as? ResourceError)?.code == .cannotConnect
        }
        try await queue.enter("other").leave()
        held.leave()
        try await queue.enter("h").leave()
    }

    @Test("No more than the limit go to a host at a time, and all of them get there", arguments: [1, 3])
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

    @Test("Failed and bodiless answers give up their place too")
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

    /// How many go to the host at a time, besides those that are there.
    private func room(of queue: HostQueue) async throws -> Int {
        var passes: [HostQueue.Pass] = []
        do {
            while true { passes.append(try await queue.enter("h")) }
        } catch let error as ResourceError where error.code == .cannotConnect {}
        return passes.count
    }

    @Test("A host that speaks HTTP/2 takes more at a time, and one that no longer does takes fewer")
    func raising() async throws {
        let queue = HostQueue(limit: 2, longestLine: 0)
        let pass = try await queue.enter("h")
        #expect(try await room(of: queue) == 1)
        pass.recordShared()
        #expect(try await room(of: queue) == 99)
        pass.recordSingle()
        #expect(try await room(of: queue) == 1)
    }

    @Test("Who waits goes on when there is more space")
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
        for task in waiting { try await task.value.leave() }
        first.leave()
    }

    @Test("A host that was full is given as many as found space, and then one more with each answer")
    func full() async throws {
        let queue = HostQueue(limit: 6, longestLine: 0)
        let passes = [try await queue.enter("h"), try await queue.enter("h"), try await queue.enter("h")]
        passes[0].recordShared()
        // Nobody is under way: a line would have no end.
        #expect(!queue.recordFull("h"))
        passes[0].begin()
        passes[1].begin()
        #expect(queue.recordFull("h"))
        passes[2].leave()
        #expect(try await room(of: queue) == 0)
        passes[0].recordShared()
        #expect(try await room(of: queue) == 1)
        passes[0].leave()
        #expect(try await room(of: queue) == 2)
        for _ in 0..<200 { passes[1].recordShared() }
        #expect(try await room(of: queue) == 99)
    }

    @Test("A network that stalls does not close a host to all but those under way")
    func stalled() async throws {
        let queue = HostQueue(limit: 6, longestLine: 0)
        let endless = try await queue.enter("h")
        endless.begin()
        let second = try await queue.enter("h")
        #expect(!queue.recordFull("h"))
        second.leave()
        #expect(try await room(of: queue) == 5)
    }

    @Test("Where the limit was lowered and those under way do not end, one more is tried from time to time")
    func trial() async throws {
        let clock = ManualClock()
        let queue = HostQueue(limit: 6, clock: clock)
        let endless = try await queue.enter("h")
        endless.recordShared()
        endless.begin()
        let second = try await queue.enter("h")
        #expect(queue.recordFull("h"))
        second.leave()
        let waiting = Task { try await queue.enter("h") }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(10))
        let third = try await waiting.value
        third.leave()
        endless.leave()
    }
}
