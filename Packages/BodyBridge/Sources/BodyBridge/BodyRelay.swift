// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import ResourceLoading

/// The transfer of bodies from a page to the requests that carry the ids of the bodies. Pieces arrive in order, and
/// each body is read once.
///
/// A writer waits while more than ``BodyLimits/lead`` bytes of its body are unread, so the size of a body is not
/// limited. A body without activity for ``BodyLimits/patience`` is dropped, and its waiting reader and writer receive
/// an error. The body of a form is an exception: it is complete before its request begins, and it is in an unlinked
/// temporary file if it is longer than the lead.
final class BodyRelay: Sendable {
    let limits: BodyLimits
    private let clock: any Clock<Duration>
    let state: Mutex<State>

    /// Creates an empty relay.
    /// - Parameters:
    ///   - limits: the limits in bytes, bodies and time.
    ///   - budget: the shared budget from which the bytes are reserved; `nil`, the default, for no limit except
    ///     `limits`.
    ///   - clock: the clock for ``BodyLimits/patience``.
    init(
        limits: BodyLimits = BodyLimits(), budget: ByteBudget? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.limits = limits
        self.clock = clock
        state = Mutex(State(budget: budget))
    }

    deinit { removeAll() }

    /// The number of unread bytes in the relay.
    var bytes: Int { state.withLock { $0.bytes } }
    /// The number of bodies in the relay, including expected bodies.
    var count: Int { state.withLock { $0.entries.count } }

    /// Adds a piece, and returns when there is space for another piece.
    /// - Parameters:
    ///   - bytes: the bytes of the piece.
    ///   - offset: the offset of the piece in the body, in bytes. A piece that was received already is ignored, because
    ///     a page sends a piece again if its first transfer was interrupted.
    ///   - id: the id of the body.
    /// - Throws: `ResourceError` with code `tooLarge` beyond a limit, `invalidRequest` out of order, `timedOut` if the
    ///   body is not read in time, `cancelled` if the body is dropped.
    func put(_ bytes: Data, at offset: Int64, of id: BodyID) async throws {
        guard try add(bytes, at: offset, of: id) else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Result<Void, any Error>? = state.withLock { state in
                    guard let entry = state.entries[id] else { return .failure(Self.dropped) }
                    guard entry.waiting > limits.lead else { return .success(()) }
                    guard entry.writer == nil else { return .failure(Self.outOfOrder) }
                    state.entries[id]?.writer = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            drop(id)
        }
    }

    /// Adds a piece without waiting for space.
    /// - Throws: the errors of ``put(_:at:of:)``.
    func putNow(_ bytes: Data, at offset: Int64, of id: BodyID) throws {
        _ = try add(bytes, at: offset, of: id)
    }

    /// Returns a Boolean value that indicates whether the relay has a body or expects it.
    func holds(_ id: BodyID) -> Bool { state.withLock { $0.entries[id] != nil } }

    /// Removes a body, and returns the bytes received so far.
    /// - Returns: `nil` if the relay does not have the body.
    func removeReceivedBytes(_ id: BodyID) -> Data? {
        let entry = state.withLock { $0.remove(id) }
        entry?.end(with: Self.dropped)
        return entry.map { entry in entry.pieces.count == 1 ? entry.pieces[0] : entry.pieces.reduce(Data(), +) }
    }

    /// Returns the body of an id as a stream that can be read once. Its pieces may arrive later.
    /// - Throws: `ResourceError` with code `invalidRequest` if the body was already returned, `tooLarge` beyond a
    ///   limit.
    func removeBody(_ id: BodyID, length: Int64) throws -> ResourceBody {
        guard length > 0 else {
            drop(id)
            return .empty
        }
        try state.withLock { state in
            try state.open(id, limits)
            guard let entry = state.entries[id], entry.length == nil else {
                throw ResourceError(.invalidRequest, "the body was already taken")
            }
            guard entry.received <= length else { throw Self.tooLong }
            state.entries[id]?.length = length
            state.entries[id]?.touches += 1
        }
        watch(id)
        return .stream(ByteStream(Pieces(reader: Reader(relay: self, id: id)), length: length))
    }

    /// Drops a body. Its waiting reader and writer receive `error`, or an error with code `cancelled` by default.
    func drop(_ id: BodyID, because error: ResourceError? = nil) {
        let entry = state.withLock { $0.remove(id) }
        entry?.end(with: error ?? Self.dropped)
    }

    /// Drops all bodies, for example when their page is closed.
    func removeAll() {
        let entries = state.withLock { $0.removeAll() }
        for entry in entries { entry.end(with: Self.dropped) }
    }

    private static let dropped = ResourceError(.cancelled, "the body was dropped")
    static let tooLong = ResourceError(.invalidRequest, "the body is longer than its request states")
    private static let outOfOrder = ResourceError(.invalidRequest, "a piece of the body is out of order")

    /// Adds a piece.
    /// - Returns: a Boolean value that indicates whether the writer has to wait.
    private func add(_ bytes: Data, at offset: Int64, of id: BodyID) throws -> Bool {
        let (reader, hasToWait) = try state.withLock { state in
            let isNew = state.entries[id] == nil
            try state.open(id, limits)
            guard let received = state.entries[id]?.received, offset <= received else {
                if isNew { _ = state.remove(id) }
                throw Self.outOfOrder
            }
            guard offset == received else { return (nil as Entry.Reader?, false) }
            do {
                return try state.append(bytes, to: id, limits)
            } catch {
                // The new entry has no watch yet that would drop it.
                if isNew { _ = state.remove(id) }
                throw error
            }
        }
        reader?.resume(returning: bytes)
        watch(id)
        for waiter in state.withLock({ $0.removeWaitersOfWhole(id) }) { waiter.resume() }
        return hasToWait
    }

