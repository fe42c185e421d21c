// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
package import ResourceLoading

/// A request body that can be sent more than once. Bytes and files are read again. The sent chunks of a stream stay in
/// memory until ``stopRecording()``, up to a limit.
///
/// A chunk of a stream is read when it is requested, by one attempt at a time. Cancelling an attempt does not end the
/// stream; ``cancel()`` or releasing the last reference does.
///
/// Isolation: any.
package final class RepeatableBody: Sendable {
    private struct State {
        /// The chunks that stay in memory.
        var pieces: [Data] = []
        /// The index of the first chunk in `pieces`.
        var first = 0
        /// The index after the last chunk that was returned.
        var position = 0
        /// The number of bytes in `pieces` that were reserved from the budget.
        var bytes = 0
        /// A Boolean value that indicates whether the budget was exhausted.
        var isFull = false
        var isKeeping = true
        var isPulling = false
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Data?, any Error>?
        var pump: Task<Void, Never>?
    }

    /// The maximum number of bytes of one stream that stay in memory for another attempt.
    static let limit = 4 << 20
    package let length: Int64?
    private let body: ResourceBody
    private let url: String
    private let budget: ByteBudget
    private let state = Mutex(State())
    private let (demands, demand) = AsyncStream<Void>.makeStream()

    /// - Parameters:
    ///   - body: The body to send.
    ///   - url: The location that errors contain.
    ///   - budget: The budget that all bodies of a transport share.
    package init(_ body: ResourceBody, sentTo url: String, budget: ByteBudget) {
        self.body = body
        self.url = url
        self.budget = budget
        length = body.length
    }

    deinit {
        cancel()
        budget.release(state.withLock { $0.bytes })
    }

    /// The chunks of the body for one attempt, from the first byte; `nil` for an empty body.
    package var chunks: BodyChunks? {
        guard case .stream = body else { return BodyChunks(body, sentTo: url) }
        state.withLock { $0.position = 0 }
        return BodyChunks(.stream(ByteStream(Pieces(body: self), length: length)), sentTo: url)
    }

    /// A Boolean value that indicates whether the body can be sent from its first byte.
    package var isWhole: Bool { state.withLock { $0.first == 0 } }

    /// Stops keeping chunks, because the body will not be sent again.
    package func stopRecording() {
        state.withLock { state in
            state.isKeeping = false
            drop(in: &state)
        }
    }

    /// Stops reading the stream.
    package func cancel() {
        demand.finish()
        state.withLock { $0.pump }?.cancel()
    }

    /// Removes the chunks that were returned.
    private func drop(in state: inout State) {
        let count = min(state.position - state.first, state.pieces.count)
        guard count > 0 else { return }
        state.pieces.removeFirst(count)
        state.first += count
        guard state.pieces.isEmpty else { return }
        budget.release(state.bytes)
        state.bytes = 0
    }

    private func piece(_ number: Int) async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known: Result<Data?, any Error>? = state.withLock { state in
                    // `onCancel` handles a cancellation after this check. A cancellation before it is detected here.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard number >= state.first, state.reader == nil else {
                        return .failure(ResourceError(.internal, "a chunk of the body was already read", at: url))
                    }
                    if number - state.first < state.pieces.count {
                        let piece = state.pieces[number - state.first]
                        state.position = number + 1
                        if !state.isKeeping { drop(in: &state) }
                        return .success(piece)
                    }
                    if let end = state.end { return end.map { nil } }
                    if state.isFull || state.bytes >= Self.limit { state.isKeeping = false }
                    if !state.isKeeping { drop(in: &state) }
                    state.reader = continuation
                    pull(in: &state)
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(throwing: CancellationError())
        }
    }

    private func pull(in state: inout State) {
        guard !state.isPulling else { return }
        state.isPulling = true
        demand.yield()
        guard state.pump == nil, let chunks = BodyChunks(body, sentTo: url) else { return }
        // The task does not retain `self` while it waits.
        state.pump = Task { [weak self, demands] in
            var pieces = chunks.makeAsyncIterator()
            for await _ in demands {
                let result: Result<Data?, any Error>
                do {
                    result = .success(try await pieces.next())
                } catch {
                    result = .failure(error)
                }
                guard let self else { return }
                receive(result)
            }
        }
    }

    private func receive(_ result: Result<Data?, any Error>) {
        let reader = state.withLock { state in
            state.isPulling = false
            switch result {
            case .success(let piece?):
                if state.reader != nil { state.position = state.first + state.pieces.count + 1 }
                state.pieces.append(piece)
                if budget.reserve(piece.count) { state.bytes += piece.count } else { state.isFull = true }
                if !state.isKeeping { drop(in: &state) }
            case .success(nil): state.end = .success(())
            case .failure(let error): state.end = .failure(error)
            }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(with: result)
    }

    private struct Pieces: AsyncSequence, Sendable {
        let body: RepeatableBody

        func makeAsyncIterator() -> Iterator { Iterator(body: body) }

        struct Iterator: AsyncIteratorProtocol {
            let body: RepeatableBody
            var number = 0

            mutating func next() async throws -> Data? {
                let piece = try await body.piece(number)
                number += 1
                return piece
            }
        }
    }
}
