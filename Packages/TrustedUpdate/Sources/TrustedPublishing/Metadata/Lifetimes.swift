// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The number of days after which new metadata expires.
package struct Lifetimes: Sendable, Hashable {
    /// The permitted numbers of days.
    package static let days = 1...3_650

    package var root = 365
    package var targets = 90
    package var snapshot = 30
    package var timestamp = 7

    /// Creates the default lifetimes.
    package init() {}

    /// Returns the number of days of a role. Delegated roles have that of `targets`.
    package func days(of role: String) -> Int {
        switch role {
        case "root": root
        case "snapshot": snapshot
        case "timestamp": timestamp
        default: targets
        }
    }

    /// Sets the number of days of a role. Roles other than the top-level ones have no lifetime of their own.
    package mutating func set(_ days: Int, for role: String) {
        switch role {
        case "root": root = days
        case "snapshot": snapshot = days
        case "timestamp": timestamp = days
        default: targets = days
        }
    }
}
