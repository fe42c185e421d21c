// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import ResourceLoading

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One request through URLSession: its time limits, and the bytes between the session's queue and the reader.
///
/// Isolation: any. One task at a time reads the response.
final class SessionExchange: Sendable, Exchanging {
    /// The error of a request whose peer was silent for longer than its limit.
    struct Silence: Error {
        let limit: Duration
        let phase: TransportFailure.Phase
        let message: String
    }

    private struct State {
        var head: HTTPURLResponse?
        var headReader: CheckedContinuation<HTTPURLResponse, any Error>?
        var chunks: [Data] = []
        var buffered = 0
        var received: Int64 = 0
        var isSuspended = false
        var isSent = false
        var reader: CheckedContinuation<Data?, any Error>?
        var end: Result<Void, any Error>?
        var task: URLSessionTask?
        var watch: Task<Void, Never>?
        var limit: (phase: TransportFailure.Phase, duration: Duration)?
        var lastActivity = ContinuousClock.now
    }

    /// The number of unread bytes at which the session's task is suspended.
    private static let highWater = 256 << 10
    private let state = Mutex(State())
    private let url: String
    private let configuration: URLSessionTransport.Configuration
    private let progress: (@Sendable (UploadProgress) -> Void)?

    init(
        url: String, _ configuration: URLSessionTransport.Configuration,
        progress: (@Sendable (UploadProgress) -> Void)?
    ) {
        self.url = url
        self.configuration = configuration
        self.progress = progress
    }

    // MARK: Caller

    /// Starts the request. Call this once.
    func start(_ task: URLSessionTask, hasBody: Bool) {
        let isOver = state.withLock { state in
            state.task = task
            guard state.end == nil else { return true }
            // Before the first bytes are sent or received, the session does not report whether it is connected.
            let limit = hasBody ? configuration.writeTimeout : configuration.readTimeout
            let phase: TransportFailure.Phase = hasBody ? .connect : .receive
            watch(limit.map { (phase, configuration.connectTimeout + $0) }, in: &state)
            state.isSent = !hasBody
            return false
        }
        if isOver { task.cancel() } else { task.resume() }
    }

