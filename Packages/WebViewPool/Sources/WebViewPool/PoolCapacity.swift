// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How many views a pool keeps warm: a number that follows use, within bounds. A value, and a rule without a clock.
///
/// It begins with ``standard-property``. Each page that finds no warm view raises it by one, up to ``most``. It is
/// reviewed when the app is idle: where pages were opened since the last review and a view was left over all the time,
/// the review counts as ample; after ``patience`` of these in a row it falls by one, down to ``least``. A page that
/// finds none, and a review with nothing left over, begin the row anew. An idle app changes nothing.
public struct PoolCapacity: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// How many ample reviews in a row it takes to lower the number.
    public static let patience = 4

    /// The lowest that ``current`` becomes.
    public let least: Int
    /// What ``current`` begins with.
    public let standard: Int
    /// The highest that ``current`` becomes.
    public let most: Int
    /// The most views to keep warm now.
    public private(set) var current: Int
    private var ampleReviews = 0
    /// The fewest that were left over at a loan since the last review; `nil` where there was none.
    private var leastLeft: Int?

    /// Begins with `standard`. Numbers below zero are zero, and bounds that `standard` is outside of are moved to it.
    public init(least: Int, standard: Int, most: Int) {
        self.standard = max(0, standard)
        self.least = min(max(0, least), self.standard)
        self.most = max(most, self.standard)
        current = self.standard
    }

    /// A number that stays.
    public init(fixed: Int) {
        self.init(least: fixed, standard: fixed, most: fixed)
    }

    /// A number that stays.
    public init(integerLiteral value: Int) {
        self.init(fixed: value)
    }

    /// 3 at first, never fewer than 1 nor more than 6.
    public static let standard = PoolCapacity(least: 1, standard: 3, most: 6)

    /// A page was given a warm view, and so many are left.
    public mutating func served(left: Int) {
        leastLeft = min(leastLeft ?? left, left)
    }

    /// A page found no warm view.
    public mutating func missed() {
        leastLeft = 0
        ampleReviews = 0
        current = min(current + 1, most)
    }

    /// The app is idle: looks back on what was used since the last review.
    public mutating func review() {
        guard let left = leastLeft else { return }
        leastLeft = nil
        ampleReviews = left > 0 ? ampleReviews + 1 : 0
        guard ampleReviews == Self.patience else { return }
        ampleReviews = 0
        current = max(current - 1, least)
    }

    /// Memory became so short that only the fewest are to be kept until they are missed.
    public mutating func shrink() {
        ampleReviews = 0
        leastLeft = nil
        current = least
    }
}
