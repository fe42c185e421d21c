// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
@_spi(Packaging) public import PackageFormat
public import ResourceLoading
internal import ResourceStore

extension PackageLibrary {
    /// Verifies a package, stores its files and makes it the active version of its identifier.
    ///
    /// The operation is atomic. Every file of the manifest must be in the archive with its size and digest, or already
    /// be in the store; otherwise nothing changes. If the manifest has slices, only the slices are read, on two
    /// threads, and the archive's own headers are ignored. Otherwise the archive must contain exactly the manifest's
    /// files. The store checks for free space before anything is written. When the function returns, the package
    /// survives a power loss. If the same version is already active with the same base URL and files, it is returned
    /// unchanged. The archive is not removed.
    ///
    /// Runs off the caller's actor, one install at a time. Cancellation takes effect between two chunks.
    /// - Parameters:
    ///   - archive: the path of a zip, or with the trait `Packaging` on Linux of a tar.gz or tar.zst.
    ///   - location: the path of the manifest.
    ///   - progress: a closure that is called after each file, on the install's threads, one call at a time.
    /// - Throws: `PackageError` if the package is not valid, `StoreError` if the store cannot store it,
    ///   ``DeliveryError`` with code `queueFull` if too many installs wait, `hostTooOld` if the package requires a
    ///   later host, or `insecure` if the base URL is `http`, or `CancellationError`.
    @discardableResult
    public func install(
        archive: String, manifest location: String, progress: (@Sendable (InstallProgress) -> Void)? = nil
    ) async throws -> InstalledPackage {
        try await inTurn {
            let (manifest, digest) = try await readManifest(location)
            try manifest.check(host: configuration.hostVersion, at: location)
            let draft = try await draft(of: manifest)
            if let active = try await active(equalTo: draft) {
                try await raiseSequence(to: manifest, digest)
                return active
            }
            try await extractFiles(of: draft, from: archive, progress: progress)
            try await raiseSequence(to: manifest, digest)
            let generation = try await stage(draft, timing: nil, isBaseline: false)
            do {
                try await activate(generation)
            } catch {
                // If `retire` fails too, the next library that opens the store discards the generation.
                try? store.retire(generation.number)
                throw error
            }
            return generation.package
        }
    }

    /// Reads a manifest from the file system and returns it with the digest of its bytes.
    /// - Throws: ``PackageError`` or `CancellationError`.
    func readManifest(_ path: String) async throws -> (PackageManifest, SHA256Digest) {
        try await onThread { library in
            let limits = library.configuration.manifestLimits
            do {
                let bytes = try PackageManifest.data(at: path, upTo: limits.maxBytes)
                return try (PackageManifest(decoding: bytes, limits: limits), SHA256Digest(of: bytes))
            } catch let error as PackageError where [.notAnArchive, .truncated].contains(error.code) {
                throw PackageError(.io, error.message, at: path)
            }
        }
    }
}

extension PackageManifest {
    /// Checks the minimum version of the host.
    /// - Parameters:
    ///   - host: the host's own version, or `nil` if it is not known.
    ///   - location: the URL or path for the error.
    /// - Throws: ``DeliveryError`` with code `host-too-old`.
    func check(host: PackageVersion?, at location: String) throws {
        guard HostVersion.allows(minHost, in: host) else {
            throw DeliveryError(
                .hostTooOld, "version \(version) requires host version \(minHost?.description ?? "") or later",
                at: location)
        }
    }
}

/// A package that serves requests.
public struct InstalledPackage: Sendable, Hashable {
    /// The identifier of the package.
    public let id: PackageID
    /// The version of the package.
    public let version: PackageVersion
    /// The URL of the folder of the package's files.
    public let baseURL: PackageBaseURL
    /// A Boolean value that indicates whether the package contains all files below the base URL.
    public let isComplete: Bool
    /// The active generation.
    public let generation: GenerationReference
}
