// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import HTTPTypes

/// Carries one answer from the loaders to the engine: in order, with back-pressure, and never after a stop.
///
/// Isolation: the main actor. Every delivery is one synchronous step of "may I?" and "do it", so a stop
/// can only come before or after it, also when it arrives inside the delivery.
@MainActor
public final class SchemeTaskDelivery {
    /// How a task ended.
    public enum Outcome: Sendable {
        /// The engine has the whole answer.
        case finished(bytes: Int64)
        /// The engine was told of a failure.
        case failed(ResourceError, bytes: Int64)
        /// The engine stopped the task.
        case stopped(bytes: Int64)
    }

    private let sink: any SchemeTaskSink
    private var life = ResponseDeliveryState()
    private var work: Task<Void, Never>?
    /// Whether what is under way upstream goes on after a stop, as the Fetch standard has it for `keepalive`.
    private var outlivesStop = false
    private var deliveredBytes: Int64 = 0

    public init(to sink: any SchemeTaskSink) {
        self.sink = sink
    }

    /// A delivery that fails at once.
    public static func refusal(to sink: any SchemeTaskSink, _ reason: String) -> SchemeTaskDelivery {
        let delivery = SchemeTaskDelivery(to: sink)
        delivery.start(answer: { throw ResourceError(.internal, reason) })
        return delivery
    }

    /// Asks for the answer and delivers it.
    /// - Parameters:
    ///   - outlivesStop: whether a stop leaves the task alone: its answer is asked for to the end, and given to nobody.
    ///   - answer: produces the response. It runs in a task that a stop cancels, and at once up to where it has to wait:
    ///     an answer that lies in memory is delivered before this returns.
    ///   - observe: hears the response's head once, before the engine does.
    ///   - completion: hears the outcome once, after which this object does nothing more.
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
        // Stopped before there was something to cancel.
        if life.isOver, !outlivesStop { work.cancel() }
    }

    /// Delivers an answer that is there already, in place of ``start(outlivesStop:answer:observe:completion:)``.
    /// - Returns: how the task ended, after which this object does nothing more.
    public func deliver(_ head: HTTPResponse, _ body: WholeBody) -> Outcome {
        guard life.accept(.start) == .deliver else { return .stopped(bytes: 0) }
        do {
            try deliverWhole(head, body)
            return .finished(bytes: deliveredBytes)
        } catch {
            return end(with: error)
        }
    }

    /// The engine stopped the task: nothing is delivered from here on, and what is under way upstream is cancelled.
    public func stop() {
        _ = life.accept(.stop)
        if !outlivesStop { work?.cancel() }
    }

    /// Gives the answer up, as when its time is over: what is under way upstream is cancelled, and the engine hears that it
    /// has failed.
    public func giveUp() {
        work?.cancel()
    }

    /// A task that begins at once where the system can do that: a turn of the main loop is as long as many an answer.
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
            try await hand(data)
            deliveredBytes += Int64(data.count)
        }
        try permit(.finish)
        sink.finish()
    }

    /// An engine that takes no more bytes has dropped the request, whether it said so or not.
    private func hand(_ data: Data) async throws {
        do {
            try await sink.receive(data)
        } catch {
            // Given up, the answer ends with a failure that the engine still hears of.
            if !Task.isCancelled { stop() }
            throw CancellationError()
        }
    }

    private func deliverWhole(_ head: HTTPResponse, _ body: WholeBody) throws {
        try permit(.response)
        try sink.receive(head, whole: body)
        // The engine has all of it: a stop that came meanwhile changes nothing any more.
        _ = life.accept(.finish)
        deliveredBytes = body.length
    }

    /// Throws where the event may not be delivered: as a cancellation after the end, as a fault when out of order.
    private func permit(_ event: ResponseDeliveryState.Event) throws {
        switch life.accept(event) {
        case .deliver: return
        case .drop: throw CancellationError()
        case .outOfOrder: throw ResourceError(.internal, "scheme task: \(event) out of order")
        }
    }
}
