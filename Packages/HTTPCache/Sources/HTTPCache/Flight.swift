// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import ResourceLoading

/// One request under way, and all who wait for its answer.
///
/// Its work runs in a task of its own, which is cancelled when the last reader leaves before the end. A body that
/// streams stands in a log of pieces: each reader reads at its own place, pieces that all have read go when the log is
/// full, and the source is not asked for more while the slowest reader is a log's length behind. So one that leaves
/// ends nobody else.
///
/// One that stops to read must not stop the others. Where another waits for more, a reader that is a log's length
/// behind is detached, if it can have the rest otherwise: it keeps the pieces that it has before it, and is told to go
/// on alone when the answer has been stored, or at once where that will not be. Where all are detached the answer runs
/// into the store at the source's pace.
///
/// Isolation: any.
final class Flight: Sendable {
    /// What came of it.
    enum Outcome: Sendable {
        /// An answer that others with the same request may have.
        case shared(SharedAnswer)
        /// The stored response is right; with its new fields.
        case freshened(StoredResponse)
        /// An answer for the one that asked, see ``removeResponse()``.
        case unshared
        /// The next loader says that the request is not its own.
        case notMine
        /// The origin answers with an error for which a stale response may stand in. The answer itself is for the one
        /// that asked, see ``removeResponse()``.
        case erring
        case failed(any Error)
    }

    struct SharedAnswer: Sendable {
        /// What is being stored.
        let stored: StoredResponse
        /// The answer as it came. Its body is for all, unless it is a stream.
        let response: ResourceResponse
    }

    enum Membership {
        /// The answer can be read from its first byte.
        case joined(FlightReader)
        /// All bytes have come and are being stored.
        case ending
        /// The first bytes are gone, or the answer must not be had by others.
        case closed
    }

    /// What a reader finds.
    enum Step: Sendable {
        case piece(Data)
        case end
        /// It has to get the rest elsewhere.
        case detached
    }

    private struct Reader {
        /// Of the piece that it reads next.
        var place = 0
        /// Once it was detached: the pieces that it has before it, the last first.
        var remainder: [Data]?
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// What becomes of readers that are too slow.
    enum Detaching: Sendable {
        /// They set the pace.
        case never
        /// They wait until the answer is stored.
        case untilStored
        /// They ask for the rest at once.
        case atOnce
    }

    private struct State {
        var outcome: Outcome?
        var response: ResourceResponse?
        var readers: [UInt64: Reader] = [:]
        var lastReader: UInt64 = 0
        /// Pieces from `firstPlace` on.
        var log: [Data] = []
        var firstPlace = 0
        var end: Result<Void, any Error>?
        var isDone = false
        var isDoomed = false
        var source: CheckedContinuation<Void, Never>?
        var watchers: [CheckedContinuation<Void, Never>] = []
        var task: Task<Void, Never>?
        var isAbandoned = false
        /// Whether a reader may be detached, and whether it is to wait until the answer is stored.
        var detaching = Detaching.never
        /// The whole body, for readers that were detached.
        var kept: ResourceBody?

        /// The place of the slowest reader that is not detached.
        var slowest: Int {
            var slowest = firstPlace + log.count
            for reader in readers.values where reader.remainder == nil { slowest = min(slowest, reader.place) }
            return slowest
        }

        /// How many bytes the slowest reader has before it.
        var backlog: Int { bytes(from: slowest) }

        func bytes(from place: Int) -> Int {
            log[(place - firstPlace)...].reduce(0) { $0 + $1.count }
        }

        /// Detaches who stops the source. To be called where a reader waits.
        mutating func detachLaggards(beyond limit: Int) {
            guard detaching != .never, source != nil else { return }
            for (id, reader) in readers where reader.remainder == nil && reader.waiter == nil {
                guard bytes(from: reader.place) >= limit else { continue }
                readers[id]?.remainder = log[(reader.place - firstPlace)...].reversed()
            }
            trim(to: limit)
        }

        /// Adds a piece: to the last one where both are small and nobody has read that, so that the log stays short
        /// however small the pieces are.
        mutating func add(_ piece: Data) {
            let last = firstPlace + log.count - 1
            if !log.isEmpty, log[log.count - 1].count + piece.count <= Flight.pieceBytes,
                readers.values.allSatisfy({ $0.remainder != nil || $0.place <= last })
            {
                log[log.count - 1].append(piece)
            } else {
                log.append(piece)
            }
        }