    fileprivate func next(of id: BodyID) async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let step = state.withLock { $0.next(of: id, limits, continuation) }
                step.writer?.resume()
                if let answer = step.answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            drop(id)
        }
    }

    /// Starts the watch of a body, which drops it after inactivity.
    func watch(_ id: BodyID) {
        state.withLock { state in
            guard let entry = state.entries[id], entry.watch == nil else { return }
            state.entries[id]?.watch = watching(id)
        }
    }

    private func watching(_ id: BodyID) -> Task<Void, any Error> {
        Task { [weak self, clock, patience = limits.patience] in
            var seen: Int?
            while let touches = self?.touches(of: id, droppedWhere: seen, after: patience) {
                seen = touches
                try await clock.sleep(for: patience)
            }
        }
    }

    /// Returns the activity counter of a body, or drops the body if the counter is still `seen`.
    private func touches(of id: BodyID, droppedWhere seen: Int?, after patience: Duration) -> Int? {
        let (touches, dropped): (Int?, Entry?) = state.withLock { state in
            guard let entry = state.entries[id] else { return (nil, nil) }
            let isHeldBack = entry.length != nil && entry.reader == nil
            return entry.touches == seen && !isHeldBack ? (nil, state.remove(id)) : (entry.touches, nil)
        }
        dropped?.end(with: ResourceError(.timedOut, "the body had no activity for \(patience)"))
        return touches
    }

    /// The sequence of a body's pieces. Unlike an `AsyncThrowingStream`, it throws an error when it is cancelled, so a
    /// cancelled body is not treated as complete.
    private struct Pieces: AsyncSequence, AsyncIteratorProtocol {
        let reader: Reader

        func makeAsyncIterator() -> Pieces { self }
        func next() async throws -> Data? { try await reader.next() }
    }

    /// A reader that drops the body when it is released.
    private final class Reader: Sendable {
        let relay: BodyRelay
        let id: BodyID

        init(relay: BodyRelay, id: BodyID) {
            self.relay = relay
            self.id = id
        }

        deinit { relay.drop(id) }

        func next() async throws -> Data? { try await relay.next(of: id) }
    }
}

/// The limits of the bodies that a page sends, in bytes, bodies and time.
public struct BodyLimits: Sendable, Hashable {
    /// The maximum number of bytes of all bodies together; 64 MiB by default.
    public var bytes = 64 << 20
    /// The maximum number of bodies at a time; 64 by default.
    public var count = 64
    /// The number of unread bytes of one body above which its writer has to wait; 4 MiB by default.
    public var lead = 4 << 20
    /// The maximum number of bytes of form bodies in temporary files; 4 GiB by default.
    public var heldBytes: Int64 = 4 << 30
    /// The time after which a body without activity is dropped; 60 seconds by default. A body whose request has begun
    /// is not dropped while the request does not read, because the server may pause for any time.
    public var patience = Duration.seconds(60)

    /// Creates the default limits.
    public init() {}
}

// Bodies of forms. A form navigation ends the page that sends the body, so the body must be complete before the
// navigation begins.
extension BodyRelay {
    /// Expects the body of a form.
    ///
    /// A body longer than ``BodyLimits/lead`` is written to a temporary file, up to ``BodyLimits/heldBytes`` in total.
    /// A body beyond this limit is not held and arrives while its request is in progress.
    /// - Throws: `ResourceError` with code `tooLarge` beyond the limit of bodies, `io` if the file cannot be created.
    ///   The relay then contains no part of the body.
    func hold(_ id: BodyID, length: Int64) throws {
        try state.withLock { try $0.hold(id, length: length, limits) }
        watch(id)
    }

    /// Returns a Boolean value that indicates whether a held body is not complete yet.
    func isIncomplete(_ id: BodyID) -> Bool { state.withLock { $0.isIncomplete(id) } }

    /// Waits until a held body is complete or dropped.
    func waitUntilWhole(_ id: BodyID) async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                guard state.isIncomplete(id) else { return false }
                state.entries[id]?.waiters.append(continuation)
                return true
            }
            if !isWaiting { continuation.resume() }
        }
    }
}

extension BodyRelay {
    /// Adds a whole body, for ``removeReceivedBytes(_:)``. If there is no space for the body, no part of it remains in
    /// the relay.
    /// - Parameter limit: the maximum number of bytes to accept.
    /// - Returns: the number of bytes read, and a Boolean value that indicates whether the whole body was added.
    /// - Throws: the errors of reading the body; no part of it then remains in the relay.
    func put(whole body: ResourceBody, as id: BodyID, upTo limit: Int) async throws -> (read: Int, isWhole: Bool) {
        guard body.length ?? 0 <= limit else { return (0, false) }
        var read = 0
        func add(_ piece: Data) -> Bool {
            defer { read += piece.count }
            return read + piece.count <= limit && (try? putNow(piece, at: Int64(read), of: id)) != nil
        }
        var isWhole = false
        defer { if !isWhole { drop(id) } }
        if case .stream(let stream) = body {
            for try await piece in stream where !add(piece) { return (read, false) }
            isWhole = true
        } else {
            isWhole = add(try await body.collect(upTo: limit))
        }
        return (read, isWhole)
    }
}
