// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import ResourceLoading

/// An upstream request in progress and the readers of its response.
///
/// The work runs in its own task, which is cancelled if the last reader leaves before the end. A streamed body is kept
/// in a log of pieces, and each reader has its own position. When the log is full, the pieces that all readers have
/// read are removed. The source pauses while the slowest reader is `readAhead` bytes behind. A reader that leaves does
/// not end the response for the others.
///
/// A reader that stops reading must not block the others. If another reader waits for data, a reader that is
/// `readAhead` bytes behind is detached, provided that it can obtain the rest elsewhere. It keeps its unread pieces.
/// Then it reads the rest elsewhere: as soon as the response is stored, or immediately if the response will not be
/// stored. If all readers are detached, the response is stored at the pace of the source.
///
/// Isolation: any.
final class Flight: Sendable {
    /// The result of the upstream request.
    enum Outcome: Sendable {
        /// A response that other identical requests may use.
        case shared(SharedAnswer)
        /// The stored response is valid; it has the new fields.
        case freshened(StoredResponse)
        /// A response for the first request only, see ``removeResponse()``.
        case unshared
        /// The next loader does not handle the request.
        case notMine
        /// The origin responded with an error that a stale response may replace. The error response is for the first
        /// request only, see ``removeResponse()``.
        case erring
        case failed(any Error)
    }

    struct SharedAnswer: Sendable {
        /// The response that is being stored.
        let stored: StoredResponse
        /// The received response. All readers may use its body, unless the body is a stream.
        let response: ResourceResponse
    }

    enum Membership {
        /// The response can be read from its first byte.
        case joined(FlightReader)
        /// All bytes have been received and are being stored.
        case ending
        /// The first bytes are no longer available, or other requests must not use the response.
        case closed
    }

    /// The next event for a reader.
    enum Step: Sendable {
        case piece(Data)
        case end
        /// The reader must obtain the rest elsewhere.
        case detached
    }

    private struct Reader {
        /// The position of the next piece to read.
        var place = 0
        /// The unread pieces of a detached reader, last piece first.
        var remainder: [Data]?
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// The policy for readers that are too slow.
    enum Detaching: Sendable {
        /// Slow readers are not detached. The source waits for them.
        case never
        /// Detached readers wait until the response is stored.
        case untilStored
        /// Detached readers request the rest immediately.
        case atOnce
    }

    private struct State {
        var outcome: Outcome?
        var response: ResourceResponse?
        var readers: [UInt64: Reader] = [:]
        var lastReader: UInt64 = 0
        /// The pieces from `firstPlace` on.
        var log: [Data] = []
        var firstPlace = 0
        var end: Result<Void, any Error>?
        var isDone = false
        var isInvalidated = false
        var source: CheckedContinuation<Void, Never>?
        var watchers: [CheckedContinuation<Void, Never>] = []
        var task: Task<Void, Never>?
        var isAbandoned = false
        /// The policy for slow readers.
        var detaching = Detaching.never
        /// The complete body for detached readers.
        var detachedBody: ResourceBody?

        /// The position of the slowest reader that is not detached.
        var slowest: Int {
            var slowest = firstPlace + log.count
            for reader in readers.values where reader.remainder == nil { slowest = min(slowest, reader.place) }
            return slowest
        }

        /// The number of bytes that the slowest reader has not read.
        var backlog: Int { bytes(from: slowest) }

        func bytes(from place: Int) -> Int {
            log[(place - firstPlace)...].reduce(0) { $0 + $1.count }
        }

        /// Detaches the readers that block the source. Must be called when a reader waits.
        mutating func detachLaggards(beyond limit: Int) {
            guard detaching != .never, source != nil else { return }
            for (id, reader) in readers where reader.remainder == nil && reader.waiter == nil {
                guard bytes(from: reader.place) >= limit else { continue }
                readers[id]?.remainder = log[(reader.place - firstPlace)...].reversed()
            }
            trim(to: limit)
        }

        /// Appends a piece. Merges it with the last piece if both are small and no reader has read the last piece, so
        /// that the log stays short.
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

        /// Removes the oldest pieces that all readers have read, until the log no longer exceeds the limit in bytes.
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

