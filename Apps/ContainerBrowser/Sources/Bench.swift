// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContainerTesting
internal import WebKitGTKAdapter

/// The command `container-browser bench`, which compares the open times of sites in one run.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Packs sites, serves them over a slow network and opens each with and without the container.",
        discussion: """
            A site is a folder with an index.html, or a folder that contains contest.json and the site in `site`. \
            contest.json has the fields name, page (the path of the page to open) and ready (a JavaScript expression \
            that is true when the page is usable).
            """)

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "The folders of the sites. Default: the folders in build/sites, which make demo prepares.", valueName: "dir"
        ))
    var sites: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Rounds of the variants without a slow network. Default: 3.", valueName: "n"),
        transform: NumberOption.integer("a number of rounds", in: 1...1_000))
    var runs = 3

    @Option(help: ArgumentHelp("The slow network: 4g, slow-4g or 3g.", valueName: "profile"))
    var network = SlowNetwork(profile: .slowFourG)

    @Option(help: ArgumentHelp("Write a report page with pictures and a chart.", valueName: "directory"))
    var report: String?

    @Flag(help: "Print the results as JSON.")
    var json = false

    @MainActor
    func run() async throws {
        let network = network.profile
        if let report { try FileOutput.check(folder: report, of: "--report") }
        try WebKitGTKEngine.checkDisplay()
        let sites = try (sites.isEmpty ? ContestSite.prepared() : sites).map(ContestSite.init(folder:))
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        var results: [SiteResult] = []
        for site in sites {
            let contest = Contest(site: site, network: network, runs: runs, directory: directory.path) {
                CommandOutput.log($0)
            }
            results.append(try await contest.run())
        }
        if let report { try ContestReport(results: results, network: network).write(to: report) }
        let table = ContestTable(results)
        if json {
            try CommandOutput.result(jsonText: table.json())
        } else {
            try CommandOutput.result(lines: table.lines(network: network.name))
        }
    }
}
