// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading

/// The state that decides when the app is idle. A value without a clock.
///
/// The app is idle if its conditions are idle, memory is not short, it is not suspended, no page loads, and no event
/// occurred for a time. Background transfers run while ``isIdle`` is `true`, in the background of the app too. Work,
/// such as the preparation of views, is due once after each event, and runs in the foreground only.
package struct IdleState: Sendable, Hashable {
    package enum Event: Sendable, Hashable {
        case conditions(HostConditions)
        /// The app becomes absent, for example in the background.
        case away(HostAbsence)
        case back(HostAbsence)
        /// A page starts to load.
        case loading(PageID)
        /// A page ends its load, or is closed.
        case loadingEnded(PageID)
        /// The work ended, successfully or not.
        case worked
        /// The app was quiet for the required time.
        case rested
        /// Memory was released: no work is due until the next event.
        case released
        /// Prepared views were destroyed.
        case lost
    }

    /// The condition for the start of the work.
    package enum Wait: Sendable, Hashable {
        /// The next event.
        case event
        /// A short time without events.
        case quiet
        /// A longer time without events, because pages are loading. The time is limited, because some loads never end.
        case pages
    }

    package private(set) var loading: Set<PageID> = []
    /// A Boolean value that indicates whether background transfers may run: no event occurred for the required time.
    package private(set) var isIdle = false
    private var conditions: HostConditions
    private var absences: Set<HostAbsence> = []
    private var isDue = true

    /// - Parameter conditions: the conditions of the device, without the idleness that this state determines.
    package init(_ conditions: HostConditions) {
        self.conditions = conditions
    }

    private var mayWork: Bool { mayRest && absences.isEmpty }
    private var mayRest: Bool {
        conditions.isIdle && conditions.memory == .normal && !absences.contains(.suspension)
    }

    /// A Boolean value that indicates whether the work is due and permitted.
    package var isWorkDue: Bool { isDue && mayWork }

    package var wait: Wait {
        guard isWorkDue || mayRest && !isIdle else { return .event }
        return loading.isEmpty ? .quiet : .pages
    }

    /// Returns a Boolean value that indicates whether work that began while the given pages were loading may continue.
    package func mayContinue(beside pages: Set<PageID>) -> Bool { mayWork && loading.isSubset(of: pages) }

    package mutating func handle(_ event: Event) {
        switch event {
        case .conditions(let conditions):
            // Work becomes due if memory or idleness recovers, but not if only the network changes.
            let couldWork = mayWork
            self.conditions = conditions
            if mayWork, !couldWork { isDue = true }
        case .away(let absence): absences.insert(absence)
        case .back(let absence): if absences.remove(absence) != nil { recordActivity() }
        case .loading(let page):
            loading.insert(page)
            recordActivity()
        case .loadingEnded(let page): if loading.remove(page) != nil { recordActivity() }
        case .worked, .released: isDue = false
        case .rested: isIdle = mayRest
        case .lost: isDue = true
        }
        if !mayRest { isIdle = false }
    }

    private mutating func recordActivity() {
        isDue = true
        isIdle = false
    }
}
