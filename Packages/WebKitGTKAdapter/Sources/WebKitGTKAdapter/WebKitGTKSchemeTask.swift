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

    /// The engine's end of one request on a custom scheme.
    ///
    /// The engine has no signal for a dropped request. A toggle reference tells instead: it fires when this object
    /// holds the last reference to the request, which is when the engine let go of it.
    @MainActor
    final class WebKitGTKSchemeTask: SchemeTaskSink {
        /// The engine reads a body as fast as it gets it, and keeps what the page's process has not taken yet. So the
        /// next bytes wait after this many until it has: about a hundredth of a second of a fast page's reading.
        private static let lead = 2 << 20

        /// The longest wait for that: a page that is busy for longer takes 8 MB a second into the container's process.
        private static let patience = Duration.milliseconds(250)

        private let request: UnsafeMutablePointer<WebKitURISchemeRequest>
        private weak let view: WebKitGTKView?
        private var unconfirmed = 0
        private var delivery: SchemeTaskDelivery?
        private var writer: SocketWriter?
        private var isReleased = false

        /// - Parameter view: the one that asks, where it is known.
        init(_ request: UnsafeMutablePointer<WebKitURISchemeRequest>, from view: WebKitGTKView?) {
            self.request = request
            self.view = view
            // Balanced by `release()`, which runs once the engine let go or the answer is whole.
            let retained = Unmanaged.passRetained(self).toOpaque()
            g_object_add_toggle_ref(gobject, onToggle, retained)
        }

        /// Takes what must hear when the engine drops the request.
        func attach(_ delivery: SchemeTaskDelivery) {
            // The answer may have been whole, or dropped, while the engine was asking.
            guard !isReleased else { return delivery.stop() }
            self.delivery = delivery
        }

        /// Returns the body if it is plain bytes.
        ///
        /// The engine ends the process that asks for a body that holds a Blob, and does not say which bodies do. A page
        /// can forge the mark of the injected script, so a copy of this process asks first.
        /// - Throws: `ResourceError` with code `invalidRequest` if the body holds a Blob, `timedOut` if the copy does not
        ///   return, `io` if the system gives no process.
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
                // The bytes lie in memory.
                let count = g_input_stream_read(stream, &buffer, gsize(buffer.count), nil, nil)
                guard count >= 0 else { throw ResourceError(.io, "the engine does not give the body of the request") }
                guard count == 0 else {
                    body.append(contentsOf: buffer[..<count])
                    continue
                }
                return body.isEmpty ? .empty : .bytes(body)
            }
        }

        /// The error of a copied process that asked for a body; `nil` if the engine gave it the body.
        nonisolated static func error(of end: containerkit_copy_end) -> ResourceError? {
            switch end {
            case CONTAINERKIT_COPY_RETURNED: nil
            case CONTAINERKIT_COPY_ENDED:
                ResourceError(.invalidRequest, "the engine cannot give the body of the request: it holds a Blob")
            case CONTAINERKIT_COPY_TIMED_OUT:
                ResourceError(.timedOut, "the process that asks the engine for the body does not return")
            default: ResourceError(.io, "the system gives no process to ask the engine for the body")
            }
        }

        func receive(_ head: HTTPResponse, length: Int64?) throws {
            try requireRequest()
            guard let pair = SocketWriter.makePair() else {
                throw ResourceError(.io, "no socket for the answer: \(SystemError.lastReason)")
            }
            writer = pair.writer
            finish(with: head, stream: g_unix_input_stream_new(pair.reader, 1), length: length ?? -1)
        }

        func receive(_ head: HTTPResponse, whole body: WholeBody) throws {
            try requireRequest()
            guard let bytes = GBytesBuilder.bytes(of: body) else {
                throw ResourceError(.io, "the file of the answer cannot be mapped")
            }
            let length = Int64(g_bytes_get_size(bytes))
            finish(with: head, stream: containerkit_ready_stream_new(bytes), length: length)
            g_bytes_unref(bytes)
        }

        func receive(_ data: Data) async throws {
            guard let writer else { throw ResourceError(.cancelled, "the answer was closed") }
            try await writer.write(data)
            unconfirmed += data.count
            guard unconfirmed >= Self.lead, let view else { return }
            unconfirmed = 0
            // Not for ever: a synchronous XMLHttpRequest has its page wait for this very body.
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

        /// Nothing may be said to a request that the engine let go of.
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
            MainActor.assumeIsolated { task.engineLetGo() }
        }

        /// The engine dropped the request, or has read the whole answer: nothing may be said to it any more.
        private func engineLetGo() {
            guard !isReleased else { return }
            isReleased = true
            delivery?.stop()
            writer?.close()
            writer = nil
            // Not from inside the notification, which still uses the reference.
            Self.endSoon(self)
        }

        /// Those that the engine let go of. They are released together, a little later: a turn of the loop for each
        /// takes longer than what there is to do.
        private static var ended: [WebKitGTKSchemeTask] = []
        /// In milliseconds. A request keeps the bytes of its answer for so long.
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
