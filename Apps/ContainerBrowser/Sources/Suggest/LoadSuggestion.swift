// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import ContentDigest
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import PackageFormat
internal import ResourceLoading
internal import TableSuggestions
internal import WebEngine

/// The suggestions from the openings of one page: a prefetch table, a list of hosts and a resource table.
@MainActor
struct LoadSuggestion {
    static let prefetchFile = "prefetch.json"
    static let hostsFile = "hosts.json"
    static let resourcesFile = "resources.json"
    /// The maximum number of lines about omitted requests.
    private static let maxNotes = 50

    /// One observed opening.
    struct Run {
        let opening: Opening
        /// The traffic log, or `nil` if no container could observe complete requests.
        let traffic: TrafficLog?
    }

    /// The report on the suggestion in the output of `open --json`.
    struct Report: Encodable, Sendable {
        struct LeftOut: Encodable, Sendable {
            let file: String
            let method: String
            let url: String
            let reason: String
        }

        let directory: String
        var files: [String] = []
        var prefetched: Int?
        var hosts = 0
        var resources: Int?
        var leftOut: [LeftOut] = []

        var text: String {
            func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
            let counts = [
                prefetched.map { count($0, "request") + " to make ahead" }, resources.map { count($0, "file") },
                count(hosts, "host"),
            ]
            return "\(counts.compactMap { $0 }.joined(separator: ", ")), in \(directory)"
        }
    }

    private let url: String
    private let mode: InterceptionMode
    private let directory: String
    private var runs: [Run] = []

    /// Checks before the work begins that the files can be written.
    /// - Throws: A usage error or an I/O error.
    init(of url: String, _ options: StageOptions, into directory: String) throws {
        self.url = url
        mode = options.mode
        self.directory = directory
        guard options.prefetch == nil else {
            throw CommandError(
                .usage, code: "usage", "prefetched requests are not requests of the page: omit --prefetch",
                at: "--suggest")
        }
        do {
            _ = try PrefetchSuggestion(page: url, runs: [], now: Date())
        } catch {
            throw CommandError(.usage, code: "invalid-url", "a prefetch table cannot contain this URL", at: url)
        }
        try FileOutput.check(folder: directory, of: "--suggest")
        // A folder that does not exist has no files to check. `write()` creates it.
        guard FileManager.default.fileExists(atPath: directory) else { return }
        try FileSet.checkMarker(in: directory)
        for name in [Self.prefetchFile, Self.hostsFile, Self.resourcesFile] {
            try FileOutput.check(file: "\(directory)/\(name)", of: "--suggest")
        }
    }

    mutating func add(_ opening: Opening, _ traffic: TrafficLog?) {
        runs.append(Run(opening: opening, traffic: traffic))
    }

    /// Writes all files or none.
    func write() async throws -> Report {
        var report = Report(directory: directory)
        var files = FileSet()
        if mode != .plain {
            let seen = await watched()
            let resources = ResourceSuggestion(runs: seen.map { run in run.map { $0.file } })
            let requests = seen.map { run in run.map { $0.request }.filter { !resources.names($0.request) } }
            let prefetch = try PrefetchSuggestion(page: url, runs: requests, now: Date())
            files.add(try Self.versioned { try prefetch.json(version: $0) }, as: Self.prefetchFile)
            files.add(try Self.versioned { try resources.json(version: $0) }, as: Self.resourcesFile)
            report.files = [Self.prefetchFile, Self.resourcesFile]
            report.prefetched = prefetch.count
            report.resources = resources.count
            report.leftOut =
                prefetch.leftOut.map {
                    Report.LeftOut(file: Self.prefetchFile, method: $0.method, url: $0.url, reason: $0.reason)
                }
                + resources.leftOut.map {
                    Report.LeftOut(file: Self.resourcesFile, method: "GET", url: $0.url, reason: $0.reason)
                }
        }
        let hosts = HostList(page: url, runs: runs.map { uses(of: $0) })
        files.add(try hosts.json(), as: Self.hostsFile)
        report.files.append(Self.hostsFile)
        report.hosts = hosts.hosts.count
        try FileOutput.makeDirectory(directory)
        try files.write(to: directory)
        record(report)
        return report
    }

