// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation

/// Measures hot paths together with a named reference in the same run. Absolute times differ between machines and runs,
/// but the ratios are stable.
@main
struct ContainerBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container-benchmarks",
        abstract: "Measures hot paths against a named reference in the same run, and prints ratios and their bars.",
        discussion: """
            Build in release mode. Rounds alternate, and medians are compared. Exit status 1 if a bar is missed; \
            after all results, a line on standard error lists the missed bars.
            """)

    @Option(help: ArgumentHelp("The number of rounds of each measurement.", valueName: "n"))
    var rounds = 5

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Folders to measure in: by default a tmpfs, if there is one, and the disk.", valueName: "dir"))
    var places: [String] = []

    /// The benchmarks by name.
    enum Subject: String, CaseIterable, ExpressibleByArgument {
        case install
        case memory
        case lookUp = "look-up"
        case chain
        case opening
        case table
        case arrival
        case update
        case rules
        case cache
        case rewriting
        case cookies
        case trust
        case names
    }

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Measure only these: install, memory, look-up, chain, opening, table, arrival, update, rules, cache, "
                + "rewriting, cookies, trust, names.",
            valueName: "name"))
    var only: [Subject] = Subject.allCases

    @Flag(help: "Print the results as JSON.")
    var json = false

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
    }

    func run() async throws {
        var results: [Comparison] = []
        for place in places.isEmpty ? Place.standard : places.map({ Place(path: $0) }) {
            results += try await measure(in: place)
        }
        if only.contains(.table) { results += try TableBenchmark(rounds: rounds).run() }
        if only.contains(.rules) { results += try RulesBenchmark().run() }
        if only.contains(.cookies) { results += try await CookieBenchmark(rounds: rounds).run() }
        if only.contains(.rewriting) { results += try await RewritingBenchmark(rounds: rounds).run() }
        if only.contains(.names) { results += try await NameBenchmark(rounds: rounds).run() }
        if only.contains(.trust) { results += try await TrustBenchmark(rounds: rounds).run() }
        let folder = try ScratchFolder(in: FileManager.default.temporaryDirectory.path)
        defer { folder.remove() }
        if only.contains(.memory) { results += try await MemoryBenchmark(folder: folder).run() }
        if only.contains(.arrival) { results += try await ArrivalBenchmark(folder: folder).run() }
        if only.contains(.update) { results += try await UpdateBenchmark(folder: folder).run() }
        if json {
            try CommandOutput.result(json: results)
        } else {
            try CommandOutput.result(lines: ComparisonTable(results).text.components(separatedBy: "\n"))
            if only.contains(.install) { try CommandOutput.result(InstallBenchmark.syncPolicy) }
        }
        try Verdict.check(results)
    }

    private func measure(in place: Place) async throws -> [Comparison] {
        let folder = try ScratchFolder(in: place.path)
        defer { folder.remove() }
        var results: [Comparison] = []
        if !Set([.install, .lookUp, .chain]).isDisjoint(with: only) {
            CommandOutput.log("creating 7,000 files in \(place.name)")
            let sample = try SamplePackage(in: folder)
            if only.contains(.install) {
                results += try await InstallBenchmark(sample: sample, place: place, folder: folder, rounds: rounds)
                    .run()
            }
            if only.contains(.lookUp) {
                results += try await LookUpBenchmark(sample: sample, place: place, folder: folder).run()
            }
            if only.contains(.chain) {
                results += try await ChainBenchmark(sample: sample, folder: folder).run()
                results += try await FacadeBenchmark(sample: sample, folder: folder).run()
            }
        }
        if only.contains(.opening) {
            results += try await OpeningBenchmark(place: place, folder: folder, rounds: rounds).run()
        }
        if only.contains(.cache) { results += try await CacheBenchmark(place: place, folder: folder).run() }
        return results
    }

    static func main() async {
        await CommandRunner.run(ContainerBenchmarks.self)
    }
}
