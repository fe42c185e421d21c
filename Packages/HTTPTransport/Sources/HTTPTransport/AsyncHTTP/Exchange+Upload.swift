// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOFoundationCompat
internal import ResourceLoading
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Exchange {
    /// A request's body on its way to the client, piece by piece, as fast as the peer takes it.
    ///
    /// Isolation: any.
    final class Upload: Sendable {
        private struct State {
            /// What the client waits for; kept once.
            var promise: EventLoopPromise<Void>?
            var task: Task<Void, Never>?
            /// Waits until the client takes more.
            var waiter: CheckedContinuation<Void, any Error>?
            /// Nothing more is read or sent.
            var isOver = false
        }

        /// Pieces are not longer, whatever the body comes in: each one that was sent is a step forward.
        private static let longestPiece = 256 << 10
        private let state: Mutex<State>
        /// Ends when the body is out, or fails.
        let sent: EventLoopFuture<Void>

        /// - Parameter loop: the client's for this request: what happens here then comes in its order there.
        init(on loop: any EventLoop) {
            let promise = loop.makePromise(of: Void.self)
            sent = promise.futureResult
            state = Mutex(State(promise: promise))
        }

        /// Begins. To be called once.
        /// - Parameters:
        ///   - total: the announced bytes; `nil` if none are.
        ///   - handOver: called before each piece is given to the client, and before the end is.
        func start(
            _ chunks: BodyChunks, total: Int64?, to writer: HTTPClient.Body.StreamWriter,
            handOver: @escaping @Sendable () -> Void
        ) {
            state.withLock { state in
                guard !state.isOver else { return }
                state.task = Task {
                    do {
                        var pieces = chunks.makeAsyncIterator()
                        var sent: Int64 = 0
                        var next = try await Self.next(of: &pieces)
                        while let data = next {
                            sent += Int64(data.count)
                            // The end leaves with the last byte, in one turn of the loop: a host may answer, and close the
                            // connection, as soon as it has the bytes that were announced.
                            let mayBeLast = sent == total
                            next = mayBeLast ? try await Self.next(of: &pieces) : nil
                            var rest = ByteBuffer(data: data)
                            while let piece = rest.readSlice(length: min(rest.readableBytes, Self.longestPiece)),
                                piece.readableBytes > 0
                            {
                                handOver()
                                let written = writer.write(.byteBuffer(piece))
                                if mayBeLast, next == nil, rest.readableBytes == 0 {
                                    handOver()
                                    return complete(after: written)
                                }
                                try await wait(for: written)
                            }
                            if !mayBeLast { next = try await Self.next(of: &pieces) }
                        }
                        handOver()
                        complete(.success(()))
                    } catch {
                        complete(.failure(error))
                    }
                }
            }
        }

        /// Reads and sends no more, and leaves it at that: an answer that came early is still arriving, which the client
        /// would give up with the body.
        func rest() {
            let (task, waiter) = state.withLock { state in
                defer {
                    state.isOver = true
                    state.task = nil
                    state.waiter = nil
                }
                return (state.task, state.waiter)
            }
            task?.cancel()
            waiter?.resume(throwing: CancellationError())
        }

        /// Ends it where it has not ended.
        /// - Returns: whether the client hears `error` by this, and gives up the request.
        @discardableResult
        func end(_ error: any Error) -> Bool {
            rest()
            let promise = takePromise()
            promise?.fail(error)
            return promise != nil
        }

        /// Ends it from within. A stream that is cancelled may just end, which is not the end of the body: whoever cancels
        /// has ended the upload before.
        private func complete(_ result: Result<Void, any Error>) {
            let isFirst = state.withLock { state in
                defer { state.isOver = true }
                return !state.isOver
            }
            if isFirst { takePromise()?.completeWith(result) }
        }

        /// The next piece that has bytes; `nil` at the end.
        private static func next(of pieces: inout BodyChunks.Iterator) async throws -> Data? {
            while let piece = try await pieces.next() {
                if !piece.isEmpty { return piece }
            }
            return nil
        }

        /// Ends it with a write, on the loop of the client and without a turn between. The write keeps itself, as in
        /// ``wait(for:)``.
        private func complete(after written: EventLoopFuture<Void>) {
            written.whenComplete { result in
                self.complete(result)
                withExtendedLifetime(written) {}
            }
        }

        private func takePromise() -> EventLoopPromise<Void>? {
            state.withLock { state in
                defer { state.promise = nil }
                return state.promise
            }
        }

        private func wait(for written: EventLoopFuture<Void>) async throws {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiter = continuation }
                    return state.isOver
                }
                if isOver { continuation.resume(throwing: CancellationError()) }
                // The client forgets this future where a request ends while the peer takes no more: it never completes,
                // and the waiter hears of the end from `rest()`. It must not go either, which NIO takes for a fault and
                // stops the program for in debug builds: it keeps itself.
                written.whenComplete { result in
                    let waiter = self.state.withLock { state in
                        defer { state.waiter = nil }
                        return state.waiter
                    }
                    waiter?.resume(with: result)
                    withExtendedLifetime(written) {}
                }
            }
        }
    }
}
