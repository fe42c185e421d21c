// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import HTTPTypes

/// The delivery of one response from the loaders to the engine: in order, with back-pressure, and never after a stop.
///
/// Isolation: the main actor. Each delivery checks the state and calls the sink in one synchronous step. A stop
/// therefore takes effect before or after a delivery, even if it arrives during the call.
@MainActor
public final class SchemeTaskDelivery {
    /// The outcome of a task.
    public enum Outcome: Sendable {
        /// The engine received the whole response.
        case finished(bytes: Int64)
        /// The engine received a failure.
        case failed(ResourceError, bytes: Int64)
        /// The engine stopped the task.
        case stopped(bytes: Int64)
    }

    private let sink: any SchemeTaskSink
    private var life = ResponseDeliveryState()
    private var work: Task<Void, Never>?
    /// A Boolean value that indicates whether the upstream work continues after a stop, as Fetch requires for
    /// `keepalive`.
    private var outlivesStop = false
    private var deliveredBytes: Int64 = 0

    /// Creates the delivery to a task.
    public init(to sink: any SchemeTaskSink) {
        self.sink = sink
    }

    /// Creates a delivery that fails at once.
    public static func refusal(to sink: any SchemeTaskSink, _ reason: String) -> SchemeTaskDelivery {
        let delivery = SchemeTaskDelivery(to: sink)
        delivery.start(answer: { throw ResourceError(.internal, reason) })
        return delivery
    }

    /// Requests the response and delivers it.
    /// - Parameters:
    ///   - outlivesStop: a Boolean value that indicates whether the request continues after a stop, as Fetch requires
    ///     for `keepalive`. Its response is then discarded, without reading the rest of the body.
    ///   - answer: a closure that produces the response. It runs in a task that a stop cancels. The task starts
    ///     synchronously if the system supports that; a response in memory is then delivered before this method
    ///     returns.
    ///   - observe: a closure that receives the response once, before the engine receives the head.
    ///   - completion: a closure that receives the outcome once. This object does nothing afterwards.
    public func start(
        outlivesStop: Bool = false,
        answer: @escaping @MainActor () async throws -> ResourceResponse,
        observe: @escaping @MainActor (ResourceResponse) -> Void = { _ in },
        completion: @escaping @MainActor (Outcome) -> Void = { _ in }
    ) {
        guard life.accept(.start) == .deliver else { return }
        self.outlivesStop = outlivesStop
        let work = Self.begin { completion(await self.run(answer: answer, observe: observe)) }
        self.work = work
        // The engine may have stopped the task before `work` was set.
        if life.isOver, !outlivesStop { work.cancel() }
    }

    /// Delivers a response that is available already, instead of ``start(outlivesStop:answer:observe:completion:)``.
    /// - Returns: the outcome of the task. This object does nothing afterwards.
    public func deliver(_ head: HTTPResponse, _ body: WholeBody) -> Outcome {
        guard life.accept(.start) == .deliver else { return .stopped(bytes: 0) }
        do {
            try deliverWhole(head, body)
            return .finished(bytes: deliveredBytes)
        } catch {
            return end(with: error)
        }
    }

    /// Stops the delivery, because the engine stopped the task. Cancels the upstream work unless it outlives a stop.
    public func stop() {
        _ = life.accept(.stop)
        if !outlivesStop { work?.cancel() }
    }

    /// Cancels the response, for example after a timeout. The upstream work is cancelled and the engine receives a
    /// failure.
    public func cancel() {
        work?.cancel()
    }

    /// Starts a task synchronously if the system supports it. Waiting for the next turn of the main loop would take as
    /// much time as many responses do.
    private static func begin(_ body: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
        if #available(iOS 26, macOS 26, *) {
            Task.immediate(operation: body)
        } else {
            Task(operation: body)
        }
    }

    private func run(
        answer: @MainActor () async throws -> ResourceResponse, observe: (ResourceResponse) -> Void
    ) async -> Outcome {
        do {
            let response = try await answer()
            if !life.isOver { observe(response) }
            try await deliver(response)
            return .finished(bytes: deliveredBytes)
        } catch {
            return end(with: error)
        }
    }

    private func end(with error: any Error) -> Outcome {
        let error = ResourceError(error)
        guard life.accept(.fail) == .deliver else { return .stopped(bytes: deliveredBytes) }
        sink.fail(error)
        return .failed(error, bytes: deliveredBytes)
    }

    private func deliver(_ response: ResourceResponse) async throws {
        if let body = WholeBody(response.body) { return try deliverWhole(response.head, body) }
        guard case .stream(let stream) = response.body else { return }
        try permit(.response)
        try sink.receive(response.head, length: stream.length)
        for try await data in stream where !data.isEmpty {
            try permit(.data)
            try await send(data)
            deliveredBytes += Int64(data.count)
        }
        try permit(.finish)
        sink.finish()
    }

    /// Delivers a chunk. If the engine refuses the chunk, it has dropped the request, and the delivery stops.
    private func send(_ data: Data) async throws {
        do {
            try await sink.receive(data)
        } catch {
            // After ``cancel()`` the engine still has to receive a failure.
            if !Task.isCancelled { stop() }
            throw CancellationError()
        }
    }

    private func deliverWhole(_ head: HTTPResponse, _ body: WholeBody) throws {
        try permit(.response)
        try sink.receive(head, whole: body)
        // The engine has the whole response, so a stop during the call has no effect.
        _ = life.accept(.finish)
        deliveredBytes = body.length
    }

    /// Throws if the event may not be delivered: `CancellationError` after the end, or an internal error if the event
    /// is out of order.
    private func permit(_ event: ResponseDeliveryState.Event) throws {
        switch life.accept(event) {
        case .deliver: return
        case .drop: throw CancellationError()
        case .outOfOrder: throw ResourceError(.internal, "scheme task: \(event) out of order")
        }
    }
}
