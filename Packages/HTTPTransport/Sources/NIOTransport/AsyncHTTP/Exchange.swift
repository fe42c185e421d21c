// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import AsyncSupport
internal import Foundation
internal import HTTPTransport
internal import NIOCore
internal import NIOFoundationCompat
internal import NIOHTTP1
internal import NIOPosix
internal import ResourceLoading

/// One request through AsyncHTTPClient: its stage, its time limits and the bytes between the client's event loop and
/// the reader.
///
/// Isolation: any. The client calls the delegate methods on its event loop. One task at a time reads the response.
final class Exchange: HTTPClientResponseDelegate, Exchanging {
    typealias Response = Void

    /// The longest silences of the peer; `nil` for no limit.
    struct Limits: Sendable {
        /// The limit while bytes of the request body wait to be sent.
        var request: Duration?
        /// The limit from the end of the request to the response head.
        var head: Duration?
        /// The silence after which the peer is suspected to be unreachable, repeated at this interval; `nil` for
        /// never.
        var probe: Duration?
        /// The limit between chunks of the response body, which depends on the response head.
        var body: @Sendable (HTTPResponseHead) -> Duration?
    }

    /// The error of a request without activity for longer than its limit.
    struct Silence: Error {
        let limit: Duration
    }

    /// The progress of a request.
    enum Stage: Int, Comparable {
        /// The request has no connection yet.
        case connecting
        /// The request head has been sent, and the body is being sent.
        case sending
        /// The request has been sent completely.
        case awaiting
        /// The response head has been received.
        case receiving

        static func < (first: Stage, second: Stage) -> Bool { first.rawValue < second.rawValue }
    }

    fileprivate struct State {
        var stage = Stage.connecting
        var head: HTTPResponseHead?
        var headReader: CheckedContinuation<HTTPResponseHead, any Error>?
        /// The chunks that the client has delivered and the reader has not read.
        var chunks: [ByteBuffer] = []
        var buffered = 0
        /// The number of bytes of the response's body that have arrived.
        var received: Int64 = 0
        /// The promise that the client waits for while too many bytes are unread. When it succeeds, the client reads
        /// again.
        var demand: EventLoopPromise<Void>?
        var reader: CheckedContinuation<Data?, any Error>?
        var end: Result<Void, any Error>?
        var task: HTTPClient.Task<Void>?
        var upload: Upload?
        var sent: Int64 = 0
        /// The number of request body chunks that were passed to the client and that the client has not sent.
        var unsent = 0
        // The timer for silence.
        var limit: Duration?
        var lastActivity = NIODeadline.now()
        /// The time at which the peer was last suspected to be unreachable.
        var suspected = NIODeadline.now()
        var timer: Scheduled<Void>?
    }

    /// The callbacks of an exchange.
    struct Events: Sendable {
        /// A closure that receives the progress of the request body.
        var progress: (@Sendable (UploadProgress) -> Void)?
        /// A closure that is called when the request has a connection, or an HTTP/2 stream.
        var began: @Sendable () -> Void = {}
        /// A closure that receives the length of the silence when the peer may be unreachable. If the request has a
        /// limit, at least that length remains before the limit, so that a probe can detect a dead connection.
        var suspects: @Sendable (TimeAmount) -> Void = { _ in }
    }

    /// The number of unread bytes at which the client stops reading: 256 KiB, a common socket buffer size.
    private static let highWater = 256 << 10
    private let state = Mutex(State())
    private let url: String
    private let limits: Limits
    private let total: Int64?
    private let events: Events

    /// - Parameters:
    ///   - url: The URL that errors contain.
    ///   - limits: The time limits.
    ///   - total: The number of bytes of the request body, if known.
    ///   - events: The callbacks.
    init(url: String, limits: Limits, total: Int64?, events: Events = Events()) {
        self.url = url
        self.limits = limits
        self.total = total
        self.events = events
    }

    // MARK: Caller

    /// Sends the request. Call this once.
    func start(_ request: HTTPClient.Request, by client: HTTPClient) {
        let task = client.execute(request: request, delegate: self)
        // A client that was shut down fails the task without calling its delegate.
        task.futureResult.whenFailure { self.finish(.failure($0)) }
        let isOver = state.withLock { state in
            state.task = task
            return state.end != nil
        }
        if isOver { task.cancel() }
    }

