// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
@_spi(Packaging) internal import PackageFormat
internal import StrictJSON

/// A release of a package: a target that is a manifest, and the conditions under which devices get it.
///
/// The member `containerkit` of the target's `custom` has the conditions; `docs/pouf.md` specifies it.
struct Release: Sendable {
    /// The channel of devices whose app names no other one.
    static let defaultChannel = "production"
    /// The channels of most releases, which share the memory of one set.
    private static let defaultChannels: Set<String> = [defaultChannel]
    /// The largest share of the devices.
    static let wholeShare: Int64 = 1_000

    let package: PackageID
    let version: PackageVersion
    /// The number of the release. Of two releases that a device can get, it gets the one with the higher number.
    let sequence: Int64
    /// The URL that the package's base URL must lie below.
    let scope: PackageBaseURL
    /// The channels whose devices get the release.
    private(set) var channels = defaultChannels
    /// The share of the devices that get the release, from 0 to ``wholeShare``.
    private(set) var share = wholeShare
    /// A Boolean value that indicates whether no further device gets the release.
    private(set) var isStopped = false
    /// The lowest version of the app, or `nil` for any.
    private(set) var minHost: PackageVersion?
    /// The time from which devices get the release, or `nil` for any.
    private(set) var start: Date?
    let target: TrustedTarget
    /// The digest of the manifest.
    let sha256: SHA256Digest

    /// Reads the release of a target.
    /// - Parameters:
    ///   - package: the package, whose folder has the target.
    ///   - limit: the URL below which the scope of the release must lie, or `nil` for any.
    /// - Returns: `nil` if the target is no manifest of a release.
    /// - Throws: ``TrustError`` with code `badMetadata`.
    init?(_ target: TrustedTarget, of package: PackageID, below limit: String?) throws(TrustError) {
        guard let custom = target.custom else { return nil }
        var draft = Draft()
        do {
            let isRelease = try custom.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes)
                return try draft.read(&scanner)
            }
            guard isRelease else { return nil }
            guard let version = draft.version, let sequence = draft.sequence, let scope = draft.scope else {
                throw TrustError(.badMetadata, "a release without version, sequence or scope")
            }
            guard let sha256 = target.sha256 else { throw TrustError(.badMetadata, "a release without SHA-256") }
            self.package = package
            self.sha256 = sha256
            self.version = try PackageVersion(version)
            self.sequence = sequence
            self.scope = try PackageBaseURL(scope)
            if let limit = try limit.map({ try PackageBaseURL($0) }), !self.scope.lies(under: limit) {
                throw TrustError(.badMetadata, "the scope \(scope) does not lie below \(limit) of the delegation")
            }
            minHost = try draft.minHost.map { try PackageVersion($0) }
        } catch let error as TrustError {
            throw TrustError(error.code, error.message, at: target.path, cause: error.cause)
        } catch {
            throw TrustError(.badMetadata, "\(error)", at: target.path, cause: error)
        }
        if let channels = draft.channels, channels != Self.defaultChannels { self.channels = channels }
        if let share = draft.share { self.share = share }
        isStopped = draft.isStopped
        start = draft.start
        self.target = target
    }

    /// The members as they are read.
    private struct Draft {
        var version: String?
        var sequence: Int64?
        var scope: String?
        var channels: Set<String>?
        var share: Int64?
        var isStopped = false
        var minHost: String?
        var start: Date?

        /// - Returns: `false` if there is no member `containerkit`.
        mutating func read(_ scanner: inout JSONScanner) throws -> Bool {
            var isRelease = false
            try scanner.readObject { scanner, name in
                guard scanner.equals(name, "containerkit") else {
                    try scanner.skipValue()
                    return
                }
                isRelease = true
                try scanner.readObject { scanner, name in try readMember(name, &scanner) }
            }
            return isRelease
        }

        private mutating func readMember(_ name: JSONText, _ scanner: inout JSONScanner) throws {
            if scanner.equals(name, "version") {
                version = try scanner.readText("version")
            } else if scanner.equals(name, "sequence") {
                sequence = try scanner.readNumber("sequence", from: 0)
            } else if scanner.equals(name, "scope") {
                scope = try scanner.readText("scope")
            } else if scanner.equals(name, "channels") {
                var list: Set<String> = []
                try scanner.readArray { scanner in list.insert(try scanner.readText("a channel")) }
                channels = list
            } else if scanner.equals(name, "share") {
                let value = try scanner.readNumber("share", from: 0)
                guard value <= Release.wholeShare else {
                    throw TrustError(.badMetadata, "share is above \(Release.wholeShare)")
                }
                share = value
            } else if scanner.equals(name, "stopped") {
                isStopped = try scanner.readFlag("stopped")
            } else if scanner.equals(name, "minHost") {
                minHost = try scanner.readText("minHost")
            } else if scanner.equals(name, "start") {
                start = try scanner.readTime("start")
            } else {
                try scanner.skipValue()
            }
        }
    }
}
