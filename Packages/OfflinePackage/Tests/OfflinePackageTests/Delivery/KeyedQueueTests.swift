// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Testing

@testable import OfflinePackage

@Suite("Queue of downloads", .timeLimit(.minutes(1)))
struct KeyedQueueTests {
    /// The recorded events of jobs, in order.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func record(_ line: String) { lines.withLock { $0.append(line) } }

        func has(_ line: String) async throws {
            while !all.contains(line) { try await KeyedQueueTests.turn() }
        }
    }

    private let log = Log()

    private static func turn() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    private func waiting(_ count: Int, in queue: KeyedQueue) async throws {
        while queue.waiting != count { try await Self.turn() }
    }

    /// Returns a job that rests until `signal` ends.
    private func resting(_ key: String, in queues: [KeyedQueue], until signal: AsyncStream<Void>) -> Task<
        Void, any Error
    > {
        Task { [log] in
            func enter(_ rest: ArraySlice<KeyedQueue>) async throws {
                guard let queue = rest.first else {
                    log.record("\(key) rests")
                    try await KeyedQueue.resting { for await _ in signal {} }
                    return log.record("\(key) is back")
                }
                try await queue.run(key) { try await enter(rest.dropFirst()) }
            }
            try await enter(queues[...])
        }
    }

    @Test("A resting job releases its slot in every queue and resumes before jobs that have not run")
    func rest() async throws {
        let outer = KeyedQueue(maxConcurrent: 1, maxWaiting: 4)
        let inner = KeyedQueue(maxConcurrent: 1, maxWaiting: 4)
        let (signal, wake) = AsyncStream.makeStream(of: Void.self)
        let (work, done) = AsyncStream.makeStream(of: Void.self)
        let first = resting("a", in: [outer, inner], until: signal)
        try await log.has("a rests")
        let second = Task { [log] in
            try await outer.run("b") {
                try await inner.run("b") {
                    log.record("b runs")
                    for await _ in work {}
                }
            }
        }
        try await log.has("b runs")
        let third = Task { [log] in try await outer.run("c") { log.record("c runs") } }
        try await waiting(1, in: outer)
        wake.finish()
        try await waiting(2, in: outer)
        #expect(log.all == ["a rests", "b runs"])
        done.finish()
        for task in [first, second, third] { try await task.value }
        #expect(log.all == ["a rests", "b runs", "a is back", "c runs"])
    }

    @Test("A resting job keeps its key")
    func key() async throws {
        let queue = KeyedQueue(maxConcurrent: 2, maxWaiting: 4)
        let (signal, wake) = AsyncStream.makeStream(of: Void.self)
        let first = resting("a", in: [queue], until: signal)
        try await log.has("a rests")
        let second = Task { [log] in try await queue.run("a") { log.record("the next a") } }
        try await waiting(1, in: queue)
        try await queue.run("b") { #expect(queue.waiting == 1) }
        wake.finish()
        for task in [first, second] { try await task.value }
        #expect(log.all == ["a rests", "a is back", "the next a"])
    }

    @Test(
        "A job that is cancelled while it rests or waits to resume leaves no state in the queue",
        arguments: [false, true])
    func cancellation(_ isBack: Bool) async throws {
        let queue = KeyedQueue(maxConcurrent: 1, maxWaiting: 4)
        let (signal, wake) = AsyncStream.makeStream(of: Void.self)
        let first = resting("a", in: [queue], until: signal)
        try await log.has("a rests")
        try await queue.run("b") {
            if isBack {
                wake.finish()
                try await waiting(1, in: queue)
            }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            #expect(queue.waiting == 0)
        }
        try await queue.run("a") { log.record("the next a") }
        try await queue.run("c") { log.record("c") }
        #expect(log.all == ["a rests", "the next a", "c"])
    }
}
