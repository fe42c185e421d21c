// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport
internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation
    internal import Glibc
    internal import HTTPTypes
    internal import ResourceLoading

    /// A request of the engine on a custom scheme.
    ///
    /// The engine has no signal for a dropped request. A toggle reference detects the drop: its callback runs when this
    /// object has the last reference to the request.
    @MainActor
    final class WebKitGTKSchemeTask: SchemeTaskSink {
        /// The number of bytes after which ``receive(_:)`` waits for the web process.
        ///
        /// The engine reads a body as fast as it arrives and buffers the bytes that the web process has not read. A
        /// fast page reads 2 MiB in about 10 ms.
        private static let lead = 2 << 20

        /// The longest wait for the web process. If a page is busy for longer, the engine buffers 8 MB per second.
        private static let patience = Duration.milliseconds(250)

        private let request: UnsafeMutablePointer<WebKitURISchemeRequest>
        private weak var view: WebKitGTKView?
        private var unconfirmed = 0
        private var delivery: SchemeTaskDelivery?
        private var writer: SocketWriter?
        private var isReleased = false

        /// - Parameter view: the view that sent the request, if known.
        init(_ request: UnsafeMutablePointer<WebKitURISchemeRequest>, from view: WebKitGTKView?) {
            self.request = request
            self.view = view
            // Balanced by `release()`, which runs after the engine has released the request.
            let retained = Unmanaged.passRetained(self).toOpaque()
            g_object_add_toggle_ref(gobject, onToggle, retained)
        }

        /// Sets the delivery that is stopped when the engine drops the request.
        func attach(_ delivery: SchemeTaskDelivery) {
            // The response may have been completed or dropped while the handler ran.
            guard !isReleased else { return delivery.stop() }
            self.delivery = delivery
        }

        /// Returns the body if it consists of bytes only.
        ///
        /// Reading a body with a Blob terminates the process, and the engine does not report which bodies have a Blob.
        /// A page can forge the body kind that the injected script reports. Therefore a copy of this process reads the
        /// body first.
        /// - Throws: `ResourceError` with code `invalidRequest` if the body contains a Blob, `timedOut` if the copied
        ///   process does not return, or `io` if no process can be created.
        func body() throws -> ResourceBody {
            try requireRequest()
            var end = CONTAINERKIT_COPY_MISSING
            let stream = containerkit_body(request, &end)
            if let error = Self.error(of: end) { throw error }
            guard let stream else { return .empty }
            defer { g_object_unref(stream) }
            var body = Data()
            var buffer = [UInt8](repeating: 0, count: 256 << 10)
            while true {
                // The bytes are in memory, so the read does not block.
                let count = g_input_stream_read(stream, &buffer, gsize(buffer.count), nil, nil)
                guard count >= 0 else { throw ResourceError(.io, "the engine did not provide the request body") }
                guard count == 0 else {
                    body.append(contentsOf: buffer[..<count])
                    continue
                }
                return body.isEmpty ? .empty : .bytes(body)
            }
        }

        /// Returns the error for the end of the copied process that read a body; `nil` if it succeeded.
        nonisolated static func error(of end: containerkit_copy_end) -> ResourceError? {
            switch end {
            case CONTAINERKIT_COPY_RETURNED: nil
            case CONTAINERKIT_COPY_ENDED:
                ResourceError(.invalidRequest, "the engine cannot provide the request body: it contains a Blob")
            case CONTAINERKIT_COPY_TIMED_OUT:
                ResourceError(.timedOut, "the process that reads the request body did not return")
            default: ResourceError(.io, "cannot create a process to read the request body")
            }
        }

        func receive(_ head: HTTPResponse, length: Int64?) throws {
            try requireRequest()
            guard let pair = SocketWriter.makePair() else {
                throw ResourceError(.io, "no socket for the response: \(SystemError.lastReason)")
            }
            writer = pair.writer
            finish(with: head, stream: g_unix_input_stream_new(pair.reader, 1), length: length ?? -1)
        }

        func receive(_ head: HTTPResponse, whole body: WholeBody) throws {
            try requireRequest()
            guard let bytes = GBytesBuilder.bytes(of: body) else {
                throw ResourceError(.io, "the file of the response cannot be mapped")
            }
            let length = Int64(g_bytes_get_size(bytes))
            finish(with: head, stream: containerkit_ready_stream_new(bytes), length: length)
            g_bytes_unref(bytes)
        }

        func receive(_ data: Data) async throws {
            guard let writer else { throw ResourceError(.cancelled, "the response was closed") }
            try await writer.write(data)
            unconfirmed += data.count
            guard unconfirmed >= Self.lead, let view else { return }
            unconfirmed = 0
            // The wait is limited, because a synchronous XMLHttpRequest blocks its page until this body arrives.
            try? await withLimit(Self.patience) { try await view.waitForPendingMessages() }
            try Task.checkCancellation()
        }

        func finish() {
            writer?.close()
            writer = nil
        }

        func fail(_ error: ResourceError) {
            writer?.close()
            writer = nil
            guard !isReleased else { return }
            let gerror = g_error_new_literal(
                g_quark_from_string("containerkit"), 1, "\(error)")
            webkit_uri_scheme_request_finish_error(request, gerror)
            g_error_free(gerror)
        }

        /// Throws an error with code `cancelled` if the engine has released the request. A released request must not be
        /// used.
        private func requireRequest() throws {
            guard !isReleased else { throw ResourceError(.cancelled, "the engine dropped the request") }
        }

        private var gobject: UnsafeMutablePointer<GObject> {
            UnsafeMutableRawPointer(request).assumingMemoryBound(to: GObject.self)
        }

        private func finish(with head: HTTPResponse, stream: UnsafeMutablePointer<GInputStream>?, length: Int64) {
            let response = webkit_uri_scheme_response_new(stream, gint64(length))
            webkit_uri_scheme_response_set_status(response, guint(head.status.code), head.status.reasonPhrase)
            if let type = head.headerFields[.contentType] {
                webkit_uri_scheme_response_set_content_type(response, type)
            }
            let headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_RESPONSE)
            for field in head.headerFields {
                soup_message_headers_append(headers, field.name.rawName, field.value)
            }
            webkit_uri_scheme_response_set_http_headers(response, headers)
            webkit_uri_scheme_request_finish_with_response(request, response)
            g_object_unref(response)
            g_object_unref(stream)
        }

        private let onToggle: GToggleNotify = { data, _, isLast in
            guard isLast != 0, let data else { return }
            let task = Unmanaged<WebKitGTKSchemeTask>.fromOpaque(data).takeUnretainedValue()
            MainActor.assumeIsolated { task.engineDidRelease() }
        }

        /// Handles the release of the request by the engine, after the engine dropped the request or read the complete
        /// response. The request must not be used afterwards.
        private func engineDidRelease() {
            guard !isReleased else { return }
            isReleased = true
            delivery?.stop()
            writer?.close()
            writer = nil
            // The reference cannot be removed here, because the notification still uses it.
            Self.endSoon(self)
        }

        /// The tasks whose requests the engine has released. The tasks are released in batches, because a turn of the
        /// main loop for each task takes longer than the release itself.
        private static var ended: [WebKitGTKSchemeTask] = []
        /// The delay of a batch in milliseconds. A request retains the bytes of its response until then.
        private static let longestStay: guint = 10

        private static func endSoon(_ task: WebKitGTKSchemeTask) {
            ended.append(task)
            guard ended.count == 1 else { return }
            g_timeout_add(
                longestStay,
                { _ in
                    MainActor.assumeIsolated { WebKitGTKSchemeTask.releaseEnded() }
                    return 0
                }, nil)
        }

        private static func releaseEnded() {
            let tasks = ended
            ended.removeAll()
            for task in tasks { task.release() }
        }

        private func release() {
            let me = Unmanaged.passUnretained(self)
            g_object_remove_toggle_ref(gobject, onToggle, me.toOpaque())
            delivery = nil
            me.release()
        }
    }
#endif
