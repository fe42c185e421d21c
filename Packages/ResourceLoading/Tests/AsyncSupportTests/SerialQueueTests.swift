// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Testing

@MainActor
@Suite("Serial queues, time limits and stopwatches", .timeLimit(.minutes(1)))
struct SerialQueueTests {
    private enum Failure: Error { case refused, late }

    private final class Log: Sendable {
        let entries = Mutex<[Int]>([])
        /// The number of jobs of tasks that are running.
        let running = Mutex(0)
        func add(_ number: Int) { entries.withLock { $0.append(number) } }
        var all: [Int] { entries.withLock { $0 } }
    }

    @Test("The error of a job keeps its type, and captured objects are released when the job ends")
    func errors() async {
        let queue = SerialQueue("test", priority: .userInitiated)
        await #expect(throws: Failure.refused) {
            try await queue.run { () throws(Failure) in throw .refused }
        }
        weak var captured: Log?
        do {
            let log = Log()
            captured = log
            await queue.run { log.add(1) }
        }
        #expect(captured == nil)
    }

    @Test("Blocking calls and enqueued jobs run in order")
    func blocking() async {
        let (queue, log) = (SerialQueue("test"), Log())
        queue.enqueue { log.add(1) }
        #expect(queue.runBlocking { log.all } == [1])
    }

    @Test("A delayed job runs after jobs that are added in the meantime")
    func delay() async {
        let (queue, log) = (SerialQueue("test"), Log())
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        queue.enqueue(after: .milliseconds(200)) {
            log.add(2)
            end.finish()
        }
        queue.enqueue { log.add(1) }
        for await _ in ends {}
        #expect(log.all == [1, 2])
        await withCheckedContinuation { done in queue.enqueue(after: .seconds(-1)) { done.resume() } }
    }

    @Test("Tasks that prefer the queue run on it, one job at a time")
    func executor() async {
        guard #available(iOS 18, macOS 15, *) else { return }
        let (queue, log) = (SerialQueue("test"), Log())
        await queue.withPreference {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let others = log.running.withLock { running in
                            defer { running += 1 }
                            return running
                        }
                        #expect(others == 0)
                        log.add(number)
                        log.running.withLock { $0 -= 1 }
                        await Task.yield()
                        #expect(log.running.withLock { $0 } == 0)
                    }
                }
            }
        }
        #expect(log.all.sorted() == Array(0..<100))
        // The task retains its queue.
        #expect(await Task(executorPreference: SerialQueue("test")) { 1 }.value == 1)
    }

    @Test("Work that exceeds the limit is cancelled, and the error of the limit is thrown")
    func limit() async throws {
        let log = Log()
        await #expect(throws: Failure.late) {
            try await withTimeLimit(.milliseconds(1)) {
                Failure.late
            } _: {
                for await _ in AsyncStream<Never>.makeStream().stream {}
                log.add(Task.isCancelled ? 1 : 0)
            }
        }
        #expect(log.all == [1])
        #expect(try await withTimeLimit(.seconds(60), otherwise: { Failure.late }, { 7 }) == 7)
        await #expect(throws: Failure.refused) {
            try await withTimeLimit(.seconds(60), otherwise: { Failure.late }, { throw Failure.refused })
        }
    }

    @Test("Cancelling the caller cancels the work")
    func cancellation() async {
        let work = Task {
            try await withTimeLimit(.seconds(60)) {
                Failure.late
            } _: {
                for await _ in AsyncStream<Never>.makeStream().stream {}
                try Task.checkCancellation()
            }
        }
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test("A bounded wait for a task ends at the limit and does not cancel the task")
    func boundedWait() async {
        let (stream, end) = AsyncStream<Void>.makeStream()
        let endless = Task {
            for await _ in stream {}
            return Task.isCancelled
        }
        let clock = SleepClock()
        #expect(await endless.value(within: .seconds(5), clock: clock) == nil)
        #expect(clock.lengths == [.seconds(5)])
        let waiting = Task { await endless.value(within: .seconds(60)) }
        waiting.cancel()
        #expect(await waiting.value == nil)
        end.finish()
        #expect(await endless.value == false)
        #expect(await endless.value(within: .seconds(60)) == false)
    }

    @Test("A stopwatch measures the time of any clock")
    func stopwatch() {
        let clock: any Clock<Duration> = ContinuousClock()
        let stopwatch = Stopwatch(clock)
        let first = stopwatch.elapsed
        #expect(first >= .zero && stopwatch.elapsed >= first)
    }
}
