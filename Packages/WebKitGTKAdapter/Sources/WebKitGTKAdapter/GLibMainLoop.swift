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
        /// Runs `body` on the main actor while the loop turns, and returns its result. Call it from the main thread.
        public static func run<Result: Sendable>(_ body: @escaping @MainActor () async -> Result) -> Result {
            MainActor.assumeIsolated {
                let loop = g_main_loop_new(nil, 0)
                let source = g_unix_fd_add(
                    _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
                    { descriptor, _, _ in
                        var count: UInt64 = 0
                        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
                        _dispatch_main_queue_callback_4CF(nil)
                        return 1
                    }, nil)
                var result: Result?
                let work = Task { @MainActor in
                    result = await body()
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
        }
    }
#endif
