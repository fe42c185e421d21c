// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import LoopbackServer
internal import Synchronization

/// Carries what the proxy tells from its event loops to the main actor, in order, and together: a turn of the main loop
/// for each request would take longer than the request.
///
/// Isolation: any.
final class ProxyNews: ProxyObserving {
    /// What is carried.
    enum Item: Sendable {
        case event(ProxyEvent)
        case request(ExchangeReport)
    }

    private struct State {
        var waiting: [Item] = []
        var lost = 0
        var isOver = false
    }

    /// The most that waits; for one more the oldest is lost.
    private static let limit = 4_096
    /// How long the first one waits for others.
    private static let patience = Duration.milliseconds(10)
    private let state = Mutex(State())
    private let hear: @MainActor (Item) -> Void

    init(hear: @escaping @MainActor (Item) -> Void) {
        self.hear = hear
    }

    /// News that did not get through.
    var lost: Int { state.withLock(\.lost) }

    func happened(_ event: ProxyEvent) { add(.event(event)) }
    func ended(_ exchange: ExchangeReport) { add(.request(exchange)) }

    /// Tells what waits, and nothing after that.
    @MainActor
    func close() {
        deliver()
        state.withLock { $0.isOver = true }
    }

    private func add(_ item: Item) {
        let isFirst = state.withLock { state in
            guard !state.isOver else { return false }
            if state.waiting.count >= Self.limit {
                state.waiting.removeFirst()
                state.lost += 1
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
        let items = state.withLock { state in
            defer { state.waiting.removeAll(keepingCapacity: true) }
            return state.waiting
        }
        for item in items { hear(item) }
    }
}
