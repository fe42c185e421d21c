// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import WebEngine
import WebViewPool

/// A view without an engine, which records the calls of the pool.
final class FakeView: PoolableView {
    struct Broken: Error {}

    let number: Int
    var isAlive = true
    var failsToWarmUp = false
    var failsToReset = false
    var failsToLook = false
    /// The residual state after a reset.
    var left: Set<ResidualState> = []
    /// A closure that makes the view that replaces this view at a reset; if `nil`, the reset returns this view.
    var makeSuccessor: (() -> FakeView)?
    /// The gate at which a call waits.
    var gate: Gate?
    private(set) var warmUps = 0
    private(set) var resets = 0
    private(set) var looks = 0
    private(set) var discards = 0

    init(_ number: Int) {
        self.number = number
    }

    func warmUp() async throws {
        warmUps += 1
        await gate?.pass()
        if failsToWarmUp { throw Broken() }
    }

    func reset() async throws -> FakeView {
        resets += 1
        await gate?.pass()
        if failsToReset { throw Broken() }
        guard let makeSuccessor else { return self }
        discard()
        return makeSuccessor()
    }

    func residualState() async throws -> Set<ResidualState> {
        looks += 1
        if failsToLook { throw Broken() }
        return left
    }

    func discard() {
        discards += 1
    }
}
