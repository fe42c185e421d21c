// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The number of views that a pool keeps warm. It adapts to the use of the pool, within bounds and without a clock.
///
/// The number starts at ``standard-property``. Each page that finds no warm view increases it by one, up to ``most``.
/// The pool reviews the number when the app is idle. A review is ample if each checkout since the last review left a
/// warm view. After ``patience`` consecutive ample reviews the number decreases by one, down to ``least``. A page that
/// finds no warm view, and a review that is not ample, reset the count. A review without checkouts changes nothing.
public struct PoolCapacity: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// The number of consecutive ample reviews that decrease the number by one.
    public static let patience = 4

    /// The minimum of ``current``.
    public let least: Int
    /// The initial value of ``current``.
    public let standard: Int
    /// The maximum of ``current``.
    public let most: Int
    /// The current maximum number of warm views.
    public private(set) var current: Int
    private var ampleReviews = 0
    /// The smallest number of warm views that remained after a checkout since the last review; `nil` if there was none.
    private var leastLeft: Int?

    /// Creates a capacity that starts at `standard`. Negative numbers become zero, and bounds that exclude `standard`
    /// are moved to it.
    public init(least: Int, standard: Int, most: Int) {
        self.standard = max(0, standard)
        self.least = min(max(0, least), self.standard)
        self.most = max(most, self.standard)
        current = self.standard
    }

    /// Creates a constant capacity.
    public init(fixed: Int) {
        self.init(least: fixed, standard: fixed, most: fixed)
    }

    /// Creates a constant capacity.
    public init(integerLiteral value: Int) {
        self.init(fixed: value)
    }

    /// The default capacity: initially 3, at least 1, at most 6.
    public static let standard = PoolCapacity(least: 1, standard: 3, most: 6)

    /// Records that a page got a warm view.
    /// - Parameter left: the number of warm views that remain for the same key.
    mutating func served(left: Int) {
        leastLeft = min(leastLeft ?? left, left)
    }

    /// Records that a page found no warm view.
    mutating func missed() {
        leastLeft = 0
        ampleReviews = 0
        current = min(current + 1, most)
    }

    /// Reviews the use since the last review. Call it when the app is idle.
    mutating func review() {
        guard let left = leastLeft else { return }
        leastLeft = nil
        ampleReviews = left > 0 ? ampleReviews + 1 : 0
        guard ampleReviews == Self.patience else { return }
        ampleReviews = 0
        current = max(current - 1, least)
    }

    /// Reduces the number to the minimum because of critical memory pressure. Later misses increase the number again.
    mutating func shrink() {
        ampleReviews = 0
        leastLeft = nil
        current = least
    }
}
