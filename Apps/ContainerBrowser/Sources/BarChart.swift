// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// A bar chart of durations in milliseconds, as an SVG picture.
struct BarChart {
    struct Bar {
        let label: String
        /// The duration in milliseconds, or `nil` if it was not measured.
        let value: Double?
        let isEmphasised: Bool
    }

    /// The chart's text alternative for assistive technology.
    let title: String
    let bars: [Bar]

    var svg: String {
        let labelWidth = 290.0
        let barWidth = 520.0
        let rowHeight = 30.0
        let longest = max(bars.compactMap(\.value).max() ?? 1, 1)
        let rows = bars.enumerated().map { index, bar in
            let top = Double(index) * rowHeight
            // A minimum width keeps a short bar visible.
            let width = bar.value.map { max($0 / longest * barWidth, 4) } ?? 0
            let text = Self.text(of: bar.value)
            return """
                <text x="\(labelWidth - 10)" y="\(top + 19)" text-anchor="end">\(HTML.escaped(bar.label))</text>\
                <rect x="\(labelWidth)" y="\(top + 5)" width="\(width)" height="20" rx="3" \
                class="\(bar.isEmphasised ? "ours" : "theirs")"/>\
                <text x="\(labelWidth + width + 8)" y="\(top + 19)">\(text)</text>
                """
        }
        let height = Double(bars.count) * rowHeight
        let words = bars.map { "\($0.label): \(Self.text(of: $0.value))" }.joined(separator: "; ")
        return """
            <svg class="chart" viewBox="0 0 920 \(height)" width="920" height="\(height)" role="img" \
            aria-label="\(HTML.escaped("\(title). \(words)"))">\(rows.joined())</svg>
            """
    }

    private static func text(of value: Double?) -> String {
        value.map { String(format: "%.0f ms", $0) } ?? "not measured"
    }
}
