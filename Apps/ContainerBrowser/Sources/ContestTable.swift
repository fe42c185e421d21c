// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The contest's results as one table, and as JSON.
struct ContestTable {
    private let results: [SiteResult]

    init(_ results: [SiteResult]) {
        self.results = results
    }

    func text(network: String = "slow-4g") -> String {
        let header = ["site", "opened in", "paint", "load", "of use", "package", "network", "failed", "net bytes"]
        var rows = [header]
        for result in results {
            for way in ContestWay.allCases {
                let run = result.median(way)
                rows.append([
                    way == ContestWay.allCases.first ? result.site.name : "", way.title(network: network),
                    Self.time(run.firstContentfulPaintMs), Self.time(run.loadMs), Self.time(run.readyMs),
                    "\(run.requests.package)", "\(run.requests.network)", "\(run.requests.failed)",
                    run.bytesFromNetwork.map { "\($0)" } ?? "?",
                ])
            }
        }
        return (Self.aligned(rows) + [""] + results.flatMap(Self.measures)).joined(separator: "\n")
    }

    /// What the figures say, one line each.
    static func measures(of result: SiteResult) -> [String] {
        let pixels = result.differingPixels(.packed)
        let picture = pixels.map {
            "\($0.count) of \($0.total) pixels differ from the plain engine's (\($0.ignored) not compared: plain runs differ there)"
        }
        let failures = result.newFailures
        return [
            "\(result.site.name):",
            "  paint with the package: \(factor(result.paintRatio)) × the plain engine on unshaped loopback",
            "  paint with the package: \(factor(result.paintGain)) times sooner than the plain engine on the slow network",
            "  of use with the package: \(factor(result.readyGain)) times sooner than the plain engine on the slow network",
            "  picture: \(picture ?? "not compared")",
            "  with the network cut: "
                + (failures.isEmpty
                    ? "nothing fails that does not fail in the plain engine" : "also fails: \(failures)"),
        ]
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(results.map(SiteDocument.init)), as: UTF8.self)
    }

    private static func time(_ milliseconds: Double?) -> String {
        milliseconds.map { String(format: "%.0f ms", $0) } ?? "–"
    }

    private static func factor(_ ratio: Double?) -> String {
        ratio.map { String(format: "%.2f", $0) } ?? "not measured:"
    }

    /// The first two columns to the left, the numbers to the right.
    private static func aligned(_ rows: [[String]]) -> [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column < 2 ? cell + padding : padding + cell
            }.joined(separator: "  ")
        }
    }

    private struct SiteDocument: Encodable {
        let site: String
        let engine: String
        let ways: [String: RunResult]
        let readyMs: [String: Double]
        let paintRatio: Double?
        let paintGain: Double?
        let readyGain: Double?
        let differingPixels: Int?
        let newFailures: [String]

        init(_ result: SiteResult) {
            site = result.site.name
            engine = result.engine
            let medians = ContestWay.allCases.map { ($0.rawValue, result.median($0)) }
            ways = Dictionary(uniqueKeysWithValues: medians)
            readyMs = Dictionary(uniqueKeysWithValues: medians).compactMapValues(\.readyMs)
            paintRatio = result.paintRatio
            paintGain = result.paintGain
            readyGain = result.readyGain
            differingPixels = result.differingPixels(.packed)?.count
            newFailures = result.newFailures
        }
    }
}
