// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import Glibc

    /// A GLib main loop that also runs Swift's main actor on the main thread.
    ///
    /// GLib does not run Dispatch's main queue, so main-actor jobs would never run under `g_main_loop_run`. Therefore
    /// the queue's descriptor, which is readable when jobs are waiting, is a source of the loop.
    public enum GLibMainLoop {
        /// Runs the main loop until `body` returns on the main actor, and returns its result.
        ///
        /// Call it on the main thread, from a `main()` that is not `async`. The call blocks its thread, so a task that
        /// makes the call would wait for itself. Both conditions are checked; a violation terminates the process.
        /// - Throws: the error of `body`.
        @available(*, noasync, message: "blocks its thread: call it from a main() that is not async")
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

        /// A Boolean value that indicates whether the caller runs inside a main loop.
        static var isTurning: Bool { g_main_depth() > 0 }
    }
#endif
