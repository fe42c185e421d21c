// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import AsyncSupport
internal import NIOCore
internal import NIOFoundationCompat
internal import ResourceLoading

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
        /// - Parameter handOver: called before each piece is given to the client, and before the end is.
        func start(
            _ chunks: BodyChunks, to writer: HTTPClient.Body.StreamWriter, handOver: @escaping @Sendable () -> Void
        ) {
            state.withLock { state in
                guard !state.isOver else { return }
                state.task = Task {
                    do {
                        for try await data in chunks {
                            var rest = ByteBuffer(data: data)
                            while let piece = rest.readSlice(length: min(rest.readableBytes, Self.longestPiece)),
                                piece.readableBytes > 0
                            {
                                handOver()
                                try await wait(for: writer.write(.byteBuffer(piece)))
                            }
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
            let promise = removePromise()
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
            if isFirst { removePromise()?.completeWith(result) }
        }

        private func removePromise() -> EventLoopPromise<Void>? {
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
