// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A measured value and the value of a reference.
struct Comparison: Encodable, Sendable {
    /// The measured operation and its file system.
    let name: String
    /// The reference and its version, if it has one.
    let reference: String
    /// The measured value in `unit`.
    let ours: Double
    let theirs: Double?
    let unit: String
    /// The maximum: of the ratio, or of `ours` if there is no reference.
    let bar: Double?

    /// The ratio of `ours` to `theirs`; `nil` without a reference.
    var ratio: Double? {
        guard let theirs, theirs > 0 else { return nil }
        return ours / theirs
    }

    /// A Boolean value that indicates whether the measured value is at most the maximum; `nil` without a maximum.
    var isKept: Bool? {
        bar.map { (ratio ?? ours) <= $0 }
    }
}
