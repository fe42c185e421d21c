// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import PackageFormat
internal import TrustedPublishing
internal import TrustedUpdate

/// The command `h5 status`, which lists the releases of a repository and the expiry of its metadata, and counts the
/// reports of devices.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Lists the releases of a repository, and when its metadata expires.",
        discussion: """
            Warns of a role that expires within a quarter of its lifetime, or has expired, and of a package whose \
            metadata the keys of its delegation have not signed, or cannot be read. "expiring" is true for an expired \
            role, too. Also warns of targets that devices refuse, because they are not valid releases or outside of \
            the scope of their delegation, and of targets of a team that devices ignore, because its role has no such \
            package. h5 withdraw --all removes a package with all its releases, also those that are not valid.

            Without --json, prints a line for each role, each release and each such target. With --json, prints {"roles", \
            "releases", "refused", "waitingRoot", "reports"}: lists of {"role", "version", "expires", "expiring", \
            "expired"}, of {"package", "version", "sequence", "role", "channels", "share", "stopped", "minHost", \
            "start", "baseURL"} and of {"role", "path", "package", "reason"}, and the version of the root that waits \
            for signatures, or null. share is in thousandths; minHost and start are null without such a condition. \
            package is the one that devices do not update because of the target, or null if they ignore it. The path \
            ID/* stands for all targets of a role. "refused" is null if devices refuse all metadata.

            --reports counts the lines that devices have sent, for each package, version and channel. "reports" is a \
            list of {"package", "version", "channel", "installed", "confirmed", "rolledBack", "updateFailed"}, or null \
            without the option. The last two are objects of numbers by reason or code. Lines that are not reports are \
            not counted, and cause a warning.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The folder of the repository. Default: that of h5.json.", valueName: "repository"))
    var repository: String?

    @Option(
        help: ArgumentHelp(
            "The reports that devices have sent, one JSON object in each line; - for standard input.",
            valueName: "file"))
    var reports: String?

    @Option(
        help: ArgumentHelp("The time for the warnings; the system's clock by default.", valueName: "RFC3339"),
        transform: RFC3339Date.argument)
    var now: Date?

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        struct Role: Encodable {
            var role: String
            var version: Int64
            var expires: String
            var expiring: Bool
            var expired: Bool

            var text: String { "\(expired ? "expired" : "expires") on \(expires)" }
        }

        struct Refused: Encodable {
            var role: String
            var path: String
            var package: PackageID?
            var reason: String

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(role, forKey: .role)
                try container.encode(path, forKey: .path)
                try container.encode(package, forKey: .package)
                try container.encode(reason, forKey: .reason)
            }

            private enum CodingKeys: String, CodingKey {
                case role, path, package, reason
            }
        }

        var roles: [Role]
        var releases: [ReleaseOutput]
        var refused: [Refused]?
        var waitingRoot: Int64?
        var reports: [ReleaseLog.Counts]?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(roles, forKey: .roles)
            try container.encode(releases, forKey: .releases)
            try container.encode(refused, forKey: .refused)
            try container.encode(waitingRoot, forKey: .waitingRoot)
            try container.encode(reports, forKey: .reports)
        }

        private enum CodingKeys: String, CodingKey {
            case roles, releases, refused, waitingRoot, reports
        }
    }

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let path = try PublishingSettings.require(repository ?? settings.repository, "repository")
        let state = try RepositoryFolder(reading: path).state()
        let time = now ?? Date()
        let documents = [try state.publishedRoot, state.timestamp, state.snapshot].compactMap(\.self)
        let targets = ([TopRole.targets] + state.delegatedRoles).compactMap { state.targets[$0] }
        let roles = (documents + targets).map { document in
            let quarter = Double(settings.lifetimes.days(of: document.name)) * 86_400 / 4
            return Output.Role(
                role: document.name, version: document.version, expires: MetadataTime.text(document.expires),
                expiring: document.expires.timeIntervalSince(time) < quarter, expired: document.expires <= time)
        }
        let log = try reports.map { try ReleaseLog(reading: $0) }
        let refused = try await RefusedReleases.read(in: path, root: state.publishedRoot)
        let output = Output(
            roles: roles, releases: try state.releases().map { ReleaseOutput($0.release, role: $0.role) },
            refused: refused?.map {
                Output.Refused(role: $0.role, path: $0.path, package: $0.package, reason: $0.reason)
            },
            waitingRoot: state.stagedRoot?.version, reports: log?.sorted)
        for role in state.unverifiedRoles.sorted() {
            CommandOutput.log(
                "warning: the metadata of \(role) is not signed by the keys of its delegation, and its releases are "
                    + "not listed; see h5 keys renew --package")
        }
        state.warnOfDamagedRoles()
        // The former warnings have the reason for all targets of such a role.
        let known = state.unverifiedRoles.union(state.damagedRoles.keys)
        RefusedReleases.warn(of: (refused ?? []).filter { !known.contains($0.role) })
        for role in roles where role.expiring {
            CommandOutput.log("warning: \(role.role) \(role.text)")
        }
        if let log, let first = log.firstBadLine {
            CommandOutput.log("warning: lines that are not reports: \(log.badLines), the first is line \(first)")
        }
        guard !json else { return try CommandOutput.result(json: output) }
        try CommandOutput.result(lines: roles.map { "\($0.role) \($0.version), \($0.text)" })
        if let version = output.waitingRoot {
            try CommandOutput.result("root \(version) waits for signatures in metadata/root.next.json")
        }
        try CommandOutput.result(lines: output.releases.map(\.line) + (refused ?? []).map(\.line))
        try CommandOutput.result(lines: (output.reports ?? []).map(\.line))
    }
}
