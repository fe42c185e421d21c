// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import WebKitGTKAdapter

/// `container-browser open`: opens a page and reports how it went.
struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Opens a page and reports its times, its requests by provenance and its bytes from the network.",
        discussion: "An answer with an error status, such as 404, is a page: it is shown, and the exit status is 0.")

    @Argument(help: "The page's real http or https URL.")
    var url: String

    @OptionGroup var stage: StageArguments

    @Flag(help: "Open in a view that is warm already.")
    var warm = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How many times to open, each time in a fresh engine; once without it.", valueName: "n"),
        transform: NumberOption.integer("a number of runs", in: 1...1_000))
    var runs = 1

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Give up on a page after this time; 60 without it.", valueName: "seconds"),
        transform: NumberOption.seconds("a time limit"))
    var timeout = 60.0

    @Option(
        help: ArgumentHelp("Also measure when this becomes true, in milliseconds as readyMs.", valueName: "js"))
    var until: String?

    @Option(help: ArgumentHelp("Write a picture of the page, as PNG.", valueName: "file"))
    var screenshot: String?

    @Option(help: ArgumentHelp("Write a report page with the waterfall, and a HAR 1.2 file.", valueName: "directory"))
    var report: String?

    @Option(
        help: ArgumentHelp(
            "Write what would make the page faster, from what it asked for: prefetch.json, hosts.json, resources.json.",
            discussion: """
                prefetch.json is a table for --prefetch, of the requests for data that are safe to make ahead; \
                resources.json a resource table of the files that belong into a package; hosts.json the hosts whose \
                names are worth resolving ahead. What is left out is named on standard error, with the reason. With \
                --runs 2 or more, what differs from run to run is known. --mode proxy sees all; scheme sees what does \
                not pass by the container; plain gives hosts.json alone.
                """, valueName: "directory"))
    var suggest: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    @MainActor
    func run() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        var options = try stage.options(covering: [url], directory: directory.path, warm: warm)
        // A path that cannot be written must not be found out after the work.
        if let screenshot { try FileOutput.check(file: screenshot, of: "--screenshot") }
        if let report { try FileOutput.check(folder: report, of: "--report") }
        var suggestion = try suggest.map { try LoadSuggestion(of: url, options, into: $0) }
        if suggestion != nil { options.coverSites() }
        var summary = OpenSummary(url: url, options: options)
        var last: Opening?
        for _ in 0..<runs {
            options.traffic = suggestion == nil || options.mode == .plain ? nil : TrafficLog()
            let opening = try await Stage.with(options) { stage in
                summary.engine = stage.engine.name
                if let until {
                    try await ScriptCheck.with(stage.engine) { try await $0.expression(until, of: "--until") }
                }
                let pictures: Opening.Pictures = screenshot == nil && report == nil ? .none : .asItIs
                return try await Opening.measure(
                    url, on: stage, ready: until, pictures: pictures, limit: .seconds(timeout))
            }
            summary.add(opening.result)
            suggestion?.add(opening, options.traffic)
            last = opening
        }
        if let picture = last?.snapshot, let screenshot {
            try FileOutput.write(picture.png, to: screenshot)
            summary.record(screenshot: screenshot)
        }
        if let last, let report {
            try OpenReport(summary: summary, opening: last).write(to: report)
        }
        summary.suggested = try await suggestion?.write()
        try CommandOutput.result(json ? summary.json() : summary.text())
    }
}
