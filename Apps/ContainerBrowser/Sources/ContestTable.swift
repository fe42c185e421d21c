// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The contest's results as one table, and as JSON.
struct ContestTable {
    private let results: [SiteResult]

    init(_ results: [SiteResult]) {
        self.results = results
    }

    static let header = [
        "site", "opened in", "rounds", "paint", "load", "of use", "package", "network", "cache", "synthetic", "failed",
        "net bytes",
    ]

    /// One row for each way of each site, under ``header``.
    func rows(network: String) -> [[String]] {
        results.flatMap { result in
            ContestVariant.allCases.map { variant in
                let run = result.median(variant)
                return [
                    variant == ContestVariant.allCases.first ? result.site.name : "", variant.title(network: network),
                    "\(result.rounds(variant))",
                    Self.time(run.firstContentfulPaintMs), Self.time(run.loadMs), Self.time(run.readyMs),
                    "\(run.requests.package)", "\(run.requests.network)",
                    "\(run.requests.memory + run.requests.disk)", "\(run.requests.synthetic)", "\(run.requests.failed)",
                    run.bytesFromNetwork.map { "\($0)" } ?? "?",
                ]
            }
        }
    }

    /// The words of the header, explained; the same on a terminal and in the report.
    static let terms = [
        ("rounds", "how often the page was opened, each time in a fresh engine; the times are medians"),
        ("paint", "the first contentful paint: something of the page is on screen"),
        ("load", "the page's load event"),
        ("of use", "the site's own sign that one can work with it, which its contest.json names as ready"),
        (
            "package, network, cache",
            "requests that were answered from there, whatever the status of the answer, such as 404; what the plain "
                + "engine has in its own cache counts as network"
        ),
        ("synthetic", "requests that the container answered by itself, as for what a complete package lacks"),
        ("failed", "requests that got no answer at all"),
        (
            "net bytes", "what came over the network: on the slow one all of it, on unshaped loopback the bodies alone"
        ),
    ]

    func text(network: String = "slow-4g") -> String {
        let table = Self.aligned([Self.header] + rows(network: network))
        let terms = Self.terms.map { "\($0): \($1)" }
        return (table + [""] + results.flatMap(Self.measures) + [""] + terms).joined(separator: "\n")
    }

    /// What the figures say, one line each.
    static func measures(of result: SiteResult) -> [String] {
        ["\(result.site.name):"] + findings(of: result).map { "  " + $0 }
    }

    static func findings(of result: SiteResult) -> [String] {
        let failures = result.newFailures
        let known = result.failuresOfTheSite
        return [
            "paint with the package: \(factor(result.paintRatio)) × the plain engine on unshaped loopback",
            "paint with the package: \(factor(result.paintGain)) times sooner than the plain engine on the slow "
                + "network",
            "of use with the package: \(factor(result.readyGain)) times sooner than the plain engine on the slow "
                + "network",
            "of use in the plain engine on unshaped loopback: \(factor(result.readyBound)) times sooner than on the slow "
                + "network, which is what the site's own scripts leave to gain; its view is made then",
            "picture with the package: \(result.differingPixels(.packed).map(picture) ?? "not compared")",
            "picture with the network cut: \(result.differingPixels(.packedOffline).map(picture) ?? "not compared")",
            "with the network cut: "
                + (failures.isEmpty
                    ? "nothing fails that does not fail in the plain engine" : "also fails: \(failures)"),
            "fails or is missing in the plain engine as well, as the site has it or other hosts are out of reach: "
                + (known.isEmpty ? "nothing" : known.joined(separator: ", ")),
        ]
    }

    private static func picture(_ pixels: PixelDifference) -> String {
        "\(pixels.count) of \(pixels.total) pixels differ from the plain engine's, once text that holds the page's "
            + "own origin is hidden in both; \(pixels.ignored) not compared, since plain runs differ there"
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
        let variants: [String: RunResult]
        let readyMs: [String: Double]
        let paintRatio: Double?
        let paintGain: Double?
        let readyGain: Double?
        let differingPixels: Int?
        let newFailures: [String]

        private enum CodingKeys: String, CodingKey {
            case site, engine, readyMs, paintRatio, paintGain, readyGain, differingPixels, newFailures
            case variants = "ways"
        }

        init(_ result: SiteResult) {
            site = result.site.name
            engine = result.engine
            let medians = ContestVariant.allCases.map { ($0.rawValue, result.median($0)) }
            variants = Dictionary(uniqueKeysWithValues: medians)
            readyMs = Dictionary(uniqueKeysWithValues: medians).compactMapValues(\.readyMs)
            paintRatio = result.paintRatio
            paintGain = result.paintGain
            readyGain = result.readyGain
            differingPixels = result.differingPixels(.packed)?.count
            newFailures = result.newFailures
        }
    }
}
