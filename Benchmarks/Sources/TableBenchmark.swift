// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BaseTesting
internal import CommandSupport
internal import Foundation
internal import ResourceTable

/// Compares the decoding and diffing of a resource table of 100,000 entries with the mere parsing of the same JSON. It
/// also measures lookups in the table.
struct TableBenchmark {
    private static let entries = 100_000
    private static let lookUps = 20_000
    let rounds: Int

    func run() throws -> [Comparison] {
        CommandOutput.log("creating a table of 100,000 entries")
        let old = try URLTable(decoded: Self.table(version: "1", changed: 0))
        // One percent of the entries are changed.
        let json = Self.table(version: "2", changed: Self.entries / 100)
        var ours: [Double] = []
        var theirs: [Double] = []
        for round in 1...rounds {
            CommandOutput.log("table: round \(round) of \(rounds)")
            ours.append(
                try Stopwatch.seconds {
                    let diff = TableDiff(from: old, to: try URLTable(decoded: json))
                    guard diff.changed.count == Self.entries / 100 else { throw Failure() }
                })
            theirs.append(
                try Stopwatch.seconds {
                    guard try JSONSerialization.jsonObject(with: json) is [String: Any] else { throw Failure() }
                })
        }
        return [
            Comparison(
                name: "table of 100,000 entries, decoded and compared", reference: "JSONSerialization, parsing alone",
                ours: Stopwatch.median(ours) * 1_000, theirs: Stopwatch.median(theirs) * 1_000, unit: "ms", bar: 1.5),
            Comparison(
                name: "look-up in it, p50", reference: "–", ours: try lookUp(in: old), theirs: nil, unit: "µs", bar: 5),
        ]
    }

    /// Returns the median time of a lookup in microseconds.
    private func lookUp(in table: URLTable) throws -> Double {
        var random = SeededGenerator(seed: 3)
        let urls = (0..<Self.lookUps).map { _ in
            Self.url(Int.random(in: 0..<Self.entries, using: &random)) + "#top"
        }
        var times: [Double] = []
        times.reserveCapacity(urls.count)
        for url in urls {
            let seconds = try Stopwatch.seconds {
                guard table.entry(answering: url) != nil else { throw Failure() }
            }
            times.append(seconds * 1_000_000)
        }
        return Stopwatch.median(times)
    }

    private static func url(_ number: Int) -> String {
        "https://cdn.example.com/ares/\(number % 97)/page-\(number).html?a=\(number % 7)"
    }

    private static func table(version: String, changed: Int) -> Data {
        var random = SeededGenerator(seed: 4)
        var text = #"{"code":200,"data":{"version":"\#(version)","update":true,"resourcemap":{"#
        text.reserveCapacity(Self.entries * 320)
        for number in 0..<Self.entries {
            let digits = String(random.next(), radix: 16) + String(random.next(), radix: 16)
            let md5 = String(repeating: "0", count: 32 - digits.count) + digits
            text += number > 0 ? "," : ""
            text += #""\#(url(number))":{"version":"\#(number < changed ? 2 : 1)","md5":"\#(md5)","#
            text += #""download":"https://cdn.example.com/xcache/1/516/1/\#(md5.prefix(8))/"#
            text += #"https%253A%252F%252Fcdn.example.com%252Fares%252F\#(md5.suffix(8)).js","#
            text += #""ctype":"application/javascript;charset=UTF-8"}"#
        }
        return Data((text + "}}}").utf8)
    }
}

extension URLTable {
    fileprivate init(decoded json: Data) throws {
        guard case .table(let table) = try TableAnswer(decoding: json) else { throw CocoaError(.coderReadCorrupt) }
        self = table
    }
}