    /// The maximum size of a merged piece, in bytes.
    private static let pieceBytes = 16 << 10

    /// A Boolean value that indicates whether a transport may refuse the request because of the kind of the network.
    let isRefusable = BackgroundTransfer.isRefusable
    private let readAhead: Int
    private let state = Mutex(State())

    init(readAhead: Int) {
        self.readAhead = max(1, readAhead)
    }

    /// Starts the work. Must be called once, after the first reader has joined.
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
            if state.end != nil, !state.isInvalidated { return .ending }
            guard state.firstPlace == 0, !state.isInvalidated, !state.isAbandoned, state.end == nil else {
                return .closed
            }
            state.lastReader += 1
            state.readers[state.lastReader] = Reader()
            return .joined(FlightReader(self, state.lastReader))
        }
    }

    /// Creates a reader of a flight that other requests cannot join.
    func makeReader() -> FlightReader {
        state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader()
            return FlightReader(self, state.lastReader)
        }
    }

    /// Marks the response as invalid: it is not stored, and no reader can join.
    func invalidate() {
        state.withLock { $0.isInvalidated = true }
    }

    var isInvalidated: Bool { state.withLock(\.isInvalidated) }

    /// A Boolean value that indicates whether all bytes have been received and are being stored.
    var isEnding: Bool { state.withLock { $0.end != nil && !$0.isInvalidated } }

    /// Returns a Boolean value that indicates whether the latest form of the response is among the responses of a
    /// store.
    func isStored(among responses: [StoredResponse]) -> Bool {
        switch state.withLock(\.outcome) {
        case .shared(let answer): responses.contains { $0.revision == answer.stored.revision }
        case .freshened(let fresh): responses.contains(fresh)
        default: false
        }
    }

    /// A Boolean value that indicates whether all bytes have been received or no reader is left.
    var isOver: Bool { state.withLock { $0.end != nil || $0.isAbandoned } }

    /// Returns the unshared response on the first call, and `nil` afterwards.
    func removeResponse() -> ResourceResponse? {
        state.withLock { state in
            defer { state.response = nil }
            return state.response
        }
    }

    /// Waits until the response is received and stored.
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

// MARK: - Methods of the work

extension Flight {
    /// Sets the outcome.
    ///
    /// If no pieces follow, also sets the end under the same lock. A reader that leaves immediately after the outcome
    /// must not cancel the work.
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

    /// Appends a piece and waits while the slowest reader is too far behind.
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
                    // A reader that began to wait before the source paused has not detached the slow readers.
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

    /// Sets the policy for slow readers. Until the first call, the source waits for them.
    func allow(_ detaching: Detaching) {
        change { $0.detaching = detaching }
    }

    /// A Boolean value that indicates whether a detached reader is present. No reader is detached after all bytes have
    /// been received.
    var hasDetached: Bool { state.withLock { state in state.readers.values.contains { $0.remainder != nil } } }

    /// Retains the complete body for detached readers.
    func setDetachedBody(_ body: ResourceBody?) {
        state.withLock { $0.detachedBody = body }
    }

    /// The complete body for detached readers.
    var detachedBody: ResourceBody? { state.withLock(\.detachedBody) }

    /// A Boolean value that indicates whether no attached reader is left.
    var isUnread: Bool { state.withLock { state in state.readers.values.allSatisfy { $0.remainder != nil } } }

    /// Ends the log of pieces with success or an error. Later calls have no effect.
    func end(_ result: Result<Void, any Error>) {
        change { $0.end = $0.end ?? result }
    }

    /// Marks the work as done and resumes all waiting tasks.
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

// MARK: - Methods of readers

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

    /// Finds the next step of a reader.
    /// - Returns: The step, or `nil` if the reader must wait; and the continuation of the source if it may resume.
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

    fileprivate func removeReader(_ reader: UInt64) {
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

    /// Waits for a change after which `isReady` returns `true`. May return early, for example on cancellation.
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

/// A reader of a flight. It leaves the flight when it is released.
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
        flight.removeReader(id)
    }

    /// Waits for the outcome.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    func outcome() async throws -> Flight.Outcome {
        try await flight.outcome(for: id)
    }

    func step() async throws -> Flight.Step {
        try await flight.step(for: id)
    }
}
