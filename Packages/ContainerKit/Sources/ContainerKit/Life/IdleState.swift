// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// Whether nobody waits for anything; a value, without a clock.
///
/// The app is idle where its conditions say so, it is on screen, memory is not short, and no page loads. Work for idle
/// times is due once for each time that something happened since the last.
struct IdleState: Sendable, Hashable {
    enum Event: Sendable, Hashable {
        case conditions(HostConditions)
        /// The app goes away, and comes back from there.
        case away(HostAbsence)
        case back(HostAbsence)
        /// A page loads, or loads again.
        case loading(PageID)
        /// It does so no longer, or is closed.
        case loadingEnded(PageID)
        /// The work that was due is done, or failed.
        case worked
        /// Memory was asked back: nothing is prepared until something happens.
        case released
        /// Views that wait for a page have ended.
        case lost
    }

    /// What is to be waited for before the work begins.
    enum Wait: Sendable, Hashable {
        /// Until something happens.
        case event
        /// That it stays quiet for a moment.
        case quiet
        /// As ``quiet``, and longer, for pages that load and never come to an end.
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

    /// Whether work that began while these pages were loading goes on.
    func mayGoOn(beside pages: Set<PageID>) -> Bool { mayWork && loading.isSubset(of: pages) }

    mutating func handle(_ event: Event) {
        switch event {
        case .conditions(let conditions):
            // Memory and idleness that come back are a chance; what the network does is none.
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
