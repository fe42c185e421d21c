// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

/// Why a pool ended a view. Those of quarantine are defects of the view, the others are the pool's ways.
public struct DiscardReason: Sendable, Hashable, CustomStringConvertible {
    /// Lower-case words joined by hyphens; of remains, all their names.
    public let description: String
    /// Whether the view was ended because it could not be shown to be clean.
    public let isQuarantine: Bool

    private init(_ description: String, isQuarantine: Bool = false) {
        self.description = description
        self.isQuarantine = isQuarantine
    }

    /// A reason of the host's own for a view that is not to be checked out again; see
    /// `ViewPool.retire(because:where:)`.
    public init(retired description: String) {
        self.init("retired: \(description)")
    }

    /// There was no room for it.
    public static let surplus = DiscardReason("surplus")
    /// It was checked out as often as a view may be.
    public static let reuseLimit = DiscardReason("reuse-limit")
    /// Memory was short.
    public static let trimmed = DiscardReason("trimmed")
    /// It could not be prepared, or that was cancelled.
    public static let warmUpFailed = DiscardReason("warm-up-failed")
    /// It died while nobody had it.
    public static let diedIdle = DiscardReason("died-idle")
    /// It came back dead, or died while it was cleaned.
    public static let processEnded = DiscardReason("process-ended", isQuarantine: true)
    /// Its reset failed, or it could not be told whether it is clean.
    public static let resetFailed = DiscardReason("reset-failed", isQuarantine: true)

    /// The reset left something.
    public static func residualState(_ residualState: Set<ResidualState>) -> DiscardReason {
        DiscardReason(
            "remains: " + residualState.map(\.description).sorted().joined(separator: ", "), isQuarantine: true)
    }
}
