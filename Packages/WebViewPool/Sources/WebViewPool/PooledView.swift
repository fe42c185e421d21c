// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The life cycle of one view in a pool, as a value without a reference to the view.
///
/// ```
/// preparing ─► warm ─► checkedOut ─► cleaning ─► warm …       each state ─► ended
/// ```
struct PooledView<Key: PoolKey>: Hashable, Sendable {
    enum State: Hashable, Sendable {
        case preparing
        case warm
        case checkedOut
        case cleaning
        case ended(DiscardReason)
    }

    enum Event: Hashable, Sendable {
        /// The view has loaded its blank page.
        case prepared
        case checkOut(Key)
        /// The view's page is closed.
        case checkedIn
        /// The view was reset, and no residual state was found.
        case clean
        /// The view ends immediately.
        case end(DiscardReason)
        /// The view must not be checked out again. It ends immediately if it is warm, otherwise after the current step.
        case retire(DiscardReason)
    }

    private(set) var state: State
    let kind: Key.Kind
    /// The key of the last checkout; `nil` if there was none.
    private(set) var key: Key?
    private(set) var checkOuts: Int
    /// The reason for which the view ends after the current step.
    private(set) var retirement: DiscardReason?

    /// Creates a view that is being prepared.
    init(preparing kind: Key.Kind) {
        state = .preparing
        self.kind = kind
        checkOuts = 0
    }

    /// Creates a view that is checked out without having been warm.
    init(checkedOutFor key: Key) {
        state = .checkedOut
        kind = key.kind
        self.key = key
        checkOuts = 1
    }

    var isEnded: Bool {
        if case .ended = state { true } else { false }
    }

    func serves(_ key: Key) -> Bool {
        self.key.map { $0 == key } ?? (kind == key.kind)
    }

    /// Applies an event.
    /// - Returns: a Boolean value that indicates whether the event is valid in this state; an invalid event changes
    ///   nothing.
    @discardableResult
    mutating func handle(_ event: Event, reuseLimit: Int) -> Bool {
        switch (state, event) {
        case (.ended, _): return false
        case (_, .end(let reason)): state = .ended(reason)
        case (.warm, .retire(let reason)): state = .ended(reason)
        case (_, .retire(let reason)): retirement = retirement ?? reason
        case (.preparing, .prepared), (.cleaning, .clean): state = retirement.map { .ended($0) } ?? .warm
        case (.warm, .checkOut(let key)) where serves(key):
            state = .checkedOut
            self.key = key
            checkOuts += 1
        case (.checkedOut, .checkedIn):
            let reason = retirement ?? (checkOuts >= reuseLimit ? .reuseLimit : nil)
            state = reason.map { .ended($0) } ?? .cleaning
        default: return false
        }
        return true
    }
}
