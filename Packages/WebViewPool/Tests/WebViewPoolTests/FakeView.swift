// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import WebViewPool

/// A view that does what the test says.
@MainActor
final class FakeView: PoolableView {
    struct Failure: Error {}

    /// What a view does when it is asked to warm up or to reset.
    enum Behaviour { case succeeds, fails, dies, waits }

    let number: Int
    var isAlive = true
    var onReset = Behaviour.succeeds
    private let onWarmUp: Behaviour
    private(set) var calls: [String] = []
    private var waiting: CheckedContinuation<Void, Never>?
    private var watcher: CheckedContinuation<Void, Never>?

    init(_ number: Int, onWarmUp: Behaviour = .succeeds) {
        self.number = number
        self.onWarmUp = onWarmUp
    }

    func warmUp() async throws {
        calls.append("warmUp")
        try await behave(onWarmUp)
    }

    func reset() async throws {
        calls.append("reset")
        try await behave(onReset)
    }

    func discard() {
        calls.append("discard")
    }

    private func behave(_ behaviour: Behaviour) async throws {
        switch behaviour {
        case .succeeds: break
        case .fails: throw Failure()
        case .dies: isAlive = false
        case .waits:
            await withCheckedContinuation { continuation in
                waiting = continuation
                watcher?.resume()
                watcher = nil
            }
        }
    }

    /// Waits until the view waits.
    func waits() async {
        guard waiting == nil else { return }
        await withCheckedContinuation { watcher = $0 }
    }

    func goOn() {
        let waiting = waiting
        self.waiting = nil
        waiting?.resume()
    }
}
