// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import WebKitGTKAdapter

/// The command `container-browser open`, which opens a page and reports measurements.
struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Opens a page and reports its times, its requests by provenance and the bytes from the network.",
        discussion: """
            A response with an error status, such as 404, is a page; the exit status is 0.

            Times begin with the call to open. response start is the time at which the engine receives the first byte \
            of the document: from the network in --mode plain, from the container in the other modes, also if a \
            package or a cache has the document. With a redirect it is that of the last response.

            bytes from the network: with --network, all bytes that the simulated network has carried to this program \
            during the opening, heads and TLS included. Without --network, the bodies only: in --mode plain the body \
            sizes that the engine reports, with their content codings; in the other modes the bodies that the \
            container has received from the network and passed to the page, after gzip, deflate and Brotli are \
            removed, and those that the engine has loaded past the container. A response from a package or from the \
            container's cache adds none, and a response from the engine's own cache counts as network. "not known" \
            if a size is missing.
            """)

    @Argument(help: "The page's real http or https URL.")
    var url: String

    @OptionGroup var stage: StageArguments

    @Flag(help: "Open the page in a warm view.")
    var warm = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of openings, each in a fresh engine. Default: 1.", valueName: "n"),
        transform: NumberOption.integer("a number of runs", in: 1...1_000))
    var runs = 1

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time limit for the page. Default: 60.", valueName: "seconds"),
        transform: NumberOption.seconds("a time limit"))
    var timeout = 60.0

    @Option(
        help: ArgumentHelp("Also measure when this expression becomes true (readyMs).", valueName: "js"))
    var until: String?

    @Option(help: ArgumentHelp("Write a picture of the page as PNG. Missing folders are created.", valueName: "file"))
    var screenshot: String?

    @Option(help: ArgumentHelp("Write a report page with the waterfall and a HAR 1.2 file.", valueName: "directory"))
    var report: String?

    @Option(
        help: ArgumentHelp(
            "Write suggestions from the observed requests: prefetch.json, hosts.json and resources.json.",
            discussion: """
                prefetch.json is a table for --prefetch with the data requests that are safe to send ahead; \
                resources.json is a resource table with the files that belong in a package; hosts.json lists the hosts \
                whose names are worth resolving ahead. Omitted requests are listed on standard error with the reason. \
                --runs 2 or more shows which values differ between runs. --mode proxy observes all requests; scheme \
                observes requests that reach the container; plain writes hosts.json only.
                """, valueName: "directory"))
    var suggest: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    @MainActor
    func run() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        var options = try stage.options(covering: [url], directory: directory.path, warm: warm)
        // Unwritable paths are reported before the work begins.
        if let screenshot { try FileOutput.check(file: screenshot, of: "--screenshot", makesFolder: true) }
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
            try FileOutput.makeDirectory(FileOutput.folder(of: screenshot))
            try FileOutput.write(picture.png, to: screenshot)
            summary.record(screenshot: screenshot)
        }
        if let last, let report {
            try OpenReport(summary: summary, opening: last).write(to: report)
        }
        summary.suggested = try await suggestion?.write()
        if json {
            try CommandOutput.result(jsonText: summary.json())
        } else {
            try CommandOutput.result(lines: summary.lines)
        }
    }
}
