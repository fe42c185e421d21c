// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// The state that decides when the app is idle. A value without a clock.
///
/// The app is idle if its conditions are idle, it is in the foreground, memory is not short, and no page loads. Work is
/// due once after each event.
struct IdleState: Sendable, Hashable {
    enum Event: Sendable, Hashable {
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
        /// Memory was released: no work is due until the next event.
        case released
        /// Prepared views were destroyed.
        case lost
    }

    /// The condition for the start of the work.
    enum Wait: Sendable, Hashable {
        /// The next event.
        case event
        /// A short time without events.
        case quiet
        /// A longer time without events, because pages are loading. The time is limited, because some loads never end.
        case pages
    }

    private(set) var loading: Set<PageID> = []
    private var conditions: HostConditions
    private var absences: Set<HostAbsence> = []
    private var isDue = true

    init(_ conditions: HostConditions) {
        self.conditions = conditions
    }

    private var mayWork: Bool { conditions.isIdle && conditions.memory == .normal && absences.isEmpty }

    var wait: Wait {
        guard isDue, mayWork else { return .event }
        return loading.isEmpty ? .quiet : .pages
    }

    /// Returns a Boolean value that indicates whether work that began while the given pages were loading may continue.
    func mayContinue(beside pages: Set<PageID>) -> Bool { mayWork && loading.isSubset(of: pages) }

    mutating func handle(_ event: Event) {
        switch event {
        case .conditions(let conditions):
            // Work becomes due if memory or idleness recovers, but not if only the network changes.
            let couldWork = mayWork
            self.conditions = conditions
            if mayWork, !couldWork { isDue = true }
        case .away(let absence): absences.insert(absence)
        case .back(let absence):
            if absences.remove(absence) != nil { isDue = true }
        case .loading(let page):
            loading.insert(page)
            isDue = true
        case .loadingEnded(let page):
            if loading.remove(page) != nil { isDue = true }
        case .worked, .released: isDue = false
        case .lost: isDue = true
        }
    }
}
