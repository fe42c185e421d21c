// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The state of a race between the addresses of a host (RFC 8305, section 5).
///
/// The addresses are tried in their order. The next attempt starts when an attempt has failed, or after a delay. The
/// first connection wins.
struct AddressRaceState {
    /// An event of a race.
    enum Event: Hashable {
        /// The race begins. It is the first event.
        case began
        /// The delay of the latest ``Step/delay`` has passed.
        case delayPassed
        /// The attempt with this number has a connection.
        case connected(Int)
        /// The attempt with this number has failed.
        case failed(Int)
        /// The time limit of the race has passed.
        case timedOut
    }

    /// A step that follows from an event.
    enum Step: Hashable {
        /// Start the delay before the next attempt. It replaces an earlier delay.
        case delay
        /// Connect to the address with this number.
        case connect(Int)
        /// The race is over, and the attempt with this number has won.
        case succeed(Int)
        /// The race is over without a connection.
        case fail
    }

    private let count: Int
    private var next = 0
    /// The numbers of the attempts in progress.
    private(set) var pending: Set<Int> = []
    /// A Boolean value that indicates whether the race is over.
    private(set) var isOver = false

    /// Creates the state for a number of addresses; one at least.
    init(count: Int) {
        self.count = count
    }

    /// Returns the steps that follow from an event, in order; none after the end of the race.
    mutating func receive(_ event: Event) -> [Step] {
        guard !isOver else { return [] }
        switch event {
        case .began, .delayPassed: return startNext()
        case .connected(let number):
            pending.remove(number)
            isOver = true
            return [.succeed(number)]
        case .failed(let number):
            pending.remove(number)
            let steps = startNext()
            guard steps.isEmpty, pending.isEmpty else { return steps }
            isOver = true
            return [.fail]
        case .timedOut:
            isOver = true
            return [.fail]
        }
    }

    private mutating func startNext() -> [Step] {
        guard next < count else { return [] }
        defer { next += 1 }
        pending.insert(next)
        // An attempt may fail at once, so it is the last step.
        return next + 1 < count ? [.delay, .connect(next)] : [.connect(next)]
    }
}
