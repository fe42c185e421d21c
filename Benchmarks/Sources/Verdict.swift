// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport

/// The check of all bars.
enum Verdict {
    /// Checks all bars. Call it after the results are printed.
    /// - Throws: ``CommandError`` with ``ExitStatus/missed`` and the names of the missed comparisons.
    static func check(_ results: [Comparison]) throws {
        let bars = results.compactMap(\.isKept)
        let missed = results.filter { $0.isKept == false }
        guard !missed.isEmpty else { return }
        let names = missed.map { $0.theirs == nil ? $0.name : "\($0.name) against \($0.reference)" }
        throw CommandError(
            .missed, code: "bar-missed", "\(missed.count) of \(bars.count) bars: \(names.joined(separator: "; "))")
    }
}
