// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest

/// A source of manifests that the publisher has signed.
///
/// Isolation: any.
public protocol SignedManifestSource: Sendable {
    /// Returns the manifest to which a package is updated now, from metadata that has not expired.
    /// - Parameters:
    ///   - package: the package.
    ///   - failed: the versions that failed their trial on this device.
    ///   - load: a closure that fetches documents.
    /// - Returns: `nil` if no release is for this device now.
    /// - Throws: any error. The package is not updated then.
    func manifest(
        of package: PackageID, excluding failed: Set<PackageVersion>, load: @escaping DocumentLoading
    ) async throws -> SignedManifest?

    /// Returns the releases of a package as of the last check, and the one that the device gets.
    /// - Parameters:
    ///   - package: the package.
    ///   - failed: the versions that failed their trial on this device.
    /// - Throws: any error, for example if no metadata has been verified in this process.
    func explain(_ package: PackageID, excluding failed: Set<PackageVersion>) async throws -> ReleaseExplanation
}

/// A manifest that the publisher has signed.
public struct SignedManifest: Sendable, Hashable {
    /// The absolute URL of the manifest. The archive is in the same folder.
    public var url: String
    /// The number of bytes.
    public var byteCount: Int
    /// The digest of the bytes.
    public var sha256: SHA256Digest
    /// The URL that the package's base URL must lie below.
    public var scope: PackageBaseURL

    /// Creates a value.
    public init(url: String, byteCount: Int, sha256: SHA256Digest, scope: PackageBaseURL) {
        self.url = url
        self.byteCount = byteCount
        self.sha256 = sha256
        self.scope = scope
    }
}
