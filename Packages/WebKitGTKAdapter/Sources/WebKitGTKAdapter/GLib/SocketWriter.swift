// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation
    internal import Glibc
    internal import ResourceLoading

    /// A writer of a streamed body to the engine, no faster than the engine reads.
    ///
    /// The writer uses a socket pair instead of a pipe, because only `send` can suppress SIGPIPE (`MSG_NOSIGNAL`).
    @MainActor
    final class SocketWriter {
        private var descriptor: CInt
        private var waiting: CheckedContinuation<Void, Never>?
        private var source: guint = 0

        private init(descriptor: CInt) {
            self.descriptor = descriptor
        }

        /// Returns a writer, and the descriptor of its reader, which the caller owns; `nil` if no socket pair can be
        /// created.
        static func makePair() -> (writer: SocketWriter, reader: CInt)? {
            var ends: (CInt, CInt) = (-1, -1)
            let made = withUnsafeMutablePointer(to: &ends) { pointer in
                pointer.withMemoryRebound(to: CInt.self, capacity: 2) { ends in
                    socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, ends)
                }
            }
            return made == 0 ? (SocketWriter(descriptor: ends.0), ends.1) : nil
        }

        /// Writes all of `data` and returns when the socket has accepted it.
        /// - Throws: `ResourceError` with code `cancelled` if the reader or the writer is closed.
        func write(_ data: Data) async throws {
            var offset = 0
            while offset < data.count {
                guard descriptor >= 0 else { throw ResourceError(.cancelled, "the response was closed") }
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
                    throw ResourceError(.cancelled, "the engine closed the reader")
                }
            }
        }

        /// Ends the body. A waiting write ends with an error.
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
