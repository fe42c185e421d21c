// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import HTTPTypes
    @_spi(Facade) internal import ResourceLoading
    internal import WebEngine
    internal import WebKit

    /// A task of WebKit on a custom scheme.
    ///
    /// WebKit raises an exception, which ends the app, for each call after a stop or an end, for data before the
    /// response, and for a response after data. Each call here checks the state and calls WebKit in one synchronous
    /// step, so that no call out of order reaches WebKit, whatever the caller does.
    ///
    /// After each ``lead`` bytes the task waits for a confirmation of the web process; see ``TransferWindow``. A page
    /// that confirms nothing receives 8 MB per second.
    @MainActor
    final class WKWebViewSchemeTask: SchemeTaskSink {
        /// The maximum number of bytes that are sent at once and without a confirmation.
        static let lead = 2 << 20
        /// The task of WebKit; `nil` after its end.
        private var task: (any WKURLSchemeTask)?
        private let url: URL?
        private var life = ResponseDeliveryState()
        private let window: TransferWindow
        private let onEnd: @MainActor () -> Void
        private var delivery: SchemeTaskDelivery?
        /// The task that sends a whole body of more than ``lead`` bytes.
        private var sending: Task<Void, Never>?
        private var unconfirmed = 0
        /// The body, after it was read. A stream of WebKit can be read once only.
        private var body: Result<ResourceBody, ResourceError>?

        /// Creates the sink of a task that WebKit has started.
        /// - Parameters:
        ///   - window: the window that the task shares with others.
        ///   - onEnd: a closure that is called once, when the task has ended or was stopped.
        init(_ task: any WKURLSchemeTask, in window: TransferWindow, onEnd: @escaping @MainActor () -> Void) {
            self.task = task
            url = task.request.url
            self.window = window
            self.onEnd = onEnd
            _ = life.accept(.start)
        }

        /// Sets the delivery that is stopped when WebKit stops the task.
        func attach(_ delivery: SchemeTaskDelivery) {
            // The response may have been completed, or the task stopped, while the handler ran.
            guard !life.isOver else { return delivery.stop() }
            self.delivery = delivery
        }

        /// Returns the body of the request, also repeatedly. It is in memory until the task ends.
        /// - Throws: `ResourceError` with code `io` if the stream fails, `tooLarge` if it has more than 256 MB, or
        ///   `cancelled` after the end of the task.
        func requestBody() throws -> ResourceBody {
            guard let task else { throw ResourceError(.cancelled, "the engine stopped the task") }
            if let body { return try body.get() }
            let body: Result<ResourceBody, ResourceError>
            do {
                body = .success(try RequestBody.read(task.request))
            } catch {
                body = .failure(ResourceError(error))
            }
            self.body = body
            return try body.get()
        }

        /// Handles the stop of the task by WebKit, synchronously: WebKit accepts no call from here on.
        func stop() {
            guard !life.isOver else { return }
            _ = life.accept(.stop)
            end()
        }

        func receive(_ head: HTTPResponse, length: Int64?) throws {
            let response = try SchemeResponse.make(head, length: length, at: url)
            try permit(.response)
            task?.didReceive(response)
        }

        /// Sends the head and, if the window has space, the first ``lead`` bytes. The rest of the body follows later; a
        /// stop or an error then ends it.
        func receive(_ head: HTTPResponse, whole body: WholeBody) throws {
            let first = window.isFull ? Data() : try body.piece(at: 0, upTo: Self.lead)
            try receive(head, length: body.length)
            if !first.isEmpty { try send(first) }
            guard first.count < body.length else { return finish() }
            sending = Task { [weak self] in await self?.sendRest(of: body, from: first.count) }
        }

        func receive(_ data: Data) async throws {
            var rest = data[...]
            while !rest.isEmpty {
                try await awaitTurn()
                let piece = rest.prefix(Self.lead - unconfirmed)
                rest = rest.dropFirst(piece.count)
                try send(Data(piece))
            }
        }

        func finish() {
            guard life.accept(.finish) == .deliver, let task else { return }
            task.didFinish()
            end()
        }

        func fail(_ error: ResourceError) {
            guard life.accept(.fail) == .deliver, let task else { return }
            task.didFailWithError(error.urlError(at: url))
            end()
        }

        private func send(_ data: Data) throws {
            try permit(.data)
            task?.didReceive(data)
            unconfirmed += data.count
            window.record(data.count)
        }

        private func sendRest(of body: WholeBody, from start: Int) async {
            var offset = start
            do {
                while offset < body.length {
                    try await awaitTurn()
                    let piece = try body.piece(at: offset, upTo: Self.lead - unconfirmed)
                    try send(piece)
                    offset += piece.count
                }
                finish()
            } catch {
                fail(ResourceError(error))
            }
        }

        /// Waits for a confirmation of the web process if the task has sent ``lead`` bytes, or if the window is full.
        private func awaitTurn() async throws {
            guard !life.isOver, unconfirmed >= Self.lead || window.isFull else { return }
            await window.awaitTurn(of: ObjectIdentifier(self))
            unconfirmed = 0
            try Task.checkCancellation()
        }

        /// Throws an error if WebKit does not accept the event now.
        private func permit(_ event: ResponseDeliveryState.Event) throws {
            switch life.accept(event) {
            case .deliver: return
            case .drop: throw ResourceError(.cancelled, "the engine stopped the task")
            case .outOfOrder: throw ResourceError(.internal, "scheme task: \(event) out of order")
            }
        }

        private func end() {
            task = nil
            body = nil
            sending?.cancel()
            window.release(ObjectIdentifier(self))
            let delivery = delivery
            self.delivery = nil
            onEnd()
            delivery?.stop()
        }
    }

    extension WholeBody {
        /// Returns the bytes from an offset on, at most `limit` of them.
        /// - Throws: `ResourceError` with code `io` if the file cannot be read.
        fileprivate func piece(at offset: Int, upTo limit: Int) throws -> Data {
            switch self {
            case .bytes(let data): Data(data.dropFirst(offset).prefix(limit))
            case .file(let slice): try slice.read(at: offset, count: min(limit, slice.range.count - offset))
            }
        }
    }
#endif
