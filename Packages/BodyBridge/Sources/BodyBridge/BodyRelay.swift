// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import Foundation
public import ResourceLoading

/// Bodies on their way from a page to the requests that carry their ids: piece by piece in order, each taken once.
///
/// A body is never whole in here: who brings a piece waits while more than the ``Limits/lead`` of that body lies here, so
/// that its size is not limited. Where nothing happens to a body for the ``Limits/patience`` it is dropped, and whoever
/// waits for it hears why. The body of a form is an exception: it is whole before its request begins, and one that is
/// longer than the lead is in a temporary file without a name.
public final class BodyRelay: Sendable {
    /// How much may lie here, and for how long.
    public struct Limits: Sendable, Hashable {
        /// Of all bodies together, in bytes; 64 MB by default.
        public var bytes = 64 << 20
        /// The most bodies at a time; 64 by default.
        public var count = 64
        /// How many bytes of one body may lie here before who brings it has to wait; 4 MB by default.
        public var lead = 4 << 20
        /// The most bytes of held bodies on disk; 4 GB by default.
        public var heldBytes: Int64 = 4 << 30
        /// How long a body stays without anything happening to it; 60 seconds by default. A body whose request has taken it,
        /// and does not ask for its next piece, stays with the request: the host of it may take no more for as long as it
        /// likes.
        public var patience = Duration.seconds(60)

        /// The defaults.
        public init() {}
    }

    let limits: Limits
    private let clock: any Clock<Duration>
    let state: Mutex<State>

    /// Makes an empty relay.
    /// - Parameters:
    ///   - limits: the limits of bytes, bodies and time.
    ///   - budget: the budget that relays share, from which the bytes are taken; `nil`, the default, if only the limits
    ///     of the relay count.
    ///   - clock: measures ``Limits/patience``.
    public init(
        limits: Limits = Limits(), budget: ByteBudget? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.limits = limits
        self.clock = clock
        state = Mutex(State(budget: budget))
    }

    deinit { removeAll() }

    /// How many bytes lie here now.
    public var bytes: Int { state.withLock { $0.bytes } }
    /// How many bodies are here now, or awaited.
    public var count: Int { state.withLock { $0.entries.count } }

    /// Adds a piece, and returns when there is room for another.
    /// - Parameters:
    ///   - bytes: the bytes of the piece.
    ///   - offset: where it begins in the body, in bytes. A piece that is here already is passed over: a page sends one
    ///     again whose first way was cut.
    ///   - id: the id of the body.
    /// - Throws: `ResourceError` with code `tooLarge` beyond a limit, `invalidRequest` out of order, `timedOut` where nobody
    ///   takes it, `cancelled` where the body was dropped.
    public func put(_ bytes: Data, at offset: Int64, of id: BodyID) async throws {
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

    /// Adds a piece where there is room, for those who cannot wait.
    /// - Throws: as ``put(_:at:of:)``.
    public func putNow(_ bytes: Data, at offset: Int64, of id: BodyID) throws {
        _ = try add(bytes, at: offset, of: id)
    }

    /// Whether a body is here, or awaited.
    func holds(_ id: BodyID) -> Bool { state.withLock { $0.entries[id] != nil } }

    /// What is here of a body, once: all of it where it was put in one piece.
    /// - Returns: `nil` where nothing is here, or no longer.
    func removeReceivedBytes(_ id: BodyID) -> Data? {
        let entry = state.withLock { $0.remove(id) }
        entry?.end(with: Self.dropped)
        return entry.map { entry in entry.pieces.count == 1 ? entry.pieces[0] : entry.pieces.reduce(Data(), +) }
    }

    /// The body of an id, to be read once: from the first byte, whenever its pieces come.
    /// - Throws: `ResourceError` with code `invalidRequest` where it was taken before, `tooLarge` beyond a limit.
    public func removeBody(_ id: BodyID, length: Int64) throws -> ResourceBody {
        guard length > 0 else {
            drop(id)
            return .empty
        }
        try state.withLock { state in
            try state.open(id, limits)
            guard let entry = state.entries[id], entry.length == nil else {
                throw ResourceError(.invalidRequest, "the body was taken before")
            }
            guard entry.received <= length else { throw Self.tooLong }
            state.entries[id]?.length = length
            state.entries[id]?.touches += 1
        }
        watch(id)
        return .stream(ByteStream(Pieces(reader: Reader(relay: self, id: id)), length: length))
    }

    /// Forgets a body; who waits for it, or brings it, hears so.
    public func drop(_ id: BodyID, because error: ResourceError? = nil) {
        let entry = state.withLock { $0.remove(id) }
        entry?.end(with: error ?? Self.dropped)
    }

    /// Forgets all bodies, as when their page is gone.
    public func removeAll() {
        let entries = state.withLock { $0.removeAll() }
        for entry in entries { entry.end(with: Self.dropped) }
    }

    private static let dropped = ResourceError(.cancelled, "the body was dropped")
    static let tooLong = ResourceError(.invalidRequest, "a body is longer than its request says")
    private static let outOfOrder = ResourceError(.invalidRequest, "a piece of a body out of order")

    /// - Returns: whether who brings it has to wait.
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
                // Nobody would watch it.
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

    /// Has a body dropped to which nothing happens.
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

    /// How much has happened to a body; it is dropped where that is no more than was `seen`.
    private func touches(of id: BodyID, droppedWhere seen: Int?, after patience: Duration) -> Int? {
        let (touches, dropped): (Int?, Entry?) = state.withLock { state in
            guard let entry = state.entries[id] else { return (nil, nil) }
            let isHeldBack = entry.length != nil && entry.reader == nil
            return entry.touches == seen && !isHeldBack ? (nil, state.remove(id)) : (entry.touches, nil)
        }
        dropped?.end(with: ResourceError(.timedOut, "nothing came of a body for \(patience)"))
        return touches
    }

    /// A body as who took it reads it. Unlike a stream of the library's it does not end, as if whole, when it is cancelled.
    private struct Pieces: AsyncSequence, AsyncIteratorProtocol {
        let reader: Reader

        func makeAsyncIterator() -> Pieces { self }
        func next() async throws -> Data? { try await reader.next() }
    }

    /// Ends the body when nobody reads it any more.
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

// Bodies of forms. The navigation of a form ends the page that its body comes from, so the body has to be here before.
extension BodyRelay {
    /// Expects the body of a form. One that is longer than ``Limits/lead`` is written to a temporary file, up to
    /// ``Limits/heldBytes`` in all; a still longer one is not held, and arrives while its request is under way.
    /// - Throws: `ResourceError` with code `tooLarge` beyond the limit of bodies, `io` if there is no file. Then nothing
    ///   of the body is here.
    func hold(_ id: BodyID, length: Int64) throws {
        try state.withLock { try $0.hold(id, length: length, limits) }
        watch(id)
    }

    /// Returns a Boolean value that indicates whether bytes of a held body are still to come.
    func isIncomplete(_ id: BodyID) -> Bool { state.withLock { $0.isIncomplete(id) } }

    /// Returns when a held body is whole, or is not here any more.
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
    /// Adds a whole body, to be taken with ``removeReceivedBytes(_:)``. Where there is no room for it nothing of it
    /// stays.
    /// - Parameter limit: the most bytes to accept.
    /// - Returns: how many bytes were read, and whether they are all here.
    /// - Throws: what the body does; nothing of it stays then.
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
