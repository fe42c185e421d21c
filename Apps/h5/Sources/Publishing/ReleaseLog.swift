// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import PackageFormat

/// The numbers of reports in a log, by package, version and channel. `docs/operations.md` specifies the reports.
struct ReleaseLog {
    /// The maximum length of a line, in bytes.
    private static let maxLineBytes = 4_096
    /// The maximum number of different counts. Anybody can send reports to a server.
    private static let maxCounts = 20_000

    /// The counts of a version in a channel.
    struct Counts: Encodable {
        var package: String?
        var version: String?
        var channel: String?
        var installed = 0
        var confirmed = 0
        /// The numbers of failed trials, by reason.
        var rolledBack: [String: Int] = [:]
        /// The numbers of failed updates, by code.
        var updateFailed: [String: Int] = [:]
    }

    private struct Key: Hashable {
        var package: String?
        var version: String?
        var channel: String?
    }

    private var counts: [Key: Counts] = [:]
    private var number = 0
    /// The number of lines that are not reports.
    private(set) var badLines = 0
    /// The number of the first line that is not a report, from 1.
    private(set) var firstBadLine: Int?

    /// Reads a log of reports, one JSON object in each line. Empty lines have no effect. Lines that are not reports are
    /// only counted, because anybody can send them.
    /// - Parameter path: the path of a file or a pipe, or `-` for standard input.
    /// - Throws: ``CommandError``; `CancellationError`.
    init(reading path: String) throws {
        var input = LineInput(try Self.open(path), name: path, maxBytes: Self.maxLineBytes)
        while true {
            let line: Data
            do {
                guard let next = try input.next() else { break }
                line = next
            } catch let error as CommandError where error.code == "bad-line" {
                addBadLine(input.number)
                continue
            }
            guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
            guard let report = try? JSONDecoder().decode(Report.self, from: line), report.isValid else {
                addBadLine(input.number)
                continue
            }
            add(report)
            guard number <= Self.maxCounts else {
                throw CommandError(
                    .badInput, code: "too-many-releases", "more than \(Self.maxCounts) different counts",
                    at: "\(path), line \(input.number)")
            }
        }
    }

    private static func open(_ path: String) throws -> FileHandle {
        guard path != "-" else { return .standardInput }
        do {
            return try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            throw CommandError(.noInput, code: "no-input", "no such file", at: path)
        } catch {
            throw CommandError(.io, code: "io", "the file cannot be read", at: path)
        }
    }

    private mutating func addBadLine(_ number: Int) {
        badLines += 1
        firstBadLine = firstBadLine ?? number
    }

    private mutating func add(_ report: Report) {
        let package = report.package?.description
        let version = report.version?.description
        let key = Key(package: package, version: version, channel: report.channel)
        var counts = counts[key] ?? Counts(package: package, version: version, channel: report.channel)
        let former = counts.rolledBack.count + counts.updateFailed.count
        switch report.event {
        case .installed: counts.installed += 1
        case .confirmed: counts.confirmed += 1
        case .rolledBack: counts.rolledBack[report.reason ?? "", default: 0] += 1
        case .updateFailed: counts.updateFailed[report.reason ?? "", default: 0] += 1
        }
        number += counts.rolledBack.count + counts.updateFailed.count - former + (self.counts[key] == nil ? 1 : 0)
        self.counts[key] = counts
    }

    /// The counts, sorted by package, version and channel.
    var sorted: [Counts] {
        func key(_ counts: Counts) -> [String] { [counts.package, counts.version, counts.channel].map { $0 ?? "" } }
        return counts.values.sorted { key($0).lexicographicallyPrecedes(key($1)) }
    }
}

extension ReleaseLog {
    private struct Report: Decodable {
        enum Event: String, Decodable {
            case installed, confirmed
            case rolledBack = "rolled-back"
            case updateFailed = "update-failed"
        }

        private static let maxTextBytes = 128

        var package: PackageID?
        var version: PackageVersion?
        var channel: String?
        var event: Event
        var reason: String?

        /// A Boolean value that indicates whether the report has the members that its event requires.
        var isValid: Bool {
            let isFailure = event == .rolledBack || event == .updateFailed
            let isOfVersion = package != nil && version != nil || event == .updateFailed
            let texts = [channel, reason].compactMap(\.self)
            return isOfVersion && isFailure == (reason != nil)
                && texts.allSatisfy { (1...Self.maxTextBytes).contains($0.utf8.count) }
        }
    }
}

extension ReleaseLog.Counts {
    private enum CodingKeys: String, CodingKey {
        case package, version, channel, installed, confirmed, rolledBack, updateFailed
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // A missing value is encoded as null.
        try container.encode(package, forKey: .package)
        try container.encode(version, forKey: .version)
        try container.encode(channel, forKey: .channel)
        try container.encode(installed, forKey: .installed)
        try container.encode(confirmed, forKey: .confirmed)
        try container.encode(rolledBack, forKey: .rolledBack)
        try container.encode(updateFailed, forKey: .updateFailed)
    }

    /// The counts as one line of text.
    var line: String {
        func text(_ counts: [String: Int], _ name: String) -> String {
            let reasons = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
            return "\(name) \(counts.values.reduce(0, +))" + (reasons.isEmpty ? "" : " (\(reasons))")
        }
        let place = channel.map { "channel \($0)" } ?? "no channel"
        return "reports of \(package ?? "unknown") \(version ?? "unknown"), \(place): installed \(installed), "
            + "confirmed \(confirmed), \(text(rolledBack, "rolled back")), \(text(updateFailed, "failed updates"))"
    }
}
