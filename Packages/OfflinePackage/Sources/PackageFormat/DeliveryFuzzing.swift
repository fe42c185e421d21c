// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The entry point of the fuzz target for what a server says about ranges.
@_spi(Fuzzing)
public enum DeliveryFuzzing {
    /// Reads any text as a `Content-Range`, and holds what comes of it against what must be true of every one.
    /// - Returns: whether all of it was true; text that is refused is fine.
    public static func contentRangeHolds(_ field: String) -> Bool {
        switch ContentRange(field) {
        case nil: true
        case .unsatisfied(let total): total >= 0 && ContentRange("bytes */\(total)") == .unsatisfied(total: total)
        case .part(let range, let total):
            range.lowerBound >= 0 && !range.isEmpty && total.map { range.upperBound <= $0 } ?? true
                && ContentRange(
                    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map(String.init) ?? "*")")
                    == .part(range, total: total)
        }
    }
}
