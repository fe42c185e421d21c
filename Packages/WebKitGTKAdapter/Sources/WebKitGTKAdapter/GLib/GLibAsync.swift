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
        /// What has to outlive the call, in the order in which it is let go of.
        private var kept: [gpointer]

        private init(keeping objects: [gpointer]) {
            kept = objects
            for object in objects { g_object_ref(object) }
        }

        /// Lets go of all that the call needed in a later turn of the loop: the engine calls back from inside of its own
        /// work, and an object that ends there, with nobody left who has it, takes that work with it. It crashed where
        /// engines were let go of while their cookies were read.
        private func letGo(of source: UnsafeMutablePointer<GObject>?) {
            if let source, let object = g_object_ref(source) { kept.insert(object, at: 0) }
            let turn: GSourceFunc = { data in
                guard let data else { return 0 }
                let call = Unmanaged<GLibAsync>.fromOpaque(data).takeRetainedValue()
                MainActor.assumeIsolated { for object in call.kept { g_object_unref(object) } }
                return 0
            }
            g_idle_add(turn, Unmanaged.passRetained(self).toOpaque())
        }

        /// Starts a call and waits for its result.
        /// - Parameters:
        ///   - calls: may end the wait earlier.
        ///   - objects: are kept until the call is over, whoever waits: those that what is called needs, and does not keep.
        ///   - start: makes the call with the callback and user data it is given.
        ///   - finish: takes the result out of the engine; it runs also when nobody waits any more.
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
                                call.letGo(of: source)
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
