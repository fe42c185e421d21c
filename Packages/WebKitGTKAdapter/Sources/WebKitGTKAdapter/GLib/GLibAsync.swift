// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    /// An asynchronous GLib call that a Swift task awaits.
    ///
    /// The task resumes once: with the result, or earlier if the task is cancelled or ``PendingCalls`` ends the call.
    @MainActor
    final class GLibAsync {
        private var complete: (@MainActor (OpaquePointer?) -> Void)?
        /// The retained objects that must outlive the call, in the order of their release.
        private var retained: [gpointer]

        private init(keeping objects: [gpointer]) {
            retained = objects
            for object in objects { g_object_ref(object) }
        }

        /// Releases `source` and the objects of the call in a later turn of the main loop.
        ///
        /// The engine calls back from inside its own functions, so an immediate release of the last reference could
        /// destroy an object that is in use. Measured: without the delay, the engine crashed if it was released while
        /// its cookies were read.
        private func releaseLater(with source: UnsafeMutablePointer<GObject>?) {
            if let source, let object = g_object_ref(source) { retained.insert(object, at: 0) }
            let turn: GSourceFunc = { data in
                guard let data else { return 0 }
                let call = Unmanaged<GLibAsync>.fromOpaque(data).takeRetainedValue()
                MainActor.assumeIsolated { for object in call.retained { g_object_unref(object) } }
                return 0
            }
            g_idle_add(turn, Unmanaged.passRetained(self).toOpaque())
        }

        /// Starts a call and waits for its result.
        /// - Parameters:
        ///   - calls: the pending calls to which the call is added, so that they can end the wait early.
        ///   - objects: objects that the call needs and does not retain. They are retained until the call completes,
        ///     even if the task no longer waits.
        ///   - start: a closure that starts the call with a callback and its user data.
        ///   - finish: a closure that extracts the result. It also runs if the task no longer waits.
        static func call<Value: Sendable>(
            among calls: PendingCalls? = nil, keeping objects: [gpointer] = [],
            _ start: (GAsyncReadyCallback, gpointer) -> Void,
            finish: @escaping @MainActor (OpaquePointer?) throws -> Value
        ) async throws -> Value {
            let call = GLibAsync(keeping: objects)
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
                        { source, result, data in
                            guard let data else { return }
                            let call = Unmanaged<GLibAsync>.fromOpaque(data).takeRetainedValue()
                            MainActor.assumeIsolated {
                                call.complete?(result)
                                call.releaseLater(with: source)
                            }
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
