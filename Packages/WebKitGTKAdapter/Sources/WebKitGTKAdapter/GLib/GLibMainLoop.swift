// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import Glibc

    /// GLib's main loop and Swift's main actor, run together on the main thread.
    ///
    /// GLib does not know Dispatch's main queue, so main-actor jobs would wait for ever under `g_main_loop_run`.
    /// The queue's descriptor is therefore a source of the loop: readable means that jobs wait.
    public enum GLibMainLoop {
        /// Runs `body` on the main actor while the loop turns, and returns its result.
        ///
        /// Call it from the main thread, in a `main()` that is not `async`: it blocks its thread, so that a task would wait
        /// for itself. Both are checked, and end the process with a message.
        /// - Throws: what `body` throws.
        @available(*, noasync, message: "this blocks the thread it runs on: call it from a main() that is not async")
        public static func run<Value: Sendable, Failure: Error>(
            _ body: @escaping @MainActor () async throws(Failure) -> Value
        ) throws(Failure) -> Value {
            precondition(containerkit_is_main_thread() != 0, "GLibMainLoop.run must be called from the main thread")
            precondition(
                withUnsafeCurrentTask { $0 == nil }, "GLibMainLoop.run must be called from a main() that is not async")
            return try MainActor.assumeIsolated { turn(until: body) }.get()
        }

        @MainActor
        private static func turn<Value: Sendable, Failure: Error>(
            until body: @escaping @MainActor () async throws(Failure) -> Value
        ) -> Result<Value, Failure> {
            let loop = g_main_loop_new(nil, 0)
            let source = g_unix_fd_add(
                _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
                { descriptor, _, _ in
                    var count: UInt64 = 0
                    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
                    _dispatch_main_queue_callback_4CF(nil)
                    return 1
                }, nil)
            var result: Result<Value, Failure>?
            let work = Task { @MainActor in
                do throws(Failure) {
                    result = .success(try await body())
                } catch {
                    result = .failure(error)
                }
                g_main_loop_quit(loop)
            }
            while true {
                g_main_loop_run(loop)
                if let result {
                    _ = work
                    g_source_remove(source)
                    g_main_loop_unref(loop)
                    return result
                }
            }
        }

        /// Whether this code is called by a loop that turns.
        static var isTurning: Bool { g_main_depth() > 0 }
    }
#endif
