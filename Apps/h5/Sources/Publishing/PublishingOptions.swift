// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import PackageFormat
internal import SystemSupport
internal import TrustedPublishing
internal import TrustedUpdate

/// The options of all commands that sign metadata.
struct PublishingOptions: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The files of the private keys that sign. Default: those of h5.json.", valueName: "key"))
    var key: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            The file of root metadata from a trusted source, such as the one that the app ships, if others can change \
            the repository. Default: that of h5.json.
            """, valueName: "root"))
    var trustedRoot: String?

    @OptionGroup var expiryOptions: ExpiryOptions

    /// Returns the private keys of the options, or else of the settings.
    /// - Throws: `PublishingError`, also for a public key.
    func signingKeys(_ settings: PublishingSettings) throws -> [SigningKey] {
        try (key.isEmpty ? settings.keys : key).map { path in
            guard let key = try Self.readKey(path).signingKey else {
                throw PublishingError(.badKey, "a public key cannot sign", at: path)
            }
            return key
        }
    }

    /// Reads a key, and warns of a private key that other users can read.
    /// - Throws: `PublishingError`.
    static func readKey(_ path: String) throws -> KeyFile.Content {
        let content = try KeyFile.read(path)
        if content.signingKey != nil, let status = try? FileStatus(path: path, followsLinks: true),
            status.permissions & 0o077 != 0
        {
            CommandOutput.log("warning: other users can read the private key (\(path))")
        }
        return content
    }

    /// Reads and verifies the metadata in a folder.
    func state(of folder: RepositoryFolder, _ settings: PublishingSettings) throws -> RepositoryState {
        try folder.state(trusting: try (trustedRoot ?? settings.trustedRoot).map(Self.root))
    }

    /// Reads root metadata from a trusted source.
    private static func root(at path: String) throws -> Data {
        let bytes = try TableInput.read(path, upTo: TrustLimits().rootBytes)
        do {
            let root = try MetadataDocument(decoding: bytes, of: TopRole.root)
            guard root.isSigned(by: try RepositoryState.keys(of: TopRole.root, in: root)) else {
                throw PublishingError(.unsigned, "the trusted root is not signed by its keys")
            }
        } catch let error as PublishingError {
            throw PublishingError(error.code, error.message, at: path)
        }
        return bytes
    }

    /// Begins a change of the metadata in a folder.
    /// - Parameter roles: The roles that the change concerns. If there are none, the keys are not checked.
    /// - Throws: `PublishingError`, with code `unsigned` if the keys cannot sign the roles, snapshot and timestamp.
    func update(
        _ state: RepositoryState, _ settings: PublishingSettings, of roles: [String] = []
    ) throws -> RepositoryUpdate {
        let keys = try signingKeys(settings)
        for name in roles.isEmpty ? [] : roles + [TopRole.snapshot, TopRole.timestamp] {
            let needed = try state.keys(of: name)
            let count = Set(keys.map(\.publicKey)).intersection(needed.keys).count
            guard count >= needed.threshold else {
                let source = key.isEmpty ? settings.keysSource : "--key"
                throw PublishingError(
                    .unsigned, "\(source) has \(count) of the \(needed.threshold) keys that must sign the role",
                    at: name)
            }
        }
        return RepositoryUpdate(state, keys: keys, now: Date(), lifetimes: expiryOptions.lifetimes(settings))
    }
}

/// The option that sets the lifetimes of new metadata.
struct ExpiryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The days after which new metadata of a role expires, such as timestamp=1; can be given several times. \
            Defaults: root=365, targets=90, snapshot=30, timestamp=7.
            """, valueName: "role=days"),
        transform: RoleDays.init)
    var expiry: [RoleDays] = []

    /// The days of one role.
    struct RoleDays: Sendable {
        let role: String
        let days: Int

        init(_ text: String) throws {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, TopRole.all.contains(parts[0]), let days = Int(parts[1]),
                Lifetimes.days.contains(days)
            else {
                throw ValidationError(
                    "an expiry is ROLE=DAYS: one of \(TopRole.all.joined(separator: ", ")), and 1 to "
                        + "\(Lifetimes.days.upperBound) days")
            }
            (role, self.days) = (parts[0], days)
        }
    }

    func lifetimes(_ settings: PublishingSettings) -> Lifetimes {
        var lifetimes = settings.lifetimes
        for value in expiry { lifetimes.set(value.days, for: value.role) }
        return lifetimes
    }
}

/// The arguments that name a package of a repository.
struct PackageArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The folder of the repository.", valueName: "repository"))
    var repository: String

    @Argument(help: ArgumentHelp("The package.", valueName: "id"), transform: OptionValue.packageID)
    var id: PackageID
}

/// The options that say which devices get a release.
struct ReleaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A channel whose devices get the release; can be given several times.", valueName: "channel"),
        transform: OptionValue.channel)
    var channel: [String] = []

    @Option(
        help: ArgumentHelp(
            "The share of the devices that get the release, in thousandths: 0 to 1000. Default: 1000.",
            valueName: "n"),
        transform: NumberOption.integer("a share", in: ReleaseRecord.shares))
    var share: Int?
}

/// A release as commands print it.
struct ReleaseOutput: Encodable {
    var package: PackageID
    var version: PackageVersion
    var sequence: Int64
    var role: String
    var channels: [String]
    var share: Int
    var stopped: Bool
    var minHost: PackageVersion?
    var start: String?
    var baseURL: PackageBaseURL

    init(_ release: ReleaseRecord, role: String) {
        package = release.package
        version = release.version
        sequence = release.sequence
        self.role = role
        channels = release.channels
        share = release.share
        stopped = release.isStopped
        minHost = release.minHost
        start = release.start.map(MetadataTime.text)
        baseURL = release.scope
    }

    /// Encodes missing values as null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(package, forKey: .package)
        try container.encode(version, forKey: .version)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(role, forKey: .role)
        try container.encode(channels, forKey: .channels)
        try container.encode(share, forKey: .share)
        try container.encode(stopped, forKey: .stopped)
        try container.encode(minHost, forKey: .minHost)
        try container.encode(start, forKey: .start)
        try container.encode(baseURL, forKey: .baseURL)
    }

    private enum CodingKeys: String, CodingKey {
        case package, version, sequence, role, channels, share, stopped, minHost, start, baseURL
    }

    /// One line of text.
    var line: String {
        var line = "\(package) \(version): number \(sequence), \(channels.joined(separator: ", ")), \(share) of 1000"
        if stopped { line += ", stopped" }
        if let minHost { line += ", app \(minHost) or later" }
        if let start { line += ", from \(start)" }
        return line
    }
}

extension RepositoryState {
    /// Warns of delegated roles whose metadata cannot be read.
    func warnOfDamagedRoles() {
        for (role, error) in damagedRoles.sorted(by: { $0.key < $1.key }) {
            CommandOutput.log(
                "warning: the metadata of \(role) cannot be read, and its releases are not listed: \(error.message) "
                    + "(\(error.location ?? role))")
        }
    }
}

extension CommandError {
    /// Creates a command error with the exit status for an error of publishing.
    init(_ error: PublishingError) {
        let status: ExitStatus =
            switch error.code {
            case .noInput, .notFound: .noInput
            case .unsigned: .refused
            case .inUse: .unavailable
            case .io: .io
            default: .badInput
            }
        self.init(status, code: "\(error.code)", error.message, at: error.location)
    }
}
