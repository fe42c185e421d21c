// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Logging
internal import LoopbackServer
internal import ResourceLoading

/// The observer that forwards the events of the proxy or the local server to the main actor, in order and in batches.
/// Batches are necessary, because one main-actor task per request would take longer than the request.
///
/// Isolation: any.
final class LoopbackEventBatcher: LoopbackObserving {
    private enum Item: Sendable {
        case event(LoopbackEvent)
        case request(ExchangeReport)
    }

    private struct State {
        var waiting: [Item] = []
        var lost = 0
        var isOver = false
    }

    /// The maximum number of waiting items. Further items are dropped and counted.
    private static let limit = 4_096
    /// The time for which the first item waits for further items.
    private static let patience = Duration.milliseconds(10)
    private let state = Mutex(State())
    private let receive: @MainActor (Item) -> Void

    /// Creates a batcher.
    /// - Parameters:
    ///   - source: the name of the source in the log.
    ///   - logger: the logger of the events.
    ///   - host: the receiver of events and records.
    ///   - observer: a closure that receives each event before the host does.
    init(
        of source: String, logger: Logger, to host: any LoopbackHost,
        observer: @escaping @MainActor (LoopbackEvent) -> Void = { _ in }
    ) {
        receive = { item in
            switch item {
            case .request(let exchange):
                if let (generation, page) = exchange.answeredSubresource {
                    host.generation(generation, didAnswer: page)
                }
                host.requestDidEnd(RequestRecord(exchange))
            case .event(let event):
                logger.debug("\(source)", metadata: ["event": "\(event)"])
                observer(event)
                host.loopbackDidSend(event)
            }
        }
    }

    /// The number of items that were dropped.
    var lost: Int { state.withLock(\.lost) }

    func happened(_ event: LoopbackEvent) { add(.event(event)) }
    func ended(_ exchange: ExchangeReport) { add(.request(exchange)) }

    /// Delivers the waiting items. Later items are ignored.
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
            // The task is never cancelled; an early delivery would be harmless.
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
