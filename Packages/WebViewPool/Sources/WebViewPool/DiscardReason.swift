// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

/// The reason why a pool discarded a view. Quarantine reasons are defects of the view; the others belong to normal
/// operation.
public struct DiscardReason: Sendable, Hashable, CustomStringConvertible {
    /// Lower-case words joined by hyphens; for residual state, the names of its kinds.
    public let description: String
    /// A Boolean value that indicates whether the view was discarded because it was not verified to be clean.
    public let isQuarantine: Bool

    private init(_ description: String, isQuarantine: Bool = false) {
        self.description = description
        self.isQuarantine = isQuarantine
    }

    /// Creates a reason for which the host calls `ViewPool.retire(because:where:)`.
    public init(retired description: String) {
        self.init("retired: \(description)")
    }

    /// The pool had no capacity for the view.
    public static let surplus = DiscardReason("surplus")
    /// The view reached the maximum number of checkouts.
    public static let reuseLimit = DiscardReason("reuse-limit")
    /// The system was short of memory.
    public static let trimmed = DiscardReason("trimmed")
    /// The preparation of the view failed or was cancelled.
    public static let warmUpFailed = DiscardReason("warm-up-failed")
    /// The view's process ended while the view was idle or was being prepared.
    public static let diedIdle = DiscardReason("died-idle")
    /// The view's process had ended before the view was checked in, or ended while the view was being reset.
    public static let processEnded = DiscardReason("process-ended", isQuarantine: true)
    /// The reset failed, or the check for residual state failed.
    public static let resetFailed = DiscardReason("reset-failed", isQuarantine: true)

    /// Returns the reason for a view with residual state after the reset.
    public static func residualState(_ residualState: Set<ResidualState>) -> DiscardReason {
        DiscardReason(
            "remains: " + residualState.map(\.description).sorted().joined(separator: ", "), isQuarantine: true)
    }
}
