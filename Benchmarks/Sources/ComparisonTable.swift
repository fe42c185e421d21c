// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// A plain-text table of comparisons.
struct ComparisonTable {
    private let results: [Comparison]

    init(_ results: [Comparison]) {
        self.results = results
    }

    var text: String {
        let header = ["what", "ours", "reference", "theirs", "ratio", "at most", ""]
        let table: [[String]] = [header] + results.map(Self.cells)
        let widths: [Int] = header.indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        return table.map { Self.line($0, widths) }.joined(separator: "\n")
    }

    private static func cells(of result: Comparison) -> [String] {
        [
            result.name,
            "\(number(result.ours)) \(result.unit)",
            result.reference,
            result.theirs.map { "\(number($0)) \(result.unit)" } ?? "–",
            result.ratio.map(number) ?? "–",
            result.bar.map(number) ?? "–",
            result.isKept.map { $0 ? "kept" : "MISSED" } ?? "",
        ]
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        zip(cells, widths).map { cell, width in
            cell + String(repeating: " ", count: width - cell.count)
        }.joined(separator: "  ")
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : "%.0f", value)
    }
}
