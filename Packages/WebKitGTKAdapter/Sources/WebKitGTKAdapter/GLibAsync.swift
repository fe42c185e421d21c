// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    /// One asynchronous call of GLib that a Swift task waits for.
    ///
    /// The waiting task resumes once: with the result, or earlier when it is cancelled or the call is ended.
    @MainActor
    final class GLibAsync {
        private var complete: (@MainActor (OpaquePointer?) -> Void)?

        private init() {}

        /// Starts a call and waits for its result.
        /// - Parameters:
        ///   - calls: may end the wait earlier.
        ///   - start: makes the call with the callback and user data it is given.
        ///   - finish: takes the result out of the engine; it runs also when nobody waits any more.
        static func call<Value: Sendable>(
            among calls: PendingCalls? = nil, _ start: (GAsyncReadyCallback, gpointer) -> Void,
            finish: @escaping @MainActor (OpaquePointer?) throws -> Value
        ) async throws -> Value {
            let call = GLibAsync()
            let waiter = Waiter<Value>()
            call.complete = { result in
                waiter.resume(with: Result { try finish(result) })
            }
            let id = calls?.add { waiter.resume(with: .failure($0)) }
            defer { if let id { calls?.remove(id) } }
            let data = Unmanaged.passRetained(call).toOpaque()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    waiter.continuation = continuation
                    start(
                        { _, result, data in
                            guard let data else { return }
                            let call = Unmanaged<GLibAsync>.fromOpaque(data).takeRetainedValue()
                            MainActor.assumeIsolated { call.complete?(result) }
                        }, data)
                    if Task.isCancelled { waiter.resume(with: .failure(CancellationError())) }
                }
            } onCancel: {
                Task { @MainActor in waiter.resume(with: .failure(CancellationError())) }
            }
        }

        @MainActor
        private final class Waiter<Value: Sendable> {
            var continuation: CheckedContinuation<Value, any Error>?

            func resume(with result: Result<Value, any Error>) {
                continuation?.resume(with: result)
                continuation = nil
            }
        }
    }
#endif
