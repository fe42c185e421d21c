// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A trial in whose place another was put before the activation that may fail, and what was reported since. A value.
struct ReplacedTrial {
    /// The most events that are kept; what comes after them is forgotten.
    private static let limit = 1_024

    let trial: TrialPeriod
    /// In order, with the time of each.
    private(set) var events: [(TrialPeriod.Event, Duration)] = []

    init(_ trial: TrialPeriod) {
        self.trial = trial
    }

    mutating func record(_ event: TrialPeriod.Event, at time: Duration) {
        if events.count < Self.limit { events.append((event, time)) }
    }
}
