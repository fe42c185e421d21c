// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import CWebKitGTK
    import Testing

    @Suite("Ready streams", .serialized)
    struct ReadyStreamTests {
        /// Reads to the end as the engine does: 8 KiB at a time, with the next read inside the callback.
        private final class Reader {
            let stream: UnsafeMutablePointer<GInputStream>
            private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8 << 10, alignment: 1)
            var bytes: [UInt8] = []
            var reads = 0
            var isAtEnd = false
            var failure: String?
            let cancellable = g_cancellable_new()

            init(_ content: [UInt8]) throws {
                let bytes = g_bytes_new(content, gsize(content.count))
                stream = try #require(containerkit_ready_stream_new(bytes))
                g_bytes_unref(bytes)
            }

            deinit {
                g_object_unref(stream)
                g_object_unref(cancellable)
                buffer.deallocate()
            }

            func read() {
                reads += 1
                let me = Unmanaged.passRetained(self).toOpaque()
                g_input_stream_read_async(
                    stream, buffer.baseAddress, gsize(buffer.count), 0, cancellable,
                    { _, result, me in
                        guard let me else { return }
                        Unmanaged<Reader>.fromOpaque(me).takeRetainedValue().receive(result)
                    }, me)
            }

            private func receive(_ result: OpaquePointer?) {
                var error: UnsafeMutablePointer<GError>?
                let count = g_input_stream_read_finish(stream, result, &error)
                failure = error.map { String(cString: $0.pointee.message) }
                g_clear_error(&error)
                bytes += buffer[..<max(0, count)]
                guard count > 0 else { return isAtEnd = count == 0 }
                read()
            }
        }

        /// Calls `body` in a turn of a new main loop, and returns the number of turns until the loop is idle.
        private func turns(_ body: @escaping () -> Void) -> Int {
            let context = g_main_context_new()
            g_main_context_push_thread_default(context)
            defer {
                g_main_context_pop_thread_default(context)
                g_main_context_unref(context)
            }
            final class Work {
                let body: () -> Void
                init(_ body: @escaping () -> Void) { self.body = body }
            }
            let idle = g_idle_source_new()
            g_source_set_callback(
                idle,
                { work in
                    guard let work else { return 0 }
                    Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
                    return 0
                }, Unmanaged.passRetained(Work(body)).toOpaque(), nil)
            g_source_attach(idle, context)
            g_source_unref(idle)
            var count = 0
            while g_main_context_iteration(context, 0) != 0 { count += 1 }
            return count
        }

        @Test(
            "A short stream is read to its end before the first read call returns",
            arguments: [0, 1, 100, 57_344])
        func atOnce(length: Int) throws {
            let content = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            let reader = try Reader(content)
            var wasAtEnd = false
            let count = turns {
                reader.read()
                wasAtEnd = reader.isAtEnd
            }
            #expect(wasAtEnd && count == 1 && reader.bytes == content)
        }

        @Test("A long stream yields to the main loop after each 64 KiB")
        func long() throws {
            let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
            let reader = try Reader(content)
            let count = turns { reader.read() }
            #expect(reader.isAtEnd && reader.bytes == content)
            // There are 123 reads with bytes and one for the end; eight reads fit in a turn.
            #expect(reader.reads == 124 && count == 16)
        }

        @Test("A cancelled stream is not read further, within a turn or between turns", arguments: [0, 1])
        func cancelled(after turn: Int) throws {
            let reader = try Reader([UInt8](repeating: 1, count: 1_000_000))
            let count = turns {
                if turn == 0 { g_cancellable_cancel(reader.cancellable) }
                reader.read()
                if turn == 1 { g_cancellable_cancel(reader.cancellable) }
            }
            #expect(!reader.isAtEnd && reader.failure == "the request was dropped")
            #expect(reader.bytes.count == turn * 8 * (8 << 10) && count == 1 + turn)
        }

        @Test("Of several streams in a turn, the first is read immediately and the others in the next turn")
        func together() throws {
            let readers = try (0..<5).map { try Reader([UInt8](repeating: UInt8($0), count: 10_000)) }
            var atOnce: [Bool] = []
            let count = turns {
                for reader in readers { reader.read() }
                atOnce = readers.map(\.isAtEnd)
            }
            #expect(atOnce == [true, false, false, false, false] && count == 2)
            #expect(readers.allSatisfy { $0.isAtEnd && $0.bytes.count == 10_000 })
        }
    }
#endif
