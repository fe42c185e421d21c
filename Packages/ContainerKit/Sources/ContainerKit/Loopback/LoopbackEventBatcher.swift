// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Logging
internal import LoopbackServer
internal import ResourceLoading

/// Carries what the proxy or the local server tells from its event loops to the main actor, in order, and together: a turn of the main loop
/// for each request would take longer than the request.
///
/// Isolation: any.
final class LoopbackEventBatcher: LoopbackObserving {
    /// What is carried.
    enum Item: Sendable {
        case event(LoopbackEvent)
        case request(ExchangeReport)
    }

    private struct State {
        var waiting: [Item] = []
        var lost = 0
        var isOver = false
    }

    /// The most that waits; what comes beyond is lost.
    private static let limit = 4_096
    /// How long the first one waits for others.
    private static let patience = Duration.milliseconds(10)
    private let state = Mutex(State())
    private let receive: @MainActor (Item) -> Void

    init(receive: @escaping @MainActor (Item) -> Void) {
        self.receive = receive
    }

    /// Tells the container all of it.
    /// - Parameters:
    ///   - source: what the log names.
    ///   - receive: receives what happened first.
    convenience init(
        of source: String, logger: Logger, send: @escaping @MainActor (ContainerEvent) -> Void,
        record: @escaping @MainActor (ExchangeReport) -> Void,
        receive: @escaping @MainActor (LoopbackEvent) -> Void = { _ in }
    ) {
        self.init { item in
            switch item {
            case .request(let report):
                record(report)
                send(.request(RequestRecord(report)))
            case .event(let event):
                logger.debug("\(source)", metadata: ["event": "\(event)"])
                receive(event)
                send(.loopback(event))
            }
        }
    }

    /// News that did not get through.
    var lost: Int { state.withLock(\.lost) }

    func happened(_ event: LoopbackEvent) { add(.event(event)) }
    func ended(_ exchange: ExchangeReport) { add(.request(exchange)) }

    /// Tells what waits, and nothing after that.
    @MainActor
    func close() {
        for item in drain(isLast: true) { receive(item) }
    }

    private func add(_ item: Item) {
        let isFirst = state.withLock { state in
            guard !state.isOver else { return false }
            guard state.waiting.count < Self.limit else {
                state.lost += 1
                return false
            }
            state.waiting.append(item)
            return state.waiting.count == 1
        }
        guard isFirst else { return }
        Task {
            // Nobody cancels it, and told early is as good.
            try? await Task.sleep(for: Self.patience)
            await deliver()
        }
    }

    @MainActor
    private func deliver() {
        for item in drain() { receive(item) }
    }

    private func drain(isLast: Bool = false) -> [Item] {
        state.withLock { state in
            var items: [Item] = []
            swap(&items, &state.waiting)
            state.isOver = state.isOver || isLast
            return items
        }
    }
}