    /// Waits for the response head. Cancelling the calling task cancels the request.
    /// - Throws: `ResourceError`.
    func head() async throws -> HTTPURLResponse {
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let known: Result<HTTPURLResponse, any Error>? = state.withLock { state in
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
                    let known: Result<Data?, any Error>? = state.withLock { state in
                        if !state.chunks.isEmpty {
                            let data = state.chunks.count == 1 ? state.chunks[0] : Data(state.chunks.joined())
                            state.chunks = []
                            state.buffered = 0
                            state.lastActivity = .now
                            // Resumes under the lock, as `didReceive(_:)` suspends. If the resume overtook the
                            // suspension, the task would stay suspended.
                            if state.isSuspended { state.task?.resume() }
                            state.isSuspended = false
                            return .success(data)
                        }
                        if let end = state.end { return end.map { nil } }
                        state.reader = continuation
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

    /// Cancels the request, unless the response is complete.
    func cancel() {
        finish(.failure(CancellationError()))
        cancelTask()
    }

    // MARK: Session delegate

    func didSend(_ sent: Int64, of total: Int64) {
        let isOver = state.withLock { state in
            guard state.end == nil else { return true }
            if state.head == nil {
                state.isSent = total > 0 && sent >= total
                let phase: TransportFailure.Phase = state.isSent ? .receive : .send
                let limit = state.isSent ? configuration.readTimeout : configuration.writeTimeout
                watch(limit.map { (phase, $0) }, in: &state)
            }
            return false
        }
        if !isOver { progress?(UploadProgress(sent: sent, total: total > 0 ? total : nil)) }
    }

    func didReceive(_ response: HTTPURLResponse) {
        // No request contains `Upgrade`, so status 101 is invalid (RFC 9110, section 15.2.2). The session would wait
        // forever.
        guard response.statusCode != 101 else {
            return fail(.connectionLost, "the host switched to a protocol that was not requested")
        }
        // Informational responses are ignored.
        guard response.statusCode >= 200 else { return }
        let reader = state.withLock { state in
            state.head = response
            if state.end == nil {
                let isRest = SessionHead.isEventStream(response)
                let limit = isRest ? configuration.eventStreamTimeout : configuration.readTimeout
                watch(limit.map { (.receive, $0) }, in: &state)
            }
            defer { state.headReader = nil }
            return state.headReader
        }
        reader?.resume(returning: response)
    }

    func didReceive(_ data: Data) {
        let (reader, action): (CheckedContinuation<Data?, any Error>?, (() -> Void)?) = state.withLock { state in
            guard state.end == nil else { return (nil, nil) }
            state.lastActivity = .now
            state.received += Int64(data.count)
            if state.received > configuration.decodedBodyLimit, SessionHead.wasDecoded(state.head) {
                return (
                    nil,
                    {
                        self.fail(
                            .tooLarge, "the body decodes to more than \(self.configuration.decodedBodyLimit) bytes")
                    }
                )
            }
            if let reader = state.reader {
                state.reader = nil
                return (reader, nil)
            }
            state.chunks.append(data)
            state.buffered += data.count
            if state.buffered > configuration.unreadLimit {
                return (
                    nil, { self.fail(.tooLarge, "more than \(self.configuration.unreadLimit) bytes are unread") }
                )
            }
            #if canImport(FoundationNetworking)
                // On Linux, suspending does not stop the sender.
                return (nil, nil)
            #else
                guard state.buffered >= Self.highWater, !state.isSuspended, let task = state.task else {
                    return (nil, nil)
                }
                state.isSuspended = true
                task.suspend()
                return (nil, nil)
            #endif
        }
        action?()
        reader?.resume(returning: data)
    }

    func didComplete(_ error: (any Error)?) {
        if let error { finish(.failure(error)) } else { finish(.success(())) }
    }

    // MARK: -

    private func fail(_ code: ResourceError.Code, _ message: String) {
        finish(.failure(ResourceError(code, TransportFailure(.receive, message), at: url)))
        cancelTask()
    }

    private func cancelTask() {
        let task = state.withLock { $0.task }
        task?.cancel()
        // A suspended task does not process its cancellation.
        if state.withLock({ $0.isSuspended }) { task?.resume() }
    }

    private func finish(_ result: Result<Void, any Error>) {
        let ended: State? = state.withLock { state in
            guard state.end == nil else { return nil }
            let before = state
            state.end = result
            state.headReader = nil
            state.reader = nil
            state.watch = nil
            if case .failure(is CancellationError) = result { state.chunks = [] }
            return before
        }
        guard let ended else { return }
        ended.watch?.cancel()
        ended.reader?.resume(with: result.map { nil })
        guard let headReader = ended.headReader else { return }
        switch result {
        case .failure(let error): headReader.resume(throwing: error)
        case .success: headReader.resume(throwing: URLError(.badServerResponse))
        }
    }

    private func failure(_ error: any Error) -> ResourceError {
        let (head, isSent) = state.withLock { ($0.head, $0.isSent) }
        return ResourceError(session: error, hasHead: head != nil, isSent: isSent, at: url)
    }

    /// Starts or stops the timer for silence. The time in which bytes wait for the reader is not silence.
    private func watch(_ limit: (TransportFailure.Phase, Duration)?, in state: inout State) {
        state.lastActivity = .now
        if let limit, let known = state.limit, known == limit, state.watch != nil { return }
        state.limit = limit
        guard limit != nil else {
            state.watch?.cancel()
            state.watch = nil
            return
        }
        // A task that sleeps for an earlier, longer limit would check too late.
        state.watch?.cancel()
        state.watch = Task { [weak self] in
            while let rest = self?.rest() {
                if (try? await Task.sleep(until: .now + rest, clock: .continuous)) == nil { return }
            }
        }
    }

    /// Ends the exchange if the silence has reached the limit.
    /// - Returns: The time until the next check, or `nil` if no check is needed any more.
    private func rest() -> Duration? {
        let (rest, silence): (Duration?, Silence?) = state.withLock { state in
            guard state.end == nil, let limit = state.limit, !Task.isCancelled else { return (nil, nil) }
            if state.buffered > 0 { state.lastActivity = .now }
            let rest = limit.duration - (ContinuousClock.now - state.lastActivity)
            guard rest <= .zero else { return (rest, nil) }
            return (nil, Silence(limit: limit.duration, phase: limit.phase, message: Self.message(limit.phase)))
        }
        if let silence {
            finish(.failure(silence))
            cancelTask()
        }
        return rest
    }

    private static func message(_ phase: TransportFailure.Phase) -> String {
        switch phase {
        case .send, .connect: "the host accepted no more of the request"
        default: "no data was received"
        }
    }
}
