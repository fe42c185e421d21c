// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import WebEngine

/// The result of `open`: all runs and the medians of their numbers.
struct OpenSummary: Sendable {
    let url: String
    let mode: InterceptionMode
    let network: String
    let warm: Bool
    var engine = ""
    private(set) var runs: [RunResult] = []
    /// The report on the files that `--suggest` wrote.
    var suggested: LoadSuggestion.Report?

    init(url: String, options: StageOptions) {
        self.url = url
        mode = options.mode
        network = options.network.name
        warm = options.warm
    }

    mutating func add(_ run: RunResult) {
        runs.append(run)
    }

    /// Records the path of the picture. The picture shows the last run.
    mutating func record(screenshot: String) {
        guard !runs.isEmpty else { return }
        runs[runs.count - 1].screenshot = screenshot
    }

    var median: RunResult { .median(of: runs) }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(
            url: url, mode: mode.rawValue, network: network, warm: warm, engine: engine, runs: runs, median: median,
            suggested: suggested)
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }

    /// The lines of the text output, one for each value.
    var lines: [String] {
        let median = median
        let counts = median.requests
        let lines: [(String, String)] = [
            ("page", url),
            ("engine", "\(engine), mode \(mode.rawValue), network \(network), \(warm ? "warm" : "new") view"),
            ("status", median.status.map { "\($0)" } ?? "not known"),
            ("runs", "\(runs.count)\(runs.count > 1 ? ", medians below" : "")"),
            ("check-out", Self.time(median.checkOutMs)),
            ("response start", Self.time(median.responseStartMs)),
            ("first contentful paint", Self.time(median.firstContentfulPaintMs)),
            ("DOM ready", Self.time(median.domReadyMs)),
            ("load", Self.time(median.loadMs)),
            (
                "requests",
                "\(counts.package) package, \(counts.prefetch) prefetch, \(counts.memory + counts.disk) cache, "
                    + "\(counts.network) network, \(counts.synthetic) synthetic, "
                    + "\(counts.failed) failed"
            ),
            ("bytes from the network", median.bytesFromNetwork.map { "\($0)" } ?? "not known"),
        ]
        let refused =
            counts.errorStatuses == 0
            ? [] : [("error statuses", "\(counts.errorStatuses) of the responses")]
        let ready = median.readyMs.map { [("ready", Self.time($0))] } ?? []
        let errors = median.consoleErrors.map { ("page error", $0) }
        let suggestion = suggested.map { [("suggested", $0.text)] } ?? []
        return (lines + refused + ready + errors + suggestion).map {
            "\($0.0.padding(toLength: 24, withPad: " ", startingAt: 0))\($0.1)"
        }
    }

    private static func time(_ milliseconds: Double?) -> String {
        milliseconds.map { String(format: "%.1f ms", $0) } ?? "not measured"
    }

    private struct Document: Encodable {
        let url: String
        let mode: String
        let network: String
        let warm: Bool
        let engine: String
        let runs: [RunResult]
        let median: RunResult
        /// The report on the suggestion; absent if no suggestion was requested.
        let suggested: LoadSuggestion.Report?
    }
}
