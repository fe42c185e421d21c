// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import ProgramTesting
import Testing

/// `container-browser`, run through its command line.
struct Browser {
    let folder: String

    /// The report of `open --json`.
    struct Report: Decodable {
        struct Run: Decodable {
            struct Requests: Decodable {
                let package: Int
                let prefetch: Int
                let network: Int
                let synthetic: Int
                let failed: Int
            }

            let status: Int
            let errorStatuses: Int
            let checkOutMs: Double?
            let firstContentfulPaintMs: Double?
            let loadMs: Double?
            let requests: Requests
            let bytesFromNetwork: Int64?
            let consoleErrors: [String]
        }

        let url: String
        let mode: String
        let engine: String
        let runs: [Run]
        let median: Run
    }

    /// A line of `run`.
    struct Line: Decodable {
        let url: String
        let ms: Double
        let timedOut: Bool
        let error: String?
    }

    func open(_ url: String, _ options: String...) async throws -> Report {
        try await open(url, options)
    }

    func open(_ url: String, _ options: [String]) async throws -> Report {
        let outcome = try await Program("container-browser").run(["open", url, "--json"] + options, in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    }

    /// Evaluates an expression in a page and returns its JSON.
    func value(
        of expression: String, in url: String, until: String? = nil, _ options: String...
    ) async throws -> String {
        let condition = until.map { ["--until", $0] } ?? []
        let outcome = try await Program("container-browser").run(
            ["run", url, "--print", expression] + condition + options, in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let line = try JSONDecoder().decode(Line.self, from: Data(outcome.output.utf8))
        try #require(line.error == nil && !line.timedOut, "\(outcome.output)")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let value = try #require(document["value"])
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
    }
}
