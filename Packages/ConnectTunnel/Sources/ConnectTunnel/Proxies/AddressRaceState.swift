// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The state of a race between the addresses of a host (RFC 8305, section 5).
///
/// The addresses are tried in their order. The next attempt starts when an attempt has failed, or after a delay. The
/// first connection wins. If all attempts have failed, or half of the time has passed, further addresses are looked up
/// once. The attempts in progress continue.
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
        /// Half of the time of the race has passed.
        case halfPassed
        /// The look-up of ``Step/lookUp`` has ended with a number of further addresses.
        case added(Int)
        /// The time limit of the race has passed.
        case timedOut
    }

    /// A step that follows from an event.
    enum Step: Hashable {
        /// Start the delay before the next attempt. It replaces an earlier delay.
        case delay
        /// Connect to the address with this number.
        case connect(Int)
        /// Look up further addresses.
        case lookUp
        /// The race is over, and the attempt with this number has won.
        case succeed(Int)
        /// The race is over without a connection.
        case fail
    }

    /// The state of the look-up of further addresses.
    private enum LookUp {
        case possible
        case inProgress
        /// The look-up has ended, or none is possible.
        case ended
    }

    private var count: Int
    private var next = 0
    private var lookUp: LookUp
    /// The numbers of the attempts in progress.
    private(set) var pending: Set<Int> = []
    /// A Boolean value that indicates whether the race is over.
    private(set) var isOver = false

    /// Creates a state.
    /// - Parameters:
    ///   - count: The number of addresses; one at least.
    ///   - canLookUp: A Boolean value that indicates whether further addresses can be looked up.
    init(count: Int, canLookUp: Bool) {
        self.count = count
        lookUp = canLookUp ? .possible : .ended
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
            return continueRace()
        case .halfPassed: return beginLookUp()
        case .added(let further):
            lookUp = .ended
            let isDelayed = next < count
            count += further
            return isDelayed ? [] : continueRace()
        case .timedOut:
            isOver = true
            return [.fail]
        }
    }

    /// Starts the next attempt. If none is left or in progress, looks up further addresses or ends the race.
    private mutating func continueRace() -> [Step] {
        let steps = startNext()
        guard steps.isEmpty, pending.isEmpty else { return steps }
        guard lookUp == .ended else { return beginLookUp() }
        isOver = true
        return [.fail]
    }

    private mutating func beginLookUp() -> [Step] {
        guard lookUp == .possible else { return [] }
        lookUp = .inProgress
        return [.lookUp]
    }

    private mutating func startNext() -> [Step] {
        guard next < count else { return [] }
        defer { next += 1 }
        pending.insert(next)
        // An attempt may fail at once, so it is the last step.
        return next + 1 < count ? [.delay, .connect(next)] : [.connect(next)]
    }
}
