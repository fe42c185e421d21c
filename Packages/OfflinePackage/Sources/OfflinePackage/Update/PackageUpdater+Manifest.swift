// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
@_spi(Packaging) public import PackageFormat

extension PackageUpdater {
    /// A manifest as it was fetched.
    struct FetchedManifest: Sendable {
        let manifest: PackageManifest
        /// The digest of the manifest's bytes.
        let digest: SHA256Digest
        /// The source, with what the publisher has signed.
        let source: PackageSource
    }

    /// Fetches a manifest.
    /// - Parameter skipsActive: a Boolean value that indicates whether the manifest of the active version is not
    ///   fetched again if all of its files are there. It has an effect only if the publisher signs manifests.
    /// - Returns: `nil` if the publisher signs manifests, and no release or the active one is for this device.
    func releasedManifest(
        of source: PackageSource, skipsActive: Bool = false
    ) async throws -> FetchedManifest? {
        let limits = library.configuration.manifestLimits
        guard let (source, text) = try await manifestText(of: source, upTo: limits.maxBytes, skipsActive) else {
            return nil
        }
        // Decoding a large manifest takes seconds, so it runs off the actor, which must process reports and
        // deadlines.
        return try await library.onThread { _ in
            do {
                let manifest = try PackageManifest(decoding: text, limits: limits)
                if let version = source.signedVersion, manifest.version != version {
                    let message = "the manifest of version \(manifest.version) is signed as version \(version)"
                    throw DeliveryError(.unsigned, message, at: source.manifestURL)
                }
                return FetchedManifest(manifest: manifest, digest: SHA256Digest(of: text), source: source)
            } catch let error as PackageError where error.location == nil {
                throw PackageError(error.code, error.message, at: source.manifestURL)
            }
        }
    }

    /// Returns the bytes of a manifest. If the publisher signs manifests, they are those that it has signed for the
    /// package of the source.
    /// - Returns: `nil` if no release is for this device, or if it is active and `skipsActive` is `true`.
    private func manifestText(
        of source: PackageSource, upTo limit: Int, _ skipsActive: Bool
    ) async throws -> (PackageSource, Data)? {
        guard configuration.signedManifests != nil else {
            return try await (source, downloader.text(source.manifestURL, upTo: limit))
        }
        guard let signed = try await signedManifest(of: source) else { return nil }
        if skipsActive, let package = source.package, try await library.isWhole(package, signedAs: signed.sha256) {
            return nil
        }
        guard signed.byteCount <= limit else {
            throw DeliveryError(.tooLarge, "the manifest has more than \(limit) bytes", at: signed.url)
        }
        let text = try await downloader.text(signed.url, upTo: signed.byteCount)
        guard text.count == signed.byteCount, SHA256Digest(of: text) == signed.sha256 else {
            throw DeliveryError(.digestMismatch, "not the manifest that the publisher has signed", at: signed.url)
        }
        return (source.signed(signed), text)
    }

    /// Returns the manifest that the publisher has signed for the package of a source.
    /// - Returns: `nil` if no release is for this device, or if the publisher does not sign manifests.
    /// - Throws: ``DeliveryError`` with code `unsigned`, `outOfScope` or `insecure`; the error of a request.
    func signedManifest(of source: PackageSource) async throws -> SignedManifest? {
        guard let signatures = configuration.signedManifests else { return nil }
        guard let package = source.package else {
            throw DeliveryError(.unsigned, "signed manifests need a source with a package", at: source.manifestURL)
        }
        let signed: SignedManifest?
        do {
            signed = try await signatures.manifest(
                of: package, for: deviceVersions(of: package), load: loadDocument)
        } catch let error where error is DeliveryError || error is CancellationError {
            throw error
        } catch {
            throw DeliveryError(.unsigned, "\(error)", at: source.manifestURL, cause: error)
        }
        guard let signed else { return nil }
        if let scopes = configuration.signedScopes, !scopes.contains(where: { signed.scope.lies(under: $0) }) {
            throw DeliveryError(.outOfScope, "the app does not allow the scope \(signed.scope)", at: signed.url)
        }
        if !library.configuration.allowsInsecure { try SecureURL.check(signed.url) }
        return signed
    }

    /// Fetches a document of signed metadata. It needs no place among the downloads, which may take hours.
    @concurrent
    private func loadDocument(_ url: String, _ maxBytes: Int) async throws -> Data? {
        if !library.configuration.allowsInsecure { try SecureURL.check(url) }
        do {
            return try await downloader.fetchText(url, upTo: maxBytes, missing: [403, 404])
        } catch let error as DeliveryError where error.code == .tooLarge {
            throw PackageError(.tooLarge, error.message, at: url, cause: error)
        }
    }

    private func deviceVersions(of package: PackageID) async throws -> DeviceVersions {
        var versions = DeviceVersions(
            failed: Set((trialRecord.quarantine["\(package)"] ?? []).compactMap { try? PackageVersion($0) }),
            host: hostVersion)
        guard let active = library.activeGeneration(of: package) else { return versions }
        versions.active = active.package.version
        // A release that the publisher no longer lists must not prevent others, because stolen keys may have signed it.
        let binding = try await library.onThread { try $0.binding(of: package) }
        if binding?.source == nil { versions.activeSequence = binding?.sequence }
        return versions
    }

    /// Returns the releases of a package, and the one that the device gets.
    /// - Returns: `nil` if the publisher does not sign manifests.
    /// - Throws: the error of the source of signed manifests.
    @_spi(Facade) public func explainRelease(of package: PackageID) async throws -> ReleaseExplanation? {
        guard let signatures = configuration.signedManifests else { return nil }
        return try await signatures.explain(package, for: deviceVersions(of: package))
    }
}
