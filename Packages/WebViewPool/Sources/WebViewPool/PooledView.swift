// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The life of one view in a pool, without the view.
///
/// ```
/// preparing ─► warm ─► checkedOut ─► cleaning ─► warm …       each of them ─► ended, for a reason, for good
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
        /// It has loaded its blank page.
        case prepared
        case checkOut(Key)
        /// Its page is closed.
        case checkedIn
        /// It was reset, and nothing was found in it.
        case clean
        /// It is of no use any more, at once.
        case end(DiscardReason)
        /// It is not to be checked out again; where nobody has it and nothing is under way in it, that is its end.
        case retire(DiscardReason)
    }

    private(set) var state: State
    let kind: Key.Kind
    /// What it was checked out for last; `nil` where it never was.
    private(set) var key: Key?
    private(set) var checkOuts: Int
    /// Why it ends as soon as what is under way is over.
    private(set) var retirement: DiscardReason?

    /// A view that is being prepared.
    init(preparing kind: Key.Kind) {
        state = .preparing
        self.kind = kind
        checkOuts = 0
    }

    /// A view that is checked out before it was warm.
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

    /// - Returns: whether the event makes sense in this state; where not, nothing has changed.
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