        /// Drops what all have read, as far as the log is longer than it should be.
        mutating func trim(to limit: Int) {
            var bytes = log.reduce(0) { $0 + $1.count }
            let slowest = slowest
            var count = 0
            while firstPlace + count < slowest, bytes > limit {
                bytes -= log[count].count
                count += 1
            }
            log.removeFirst(count)
            firstPlace += count
        }

        mutating func drainWaiters() -> [CheckedContinuation<Void, Never>] {
            var waiters: [CheckedContinuation<Void, Never>] = []
            for id in readers.keys {
                if let waiter = readers[id]?.waiter { waiters.append(waiter) }
                readers[id]?.waiter = nil
            }
            return waiters
        }
    }

    /// Up to how many bytes pieces that nobody has read become one.
    private static let pieceBytes = 16 << 10

    private let readAhead: Int
    private let state = Mutex(State())

    init(readAhead: Int) {
        self.readAhead = max(1, readAhead)
    }

    /// Begins the work. To be called once, after its first reader has joined.
    func start(_ work: @escaping @Sendable (Flight) async -> Void) {
        let task = Task { await work(self) }
        let isAbandoned = state.withLock { state in
            if !state.isDone { state.task = task }
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    func join() -> Membership {
        state.withLock { state in
            if state.end != nil, !state.isDoomed { return .ending }
            guard state.firstPlace == 0, !state.isDoomed, !state.isAbandoned, state.end == nil else { return .closed }
            state.lastReader += 1
            state.readers[state.lastReader] = Reader()
            return .joined(FlightReader(self, state.lastReader))
        }
    }

    /// The reader of a flight that nobody else can join.
    func makeReader() -> FlightReader {
        state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader()
            return FlightReader(self, state.lastReader)
        }
    }

    /// Says that what comes is already wrong: it is not stored, and nobody joins any more.
    func doom() {
        state.withLock { $0.isDoomed = true }
    }

    var isDoomed: Bool { state.withLock(\.isDoomed) }

    /// Whether all bytes have come and are being stored.
    var isEnding: Bool { state.withLock { $0.end != nil && !$0.isDoomed } }

    /// Returns a Boolean value that indicates whether the response, in its newest form, is one of those that a store gave.
    func isStored(among responses: [StoredResponse]) -> Bool {
        switch state.withLock(\.outcome) {
        case .shared(let answer): responses.contains { $0.revision == answer.stored.revision }
        case .freshened(let fresh): responses.contains(fresh)
        default: false
        }
    }

    /// Whether all bytes have come, or nobody reads any more.
    var isOver: Bool { state.withLock { $0.end != nil || $0.isAbandoned } }

    /// The answer of which there is one only, once.
    func removeResponse() -> ResourceResponse? {
        state.withLock { state in
            defer { state.response = nil }
            return state.response
        }
    }

    /// Waits until all is done and stored.
    func done() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if !state.isDone { state.watchers.append(continuation) }
                return state.isDone
            }
            if isDone { continuation.resume() }
        }
    }
}

// MARK: - For the work

extension Flight {
    /// Says what came of it.
    ///
    /// Where no pieces follow, that is the end too, in the same step: a reader may leave as soon as it knows, and must
    /// not take the work with it.
    func complete(_ outcome: Outcome, _ response: ResourceResponse? = nil) {
        change { state in
            state.outcome = outcome
            state.response = response
            switch outcome {
            case .shared(let answer) where answer.response.body.isStream: break
            case .failed(let error): state.end = .failure(error)
            default: state.end = .success(())
            }
        }
    }

