// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

/// The reports of devices in `h5 status`.
@Suite("h5 status", .timeLimit(.minutes(2)))
struct StatusCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func h5(_ arguments: String...) async throws -> Program.Outcome {
        try await Program("h5").run(arguments, in: folder.path)
    }

    /// Creates a repository without releases.
    private func createRepository() async throws {
        for name in ["root", "targets", "online"] { _ = try await h5("keys", "create", name) }
        let outcome = try await h5(
            "keys", "init", "repository", "--root", "root", "--threshold", "1", "--targets", "targets", "--online",
            "online")
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    private func report(
        _ event: String, _ reason: String = "null", package: String = #""shop""#, version: String = #""1.1""#,
        channel: String = #""production""#
    ) -> String {
        #"{"channel":\#(channel),"event":"\#(event)","package":\#(package),"reason":\#(reason),"version":\#(version)}"#
    }

    private struct Reports: Decodable {
        struct Counts: Decodable, Equatable {
            var package: String?
            var version: String?
            var channel: String?
            var installed: Int
            var confirmed: Int
            var rolledBack: [String: Int]
            var updateFailed: [String: Int]
        }

        var reports: [Counts]?
    }

    @Test("Reports are counted by package, version and channel, and failures by reason")
    func counts() async throws {
        try await createRepository()
        let lines = [
            report("installed"), report("confirmed"), report("installed"), report("rolled-back", #""timed-out""#),
            report("installed", channel: #""beta""#), "", report("rolled-back", #""failed""#),
            report("update-failed", #""io""#, version: #""1.2""#),
            report("update-failed", #""network""#, package: "null", version: "null", channel: "null"),
            // Members of later versions have no effect, and missing ones are null.
            #"{"event":"installed","package":"blog","version":"1","later":{"a":[]}}"#,
        ]
        try folder.write("log", lines.joined(separator: "\n").utf8)
        let text = try await h5("status", "repository", "--reports", "log")
        #expect(text.status == 0 && text.errors.isEmpty, "\(text.errors)")
        let expected: [String] = [
            "unknown unknown, no channel: installed 0, confirmed 0, rolled back 0, failed updates 1 (network 1)",
            "blog 1, no channel: installed 1, confirmed 0, rolled back 0, failed updates 0",
            "shop 1.1, channel beta: installed 1, confirmed 0, rolled back 0, failed updates 0",
            "shop 1.1, channel production: installed 2, confirmed 1, rolled back 2 (failed 1, timed-out 1), "
                + "failed updates 0",
            "shop 1.2, channel production: installed 0, confirmed 0, rolled back 0, failed updates 1 (io 1)",
        ]
        let printed = text.output.split(separator: "\n").filter { $0.hasPrefix("reports of ") }
        #expect(printed.map { String($0.dropFirst("reports of ".count)) } == expected)
        let json = try await h5("status", "repository", "--reports", "log", "--json")
        let reports = try #require(try JSONDecoder().decode(Reports.self, from: Data(json.output.utf8)).reports)
        #expect(reports.count == 5)
        #expect(
            reports[3]
                == Reports.Counts(
                    package: "shop", version: "1.1", channel: "production", installed: 2, confirmed: 1,
                    rolledBack: ["failed": 1, "timed-out": 1], updateFailed: [:]))
        let without = try await h5("status", "repository", "--json")
        #expect(without.status == 0 && without.output.contains(#""reports":null"#))
    }

    @Test("Lines that are not reports are left out, with a warning that has the number of the first one")
    func badLines() async throws {
        try await createRepository()
        let long = String(repeating: "a", count: 129)
        let lines = [
            "[]", "{", #"{"event":"installed"}"#, report("opened"), report("installed", #""why""#),
            report("rolled-back"), report("installed", package: #""../x""#), report("installed", version: "null"),
            report("installed", channel: #""\#(long)""#), report("update-failed", #""""#),
            report("installed") + String(repeating: " ", count: 4_096), "\u{0}",
            String(repeating: "a", count: 200_000),
        ]
        for line in lines {
            try folder.write("log", "\(report("installed"))\n\n\(line)\n\(report("confirmed"))\n\(line)".utf8)
            let outcome = try await h5("status", "repository", "--reports", "log", "--json")
            #expect(outcome.status == 0, "\(line.prefix(80))")
            #expect(outcome.errors == "warning: lines that are not reports: 2, the first is line 3\n")
            let reports = try JSONDecoder().decode(Reports.self, from: Data(outcome.output.utf8)).reports
            #expect(reports?.map(\.installed) == [1] && reports?.map(\.confirmed) == [1], "\(line.prefix(80))")
        }
        let missing = try await h5("status", "repository", "--reports", "none")
        #expect(missing.status == 66 && missing.errors.hasPrefix("error: no-input: "), "\(missing.errors)")
    }

    @Test("The number of different counts is limited")
    func limit() async throws {
        try await createRepository()
        let lines = (0...20_000).map { report("installed", version: "\"\($0)\"") }
        try folder.write("log", lines.joined(separator: "\n").utf8)
        let outcome = try await h5("status", "repository", "--reports", "log")
        #expect(outcome.status == 65 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: too-many-releases: "), "\(outcome.errors)")
        #expect(outcome.errors.contains("line 20001)"), "\(outcome.errors)")
    }

    // MARK: Refused releases

    private struct Refusals: Decodable {
        struct Target: Decodable, Equatable {
            var role: String
            var path: String
            var package: String?
            var reason: String
        }

        var refused: [Target]?
    }

    private func refusals() async throws -> (targets: [Refusals.Target]?, errors: String) {
        let outcome = try await h5("status", "repository", "--json")
        try #require(outcome.status == 0, "\(outcome.errors)")
        return (
            try JSONDecoder().decode(Refusals.self, from: Data(outcome.output.utf8)).refused, outcome.errors
        )
    }

    @Test("Releases that devices refuse are listed, and warned of when the package changes, until it is withdrawn")
    func refusedReleases() async throws {
        try await createRepository()
        try folder.write("site/index.html", "<!doctype html>".utf8)
        _ = try await h5("keys", "create", "team")
        func delegate(_ scope: String) async throws {
            let outcome = try await h5(
                "keys", "delegate", "repository", "--package", "shop", "--scope", scope, "--public", "team.pub",
                "--key", "targets", "online")
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
        func publish(_ version: String, _ url: String) async throws -> Program.Outcome {
            try await h5(
                "publish", "site", "--repository", "repository", "--id", "shop", "--version", version, "--base-url",
                url, "--json", "--key", "team", "online")
        }
        try await delegate("https://shop.example/")
        let first = try await publish("1", "https://shop.example/")
        #expect(first.status == 0 && first.output.contains(#""warnings":[]"#), "\(first.errors)")
        var refused = try await refusals()
        #expect(refused.targets == [] && refused.errors.isEmpty)

        try await delegate("https://shop.example/b/")
        refused = try await refusals()
        #expect(refused.targets?.map(\.path) == ["shop/1.json"] && refused.targets?.first?.package == "shop")
        #expect(refused.targets?.first?.reason.contains("https://shop.example/b/") == true)
        let warning = "warning: devices do not update shop because of shop/1.json in the role shop: "
        #expect(refused.errors.hasPrefix(warning), "\(refused.errors)")
        let text = try await h5("status", "repository")
        #expect(text.output.contains("\nshop/1.json in the role shop: refused, "), "\(text.output)")
        let second = try await publish("2", "https://shop.example/b/")
        #expect(second.status == 0 && second.errors.contains(warning), "\(second.errors)")
        #expect(second.output.contains("devices do not update shop"))
        let promoted = try await h5("promote", "repository", "shop", "2", "--key", "team", "online")
        #expect(promoted.status == 0 && promoted.errors.hasPrefix(warning), "\(promoted.errors)")

        // Of many targets, the first ones have warnings.
        for version in 3...11 { _ = try await publish("\(version)", "https://shop.example/b/") }
        try await delegate("https://shop.example/c/")
        refused = try await refusals()
        #expect(refused.targets?.count == 11)
        let lines = refused.errors.split(separator: "\n")
        #expect(lines.count == 11 && lines.last == "warning: h5 status lists 1 more targets that devices do not use")

        let withdrawn = try await h5("withdraw", "repository", "shop", "--all", "--key", "team", "online")
        #expect(withdrawn.status == 0, "\(withdrawn.errors)")
        refused = try await refusals()
        #expect(refused.targets == [] && refused.errors.isEmpty)
    }

    @Test("Metadata of a team that cannot be read causes a warning, and stops changes of its package only")
    func damagedRole() async throws {
        try await createRepository()
        try folder.write("site/index.html", "<!doctype html>".utf8)
        _ = try await h5("keys", "create", "team")
        func publish(_ package: String, key: String) async throws -> Program.Outcome {
            try await h5(
                "publish", "site", "--repository", "repository", "--id", package, "--version", "auto", "--base-url",
                "https://\(package).example/", "--key", key, "online")
        }
        let delegated = try await h5(
            "keys", "delegate", "repository", "--package", "shop", "--public", "team.pub", "--key", "targets", "online")
        try #require(delegated.status == 0, "\(delegated.errors)")
        let first = try await publish("shop", key: "team")
        try #require(first.status == 0, "\(first.errors)")
        try folder.write("repository/metadata/1.shop.json", "{".utf8)
        for outcome in [
            try await publish("shop", key: "team"),
            try await h5("withdraw", "repository", "shop", "--all", "--key", "team", "online"),
            try await h5("keys", "renew", "repository", "--package", "shop", "--key", "team", "online"),
        ] {
            #expect(outcome.status == 65 && outcome.errorLines.count == 1, "\(outcome.errors)")
            #expect(outcome.errors.hasPrefix("error: bad-metadata: "), "\(outcome.errors)")
            #expect(outcome.errors.hasSuffix("(repository/metadata/1.shop.json)\n"), "\(outcome.errors)")
        }
        let other = try await publish("blog", key: "targets")
        #expect(other.status == 0, "\(other.errors)")
        let renewed = try await h5("keys", "renew", "repository", "--key", "targets", "online")
        let warning = "warning: the metadata of shop cannot be read"
        #expect(renewed.status == 0 && renewed.errors.hasPrefix(warning), "\(renewed.errors)")
        let status = try await refusals()
        #expect(status.targets?.map(\.path) == ["shop/*"])
        #expect(status.errors.hasPrefix(warning), "\(status.errors)")
        #expect(status.errors.split(separator: "\n").count == 1 && status.errors.contains("metadata/1.shop.json)"))
    }
}