    /// Waits for the response head. Cancelling the calling task cancels the request.
    /// - Throws: `ResourceError`.
    func head() async throws -> HTTPResponseHead {
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let known: Result<HTTPResponseHead, any Error>? = state.withLock { state in
                        if let head = state.head { return .success(head) }
                        if case .failure(let error) = state.end { return .failure(error) }
                        state.headReader = continuation
                        return nil
                    }
                    if let known { continuation.resume(with: known) }
                }
            } onCancel: {
                cancel()
            }
        } catch {
            throw failure(error)
        }
    }

    func next() async throws -> Data? {
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let (known, demand): (Result<Data?, any Error>?, EventLoopPromise<Void>?) = state.withLock {
                        state in
                        if let data = state.drainChunks() { return (.success(data), state.removeDemand()) }
                        if let end = state.end { return (end.map { nil }, nil) }
                        state.reader = continuation
                        return (nil, nil)
                    }
                    demand?.succeed()
                    if let known { continuation.resume(with: known) }
                }
            } onCancel: {
                cancel()
            }
        } catch {
            throw failure(error)
        }
    }

    func cancel() {
        finish(.failure(CancellationError()))
        state.withLock { $0.task }?.cancel()
    }

    /// Sends a request body in chunks, with back-pressure. The client calls this when it is connected.
    func upload(_ chunks: BodyChunks, to writer: HTTPClient.Body.StreamWriter) -> EventLoopFuture<Void> {
        let loop = state.withLock { $0.task }?.eventLoop
        let upload = Upload(on: loop ?? AsyncHTTPTransport.group.next())
        // The upload ends with the exchange.
        let isOver = state.withLock { state in
            state.upload = upload
            return state.end != nil
        }
        if isOver {
            upload.end(CancellationError())
        } else {
            upload.start(chunks, to: writer) {
                self.state.withLock { state in
                    if state.unsent == 0 { state.lastActivity = .now() }
                    state.unsent += 1
                }
            }
        }
        return upload.sent
    }

    // MARK: Client delegate

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        state.withLock { state in
            state.task = task
            guard state.stage < .sending else { return }
            state.stage = .sending
            watch(limits.request, of: task, in: &state)
        }
        events.began()
    }

    func didSendRequestPart(task: HTTPClient.Task<Void>, _ part: IOData) {
        let (sent, isOver) = state.withLock { state in
            state.lastActivity = .now()
            state.sent += Int64(part.readableBytes)
            state.unsent -= 1
            return (state.sent, state.end != nil)
        }
        if !isOver, part.readableBytes > 0 { events.progress?(UploadProgress(sent: sent, total: total)) }
    }

    func didSendRequest(task: HTTPClient.Task<Void>) {
        state.withLock { state in
            guard state.stage < .awaiting else { return }
            state.stage = .awaiting
            watch(limits.head, of: task, in: &state)
        }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let (reader, refused) = state.withLock { state in
            // The response refuses or redirects the request before the request was sent, so the rest is not needed.
            let refused = state.stage < .awaiting && head.status.code >= 300 ? state.upload : nil
            state.stage = .receiving
            state.head = head
            watch(limits.body(head), of: task, in: &state)
            defer { state.headReader = nil }
            return (state.headReader, refused)
        }
        refused?.rest()
        reader?.resume(returning: head)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let (reader, demand) = state.withLock { state in
            state.lastActivity = .now()
            state.received += Int64(buffer.readableBytes)
            guard state.end == nil else { return (state.reader, EventLoopPromise<Void>?.none) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, nil)
            }
            state.chunks.append(buffer)
            state.buffered += buffer.readableBytes
            if state.buffered >= Self.highWater { state.demand = task.eventLoop.makePromise() }
            return (nil, state.demand)
        }
        reader?.resume(returning: Data(buffer: buffer, byteTransferStrategy: .noCopy))
        return demand?.futureResult ?? task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        finish(.failure(error))
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        finish(.success(()))
    }

    // MARK: -

    private func finish(_ outcome: Result<Void, any Error>) {
        var result = outcome
        let ended: State? = state.withLock { state in
            guard state.end == nil else { return nil }
            // A host may respond as soon as it has the announced bytes, before the end of the request.
            if case .failure(let error) = result, let whole = error as? EarlyResponseEndHandler.CompleteResponse {
                let isComplete = whole.length == state.received
                result = isComplete ? .success(()) : .failure(HTTPClientError.remoteConnectionClosed)
            }
            let before = state
            state.end = result
            state.headReader = nil
            state.reader = nil
            state.demand = nil
            state.timer = nil
            state.upload = nil
            if case .failure(is CancellationError) = result { _ = state.drainChunks() }
            return before
        }
        guard let ended else { return }
        ended.timer?.cancel()
        // The upload ends first: after the cancellation of a request, AsyncHTTPClient no longer completes its pending
        // write.
        if case .failure(let error) = result {
            ended.upload?.end(error)
        } else {
            ended.upload?.end(CancellationError())
        }
        ended.demand?.succeed()
        // A reader waits only if no chunk is unread.
        ended.reader?.resume(with: result.map { nil })
        if case .failure(let error) = result { ended.headReader?.resume(throwing: error) }
    }

    private func failure(_ error: any Error) -> ResourceError {
        // AsyncHTTPClient reports `cancelled` if the request reached a closing connection. Cancelling the caller causes
        // `CancellationError` instead.
        let error = error as? HTTPClientError == .cancelled ? HTTPClientError.remoteConnectionClosed : error
        return ResourceError(transport: error, during: state.withLock { $0.stage }, at: url)
    }

    /// Starts or stops the timer for silence. The time in which the exchange waits for the reader or for the request
    /// body is not silence.
    private func watch(_ limit: Duration?, of task: HTTPClient.Task<Void>, in state: inout State) {
        // A timer would retain an exchange that has ended.
        guard state.end == nil else { return }
        state.timer?.cancel()
        state.limit = limit
        state.lastActivity = .now()
        state.suspected = state.lastActivity
        state.timer = [limit.map(TimeAmount.init), suspicionDelay(limit)].compactMap { $0 }.min().map { time in
            task.eventLoop.scheduleTask(in: time) { self.checkSilence(after: task) }
        }
    }

    /// Returns the silence after which the peer is suspected to be unreachable: the probe interval, but at most half of
    /// the limit; `nil` for never.
    private func suspicionDelay(_ limit: Duration?) -> TimeAmount? {
        limits.probe.map { probe in
            TimeAmount(limit.map { min(probe, $0 / 2) } ?? probe)
        }
    }

    private func checkSilence(after task: HTTPClient.Task<Void>) {
        let (suspected, silence): (TimeAmount?, Silence?) = state.withLock { state in
            guard state.end == nil, state.timer != nil else { return (nil, nil) }
            let now = NIODeadline.now()
            if state.demand != nil || (state.stage == .sending && state.unsent <= 0) { state.lastActivity = now }
            if let limit = state.limit, now - state.lastActivity >= TimeAmount(limit) {
                return (nil, Silence(limit: limit))
            }
            let delay = suspicionDelay(state.limit)
            var suspected: TimeAmount?
            if let delay, now - max(state.lastActivity, state.suspected) >= delay {
                state.suspected = now
                suspected = delay
            }
            let deadlines = [
                state.limit.map { state.lastActivity + TimeAmount($0) },
                delay.map { max(state.lastActivity, state.suspected) + $0 },
            ]
            state.timer = deadlines.compactMap { $0 }.min().map { deadline in
                task.eventLoop.scheduleTask(deadline: deadline) { self.checkSilence(after: task) }
            }
            return (suspected, nil)
        }
        if let suspected { events.suspects(suspected) }
        guard let silence else { return }
        let upload = state.withLock { $0.upload }
        if upload?.end(silence) != true { task.fail(reason: silence) }
    }
}

extension Exchange.State {
    fileprivate mutating func drainChunks() -> Data? {
        guard let first = chunks.first else { return nil }
        defer {
            chunks = []
            buffered = 0
        }
        guard chunks.count > 1 else { return Data(buffer: first, byteTransferStrategy: .noCopy) }
        var data = Data(capacity: buffered)
        for part in chunks { data.append(contentsOf: part.readableBytesView) }
        return data
    }

    fileprivate mutating func removeDemand() -> EventLoopPromise<Void>? {
        defer { demand = nil }
        if demand != nil { lastActivity = .now() }
        return demand
    }
}

extension TimeAmount {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (scaled, isOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        self = .nanoseconds(isOverflow ? .max / 2 : scaled + attoseconds / 1_000_000_000)
    }
}
