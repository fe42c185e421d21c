// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The state machine of one scheme task, as a value.
///
/// Engines crash or raise an exception if they receive a call for a task out of order or after its stop. The legal
/// order is `start redirect* response data* (finish | fail)`. `fail` may come at any time after `start`. Nothing may
/// follow a stop, a finish or a failure. The check and the call that it permits must be one synchronous step; see
/// ``SchemeTaskDelivery``.
@_spi(Facade) public struct ResponseDeliveryState: Sendable, Hashable {
    /// An event of a task.
    @_spi(Facade) public enum Event: Sendable, Hashable, CaseIterable {
        case start, redirect, response, data, finish, fail, stop
    }

    /// The decision about an event.
    @_spi(Facade) public enum Verdict: Sendable, Hashable {
        /// The event may be delivered to the engine now.
        case deliver
        /// The task is over: the event is dropped silently.
        case drop
        /// The event violates the order: the caller has a defect. Nothing is delivered and the state does not change.
        case outOfOrder
    }

    private enum State: Hashable {
        case idle, started, responded, over
    }

    private var state = State.idle

    /// Creates the state of a task that has not started.
    public init() {}

    /// A Boolean value that indicates whether the task is over, so that nothing may be delivered any more.
    public var isOver: Bool { state == .over }

    /// Returns the decision about an event and updates the state.
    public mutating func accept(_ event: Event) -> Verdict {
        switch (state, event) {
        case (.over, _):
            return .drop
        case (_, .stop):
            // The engine stopped the task, so nothing is delivered to it.
            state = .over
            return .drop
        case (.idle, .start):
            state = .started
        case (.started, .redirect):
            break
        case (.started, .response):
            state = .responded
        case (.responded, .data):
            break
        case (.responded, .finish), (.started, .fail), (.responded, .fail):
            state = .over
        default:
            return .outOfOrder
        }
        return .deliver
    }
}
