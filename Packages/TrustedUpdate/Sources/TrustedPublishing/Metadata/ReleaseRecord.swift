// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
package import Foundation
@_spi(Packaging) package import PackageFormat

/// A release in the metadata of a role: a target that is a manifest, and the conditions under which devices get it.
///
/// The member `containerkit` of the target's `custom` has the conditions; `docs/pouf.md` specifies it.
package struct ReleaseRecord: Sendable, Hashable {
    /// The channel of devices whose app names no other one.
    package static let defaultChannel = "production"
    /// The permitted shares of the devices.
    package static let shares = 0...1_000

    package let package: PackageID
    package let version: PackageVersion
    /// The number of the release. Of two releases that a device can get, it gets the one with the higher number.
    package let sequence: Int64
    /// The URL that the package's base URL must lie below.
    package let scope: PackageBaseURL
    /// The channels whose devices get the release.
    package var channels: [String]
    /// The share of the devices that get the release, in thousandths.
    package var share: Int
    /// A Boolean value that indicates whether no further device gets the release.
    package var isStopped: Bool
    /// The lowest version of the app, or `nil` for any.
    package let minHost: PackageVersion?
    /// The time from which devices get the release, or `nil` for any.
    package let start: Date?
    /// The number of bytes of the manifest.
    package let manifestBytes: Int64
    /// The lowercase hexadecimal digits of the SHA-256 digest of the manifest.
    package let manifestSHA256: String
    /// The target as the metadata has it, with members that are not known.
    private let target: JSONValue

    /// Creates a release.
    /// - Parameter manifest: the bytes of the manifest.
    package init(
        _ package: PackageID, _ version: PackageVersion, sequence: Int64, scope: PackageBaseURL,
        channels: [String], share: Int, minHost: PackageVersion?, start: Date?, manifest: Data
    ) {
        self.package = package
        self.version = version
        self.sequence = sequence
        self.scope = scope
        self.channels = channels
        self.share = share
        isStopped = false
        self.minHost = minHost
        self.start = start
        manifestBytes = Int64(manifest.count)
        manifestSHA256 = SHA256Digest(of: manifest).hex
        target = .object([:])
    }

    /// Reads the release of a target. Values that clients refuse are not valid.
    /// - Returns: `nil` if the target is no release.
    /// - Throws: ``PublishingError`` with code `badMetadata`.
    init?(_ target: JSONValue, at path: String) throws(PublishingError) {
        guard let custom = target["custom"]?["containerkit"] else { return nil }
        let failure = PublishingError(.badMetadata, "a release without valid members", at: path)
        guard let folder = path.utf8.firstIndex(of: UInt8(ascii: "/")),
            let version = custom["version"]?.text, let sequence = custom["sequence"]?.number,
            PackageManifest.sequences.contains(sequence), let scope = custom["scope"]?.text,
            let length = target["length"]?.number, length >= 0,
            // The digest is part of the path of a file.
            let digest = target["hashes"]?["sha256"]?.text, SHA256Digest(lowerCaseHex: digest) != nil
        else { throw failure }
        do {
            package = try PackageID(String(path[..<folder]))
            self.version = try PackageVersion(version)
            self.scope = try PackageBaseURL(scope)
            minHost = try custom["minHost"].map { try PackageVersion(try Self.value($0.text)) }
            start = try custom["start"].map { try Self.value($0.text.flatMap(MetadataTime.date)) }
            channels =
                try custom["channels"].map { channels in
                    guard case .array(let elements) = channels else { throw failure }
                    return try elements.map { try Self.value($0.text) }
                } ?? [Self.defaultChannel]
            share =
                try custom["share"].map { try Self.value(Int(exactly: Self.value($0.number))) }
                ?? Self.shares.upperBound
            isStopped = try custom["stopped"].map { try Self.value($0.flag) } ?? false
        } catch {
            throw failure
        }
        guard Self.shares.contains(share) else { throw failure }
        self.sequence = sequence
        manifestBytes = length
        manifestSHA256 = digest
        self.target = target
    }

    /// Returns the value of a member that has the expected type.
    private static func value<Value>(_ value: Value?) throws(PublishingError) -> Value {
        guard let value else { throw PublishingError(.badMetadata, "a member of another type") }
        return value
    }

    /// The path of the target.
    package var path: String { "\(package)/\(version).json" }

    /// The path of the manifest in the repository. Its digest is part of the name (TUF 1.0.34, section 6.2).
    package var manifestPath: String { "targets/\(package)/\(manifestSHA256).\(version).json" }

    /// The path of the archive in the repository, which is the one that the app requests.
    package var archivePath: String { "targets/\(package)/\(package)-\(version).zip" }

    /// Returns a Boolean value that indicates whether bytes are the manifest.
    package func matches(_ bytes: Data) -> Bool {
        bytes.count == manifestBytes && SHA256Digest(of: bytes).hex == manifestSHA256
    }

    /// The target for the metadata.
    var value: JSONValue {
        var custom = target["custom"]?["containerkit"] ?? .object([:])
        custom["version"] = .string("\(version)")
        custom["sequence"] = .integer(sequence)
        custom["scope"] = .string("\(scope)")
        custom["channels"] = .array(channels.map { .string($0) })
        custom["share"] = .integer(Int64(share))
        custom["stopped"] = isStopped ? .bool(true) : nil
        custom["minHost"] = minHost.map { .string("\($0)") }
        custom["start"] = start.map { .string(MetadataTime.text($0)) }
        var target = target
        target["length"] = .integer(manifestBytes)
        var hashes = target["hashes"] ?? .object([:])
        hashes["sha256"] = .string(manifestSHA256)
        target["hashes"] = hashes
        var all = target["custom"] ?? .object([:])
        all["containerkit"] = custom
        target["custom"] = all
        return target
    }
}
