// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation
    internal import Glibc
    internal import ResourceLoading

    /// Writes a body that arrives over time to the engine, no faster than the engine reads it.
    ///
    /// A socket pair instead of a pipe: a write to a reader that is gone is then an error and not a SIGPIPE.
    @MainActor
    final class SocketWriter {
        private var descriptor: CInt
        private var waiting: CheckedContinuation<Void, Never>?
        private var source: guint = 0

        private init(descriptor: CInt) {
            self.descriptor = descriptor
        }

        /// A writer, and the descriptor that its reader owns from then on.
        static func makePair() -> (writer: SocketWriter, reader: CInt)? {
            var ends: (CInt, CInt) = (-1, -1)
            let made = withUnsafeMutablePointer(to: &ends) { pointer in
                pointer.withMemoryRebound(to: CInt.self, capacity: 2) { ends in
                    socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, ends)
                }
            }
            return made == 0 ? (SocketWriter(descriptor: ends.0), ends.1) : nil
        }

        /// Writes all of `data` and returns when the socket took it.
        /// - Throws: `ResourceError` with code `cancelled` when the reader is gone or the writer was closed.
        func write(_ data: Data) async throws {
            var offset = 0
            while offset < data.count {
                guard descriptor >= 0 else { throw ResourceError(.cancelled, "the answer was closed") }
                let sent = data.withUnsafeBytes { buffer in
                    buffer.baseAddress.map {
                        send(descriptor, $0 + offset, data.count - offset, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
                    } ?? 0
                }
                if sent >= 0 {
                    offset += sent
                } else if errno == EAGAIN {
                    await waitUntilWritable()
                } else if errno != EINTR {
                    throw ResourceError(.cancelled, "the engine does not read any more")
                }
            }
        }

        /// Ends the body. A write that waits ends with an error.
        func close() {
            guard descriptor >= 0 else { return }
            if source != 0 { g_source_remove(source) }
            source = 0
            Glibc.close(descriptor)
            descriptor = -1
            resume()
        }

        private func waitUntilWritable() async {
            await withCheckedContinuation { continuation in
                waiting = continuation
                source = g_unix_fd_add(
                    descriptor, GIOCondition(rawValue: G_IO_OUT.rawValue | G_IO_HUP.rawValue | G_IO_ERR.rawValue),
                    { _, _, data in
                        let writer = object(data, as: SocketWriter.self)
                        MainActor.assumeIsolated {
                            writer?.source = 0
                            writer?.resume()
                        }
                        return 0
                    }, Unmanaged.passUnretained(self).toOpaque())
            }
        }

        private func resume() {
            waiting?.resume()
            waiting = nil
        }

        isolated deinit {
            close()
        }
    }
#endif
