// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest

/// A source of manifests that the publisher has signed.
///
/// Isolation: any.
public protocol SignedManifestSource: Sendable {
    /// The channel of the device, which is one condition for its releases.
    var channel: String { get }

    /// Returns the manifest to which a package is updated now, from metadata that has not expired.
    /// - Parameters:
    ///   - package: the package.
    ///   - device: the versions of the package on this device.
    ///   - load: a closure that fetches documents.
    /// - Returns: `nil` if no release is for this device now, so that it keeps what it has.
    /// - Throws: any error. The package is not updated then.
    func manifest(
        of package: PackageID, for device: DeviceVersions, load: @escaping DocumentLoading
    ) async throws -> SignedManifest?

    /// Returns the releases of a package as of the last check, and the one that the device gets.
    /// - Parameters:
    ///   - package: the package.
    ///   - device: the versions of the package on this device.
    /// - Throws: any error, for example if no metadata has been verified in this process, or if that of the package is
    ///   refused.
    func explain(_ package: PackageID, for device: DeviceVersions) async throws -> ReleaseExplanation
}

/// The versions on a device on which the next release of a package depends.
public struct DeviceVersions: Sendable, Hashable {
    /// The active version, or `nil` if there is none.
    public var active: PackageVersion?
    /// The sequence number of the active version's manifest if the app installed it itself, and not an update.
    public var activeSequence: Int64?
    /// The versions that failed their trial.
    public var failed: Set<PackageVersion>
    /// The version of the app, or `nil` if it is not known.
    public var host: PackageVersion?

    /// Creates a value. By default, the device does not have the package.
    public init(
        active: PackageVersion? = nil, activeSequence: Int64? = nil, failed: Set<PackageVersion> = [],
        host: PackageVersion? = nil
    ) {
        self.active = active
        self.activeSequence = activeSequence
        self.failed = failed
        self.host = host
    }
}

/// A manifest that the publisher has signed.
public struct SignedManifest: Sendable, Hashable {
    /// The absolute URL of the manifest. The archive is in the same folder.
    public var url: String
    /// The number of bytes.
    public var byteCount: Int
    /// The digest of the bytes.
    public var sha256: SHA256Digest
    /// The version that the manifest must describe.
    public var version: PackageVersion
    /// The URL that the package's base URL must lie below.
    public var scope: PackageBaseURL

    /// Creates a value.
    public init(url: String, byteCount: Int, sha256: SHA256Digest, version: PackageVersion, scope: PackageBaseURL) {
        self.url = url
        self.version = version
        self.byteCount = byteCount
        self.sha256 = sha256
        self.scope = scope
    }
}
