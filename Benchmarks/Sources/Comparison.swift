// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// One figure of ours beside that of a reference.
struct Comparison: Encodable, Sendable {
    /// What was measured, and where.
    let name: String
    /// With its version, where it has one.
    let reference: String
    /// Both in `unit`.
    let ours: Double
    let theirs: Double?
    let unit: String
    /// The most that is allowed: of the ratio, or of our figure where there is no reference.
    let bar: Double?

    /// Ours as a part of the reference's.
    var ratio: Double? {
        guard let theirs, theirs > 0 else { return nil }
        return ours / theirs
    }

    /// Whether the bar is kept; `nil` where there is none.
    var isKept: Bool? {
        bar.map { (ratio ?? ours) <= $0 }
    }
}
