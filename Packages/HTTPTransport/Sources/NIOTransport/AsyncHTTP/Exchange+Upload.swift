// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import AsyncSupport
internal import HTTPTransport
internal import NIOCore
internal import NIOFoundationCompat
internal import ResourceLoading

extension Exchange {
    /// The upload of a request body to the client, in chunks and with back-pressure.
    ///
    /// Isolation: any.
    final class Upload: Sendable {
        private struct State {
            /// The promise that the client waits for. It is completed once.
            var promise: EventLoopPromise<Void>?
            var task: Task<Void, Never>?
            /// The continuation that waits for the current write to complete.
            var waiter: CheckedContinuation<Void, any Error>?
            /// A Boolean value that indicates whether reading and sending have stopped.
            var isOver = false
        }

        /// The longest piece that is written at once, 256 KiB. Each written piece counts as progress.
        private static let longestPiece = 256 << 10
        private let state: Mutex<State>
        /// A future that completes when the body has been sent, or fails.
        let sent: EventLoopFuture<Void>

        /// - Parameter loop: The event loop of the client for this request, so that the completion stays in order with
        ///   the client's calls.
        init(on loop: any EventLoop) {
            let promise = loop.makePromise(of: Void.self)
            sent = promise.futureResult
            state = Mutex(State(promise: promise))
        }

        /// Starts the upload. Call this once.
        /// - Parameter willSend: A closure that is called before the client receives each piece, and before it receives
        ///   the end.
        func start(
            _ chunks: BodyChunks, to writer: HTTPClient.Body.StreamWriter, willSend: @escaping @Sendable () -> Void
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
                                willSend()
                                try await wait(for: writer.write(.byteBuffer(piece)))
                            }
                        }
                        willSend()
                        complete(.success(()))
                    } catch {
                        complete(.failure(error))
                    }
                }
            }
        }

        /// Stops reading and sending without completing the future. If the future failed, the client would cancel an
        /// early response that is still arriving.
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

        /// Ends the upload if it has not ended.
        /// - Returns: `true` if this call fails the client's future with `error`, so that the client cancels the
        ///   request.
        @discardableResult
        func end(_ error: any Error) -> Bool {
            rest()
            let promise = removePromise()
            promise?.fail(error)
            return promise != nil
        }

        /// Ends the upload from its own task. Does nothing after `rest()`, because a cancelled stream may end without
        /// an error.
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
                // If a request ends while the peer accepts no more data, the client forgets this future without
                // completing it. `rest()` then resumes the waiter. The callback retains the future, because debug
                // builds of NIO trap if a promise is released before its completion.
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
