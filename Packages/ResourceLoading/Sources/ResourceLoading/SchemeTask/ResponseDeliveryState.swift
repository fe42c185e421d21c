// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The life of one scheme task, as a value.
///
/// Engines crash, or raise, when a task hears something out of order or after it was stopped. The legal
/// order is `start redirect* response data* (finish | fail)`, where `fail` may come at any time after
/// `start`, and nothing at all may follow a stop, a finish or a failure.
/// The check and the call that it permits belong in one synchronous step: see ``SchemeTaskDelivery``.
public struct ResponseDeliveryState: Sendable, Hashable {
    /// Something that wants to happen to a task.
    public enum Event: Sendable, Hashable, CaseIterable {
        case start, redirect, response, data, finish, fail, stop
    }

    /// What becomes of an event.
    public enum Verdict: Sendable, Hashable {
        /// The engine may hear it now.
        case deliver
        /// The task is over: the event is dropped in silence.
        case drop
        /// The event contradicts the order, which is a fault of the caller. Nothing is delivered and the state stays.
        case outOfOrder
    }

    private enum State: Hashable {
        case idle, started, responded, over
    }

    private var state = State.idle

    public init() {}

    /// Whether nothing may be delivered any more.
    public var isOver: Bool { state == .over }

    /// Decides over an event and moves on.
    public mutating func accept(_ event: Event) -> Verdict {
        switch (state, event) {
        case (.over, _):
            return .drop
        case (_, .stop):
            // The engine asked for it, so there is no one to tell.
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