    /// Logs the limits of the suggestion and the omitted requests to standard error.
    private func record(_ report: Report) {
        if mode == .plain {
            CommandOutput.log(
                "note: a bare engine exposes neither methods nor responses: \(Self.prefetchFile) and "
                    + "\(Self.resourcesFile) are not written; use --mode proxy")
        } else if runs.count == 1 {
            CommandOutput.log("note: a single run: varying values are guessed and POST is omitted; use --runs 2")
        }
        let past = runs.map { $0.opening.past }.max() ?? 0
        if mode != .plain, past > 0 {
            CommandOutput.log(
                "note: \(past) request\(past == 1 ? "" : "s") bypassed the container, such as those to other hosts: "
                    + "listed in \(Self.hostsFile) only")
        }
        let dropped = runs.compactMap { $0.traffic?.dropped }.max() ?? 0
        if dropped > 0 { CommandOutput.log("note: \(dropped) requests exceeded the limit and were not observed") }
        for entry in report.leftOut.prefix(Self.maxNotes) {
            CommandOutput.log("note: not in \(entry.file): \(entry.method) \(entry.url): \(entry.reason)")
        }
        if report.leftOut.count > Self.maxNotes {
            CommandOutput.log("note: and \(report.leftOut.count - Self.maxNotes) more; --json lists them all")
        }
    }

    /// Encodes a file with a version that is derived from its content.
    private static func versioned(_ json: (String) throws -> Data) throws -> Data {
        let digest = SHA256Digest(of: try json("0")).description
        return try json(String(digest.prefix(16)))
    }

    // MARK: Observed traffic

    private struct Watched {
        let request: ObservedRequest
        let file: ObservedFile
    }

    private func watched() async -> [[Watched]] {
        var seen: [[Watched]] = []
        for run in runs {
            var watched: [Watched] = []
            for exchange in run.traffic?.exchanges ?? [] {
                watched.append(
                    Watched(
                        request: ObservedRequest(exchange.request, body: exchange.sent, response: exchange.response),
                        file: ObservedFile(
                            exchange.request, response: exchange.response, bytes: await Self.decoded(exchange))))
            }
            seen.append(watched)
        }
        return seen
    }

    /// Returns the requests to the network, of the container and of the engine itself.
    private func uses(of run: Run) -> [HostList.Use] {
        let called = run.opening.called
        let watched = (run.traffic?.exchanges ?? []).map { exchange in
            HostList.Use(
                url: exchange.request.urlText, start: exchange.started.timeIntervalSince(called) * 1_000)
        }
        // The traffic log already contains the container's requests, including redirects.
        let passed = run.opening.timeline.filter { $0.isPast || run.traffic == nil }
        return watched + passed.map { HostList.Use(url: $0.url, start: $0.start) }
    }

    /// Returns the decoded body, or `nil` if a content coding is unknown or the body is incomplete.
    private static func decoded(_ exchange: TrafficLog.Exchange) async -> Data? {
        guard let head = exchange.response, let bytes = exchange.received else { return nil }
        let given = GivenResponse(
            response: ResourceResponse(
                head: head, body: .bytes(bytes), provenance: Provenance(.network, reason: "watched")))
        guard let response = try? await DecodingLoader(given).load(ResourceRequest(exchange.request)),
            response.head.headerFields[.contentEncoding] == nil
        else { return nil }
        return try? await response.body.collect(upTo: maxFileBytes)
    }

    /// The maximum size of one decoded file in bytes.
    private static let maxFileBytes = 64 << 20

    private struct GivenResponse: ResourceLoader {
        let response: ResourceResponse

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? { response }
    }
}