    /// Adds a piece, and waits while the slowest reader is too far behind.
    func append(_ piece: Data) async {
        change { state in
            state.add(piece)
            state.trim(to: readAhead)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if Task.isCancelled || state.backlog < readAhead { return true }
                    state.source = continuation
                    // A reader that began to wait before there was a source detached nobody.
                    guard state.readers.values.contains(where: { $0.waiter != nil }) else { return false }
                    state.detachLaggards(beyond: readAhead)
                    guard state.backlog < readAhead else { return false }
                    state.source = nil
                    return true
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.source = nil }
                return state.source
            }?.resume()
        }
    }

    /// Says what becomes of readers that are too slow. Until then they set the pace.
    func allow(_ detaching: Detaching) {
        change { $0.detaching = detaching }
    }

    /// Whether a reader was detached, and is still there. Once all bytes have come none becomes so.
    var hasDetached: Bool { state.withLock { state in state.readers.values.contains { $0.remainder != nil } } }

    /// Keeps the whole body for readers that were detached.
    func keep(_ body: ResourceBody?) {
        state.withLock { $0.kept = body }
    }

    /// The whole body, where it was kept for readers that were detached.
    var kept: ResourceBody? { state.withLock(\.kept) }

    /// Whether nobody reads what comes.
    var isUnread: Bool { state.withLock { state in state.readers.values.allSatisfy { $0.remainder != nil } } }

    /// Says that all pieces are there, or why there are no more. Only the first time counts.
    func end(_ result: Result<Void, any Error>) {
        change { $0.end = $0.end ?? result }
    }

    /// Says that nothing happens any more.
    func finish() {
        let watchers = state.withLock { state in
            defer { state.watchers = [] }
            state.isDone = true
            state.task = nil
            return state.watchers + state.drainWaiters()
        }
        for watcher in watchers { watcher.resume() }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            return state.drainWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }
}

// MARK: - For readers

extension Flight {
    fileprivate func outcome(for reader: UInt64) async throws -> Outcome {
        while true {
            if let outcome = state.withLock(\.outcome) { return outcome }
            try Task.checkCancellation()
            await wait(reader) { $0.outcome != nil }
        }
    }

    fileprivate func step(for reader: UInt64) async throws -> Step {
        while true {
            let (found, source) = state.withLock { state in find(for: reader, in: &state) }
            source?.resume()
            if let found { return try found.get() }
            try Task.checkCancellation()
            await wait(reader) { state in
                guard let reader = state.readers[reader] else { return true }
                if let remainder = reader.remainder {
                    return !remainder.isEmpty || state.isDone || state.detaching == .atOnce
                }
                return state.end != nil || reader.place - state.firstPlace < state.log.count
            }
        }
    }

    /// - Returns: what the reader finds, `nil` where it has to wait; and the source, where it may go on.
    private func find(
        for reader: UInt64, in state: inout State
    ) -> (Result<Step, any Error>?, CheckedContinuation<Void, Never>?) {
        guard let place = state.readers[reader]?.place else { return (.success(.end), nil) }
        if state.readers[reader]?.remainder != nil {
            if let piece = state.readers[reader]?.remainder?.popLast() { return (.success(.piece(piece)), nil) }
            let isOver = state.isDone || state.detaching == .atOnce
            return (isOver ? .success(.detached) : nil, nil)
        }
        guard place - state.firstPlace < state.log.count else {
            return (state.end.map { $0.map { .end } }, nil)
        }
        let piece = state.log[place - state.firstPlace]
        state.readers[reader]?.place += 1
        state.trim(to: readAhead)
        return (.success(.piece(piece)), removeReadySource(&state))
    }

    fileprivate func leave(_ reader: UInt64) {
        let (source, task) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Task<Void, Never>?) in
            state.readers[reader] = nil
            guard state.readers.isEmpty, state.end == nil else {
                state.trim(to: readAhead)
                return (removeReadySource(&state), nil)
            }
            state.isAbandoned = true
            return (nil, state.task)
        }
        source?.resume()
        task?.cancel()
    }

    private func removeReadySource(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        guard state.source != nil, state.backlog < readAhead else { return nil }
        defer { state.source = nil }
        return state.source
    }

    /// Waits for a change after which `isReady` holds. May return early.
    private func wait(_ reader: UInt64, until isReady: @Sendable (borrowing State) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (mayGo, source) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
                    if Task.isCancelled || isReady(state) || state.readers[reader] == nil { return (true, nil) }
                    state.readers[reader]?.waiter = continuation
                    state.detachLaggards(beyond: readAhead)
                    return (false, removeReadySource(&state))
                }
                source?.resume()
                if mayGo { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.readers[reader]?.waiter = nil }
                return state.readers[reader]?.waiter
            }?.resume()
        }
    }
}

/// A place among the readers of a flight, which it leaves when it goes.
///
/// Isolation: any, by one task at a time.
final class FlightReader: Sendable {
    let flight: Flight
    private let id: UInt64

    init(_ flight: Flight, _ id: UInt64) {
        self.flight = flight
        self.id = id
    }

    deinit {
        flight.leave(id)
    }

    /// - Throws: `CancellationError` when the calling task is cancelled.
    func outcome() async throws -> Flight.Outcome {
        try await flight.outcome(for: id)
    }

    func step() async throws -> Flight.Step {
        try await flight.step(for: id)
    }
}
