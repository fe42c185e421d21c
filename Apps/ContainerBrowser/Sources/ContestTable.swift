// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The results of the contest as one table and as JSON.
struct ContestTable {
    private let results: [SiteResult]

    init(_ results: [SiteResult]) {
        self.results = results
    }

    static let header = [
        "site", "opened in", "rounds", "paint", "load", "usable", "package", "network", "cache", "synthetic", "failed",
        "net bytes",
    ]

    /// Returns one row for each variant of each site, in the columns of ``header``.
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

    /// Explanations of the columns, for the terminal and the report.
    static let terms = [
        ("rounds", "the number of openings, each in a fresh engine; the times are medians"),
        ("paint", "the first contentful paint: the first content of the page is on screen"),
        ("load", "the page's load event"),
        ("usable", "the time at which the page is usable, by the expression ready of its contest.json"),
        (
            "package, network, cache",
            "requests by the source of the response, with any status; responses from the plain engine's "
                + "own cache count as network"
        ),
        ("synthetic", "responses that the container created, for example 404 for a path that a complete package lacks"),
        ("failed", "requests without a response"),
        (
            "net bytes",
            "bytes received from the network: all bytes on the slow network, bodies only on unshaped loopback"
        ),
    ]

    /// Returns the table, the findings about each site, and the explanations of the columns.
    func lines(network: String) -> [String] {
        let table = Self.aligned([Self.header] + rows(network: network))
        let terms = Self.terms.map { "\($0): \($1)" }
        return table + [""] + results.flatMap(Self.measures) + [""] + terms
    }

    /// Returns the findings about a site, one line for each.
    static func measures(of result: SiteResult) -> [String] {
        ["\(result.site.name):"] + findings(of: result).map { "  " + $0 }
    }

    static func findings(of result: SiteResult) -> [String] {
        let failures = result.newFailures
        let known = result.failuresOfTheSite
        return [
            "paint with the package: \(factor(result.paintRatio)) × the time of the plain engine on unshaped loopback",
            "paint with the package: \(factor(result.paintGain)) times faster than the plain engine on the slow "
                + "network",
            "usable with the package: \(factor(result.readyGain)) times faster than the plain engine on the slow "
                + "network",
            "usable in the plain engine on loopback: \(factor(result.readyBound)) times faster than on the slow "
                + "network, the upper bound for this site; the view is created after the request",
            "picture with the package: \(result.differingPixels(.packed).map(picture) ?? "not compared")",
            "picture with the network cut: \(result.differingPixels(.packedOffline).map(picture) ?? "not compared")",
            "with the network cut: "
                + (failures.isEmpty
                    ? "no failures beyond those of the plain engine" : "also fails: \(failures)"),
            "also fails in the plain engine, because of the site or of unreachable hosts: "
                + (known.isEmpty ? "nothing" : known.joined(separator: ", ")),
        ]
    }

    private static func picture(_ pixels: PixelDifference) -> String {
        "\(pixels.count) of \(pixels.total) pixels differ from the plain engine's, with text that contains the page's "
            + "own origin hidden in both; \(pixels.ignored) not compared, because plain runs differ there"
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

    /// Returns the rows as lines: the first two columns are left-aligned, the others right-aligned.
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
