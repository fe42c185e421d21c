// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
public import PackageFormat

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
    /// - Returns: `nil` if the publisher signs manifests, and no release is for this device.
    func releasedManifest(of source: PackageSource) async throws -> FetchedManifest? {
        let limits = library.configuration.manifestLimits
        guard let (source, text) = try await signedText(of: source, upTo: limits.maxBytes) else { return nil }
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
    /// - Returns: `nil` if no release is for this device.
    /// - Throws: ``DeliveryError`` with code `unsigned`, among others.
    private func signedText(of source: PackageSource, upTo limit: Int) async throws -> (PackageSource, Data)? {
        guard let signatures = configuration.signedManifests else {
            return try await (source, downloader.text(source.manifestURL, upTo: limit))
        }
        guard let package = source.package else {
            throw DeliveryError(.unsigned, "signed manifests need a source with a package", at: source.manifestURL)
        }
        let signed: SignedManifest?
        do {
            let allowsInsecure = library.configuration.allowsInsecure
            signed = try await signatures.manifest(
                of: package, for: deviceVersions(of: package)
            ) { [downloader] url, maxBytes in
                if !allowsInsecure { try SecureURL.check(url) }
                do {
                    return try await downloader.textIfPresent(url, upTo: maxBytes)
                } catch let error as DeliveryError where error.code == .tooLarge {
                    throw PackageError(.tooLarge, error.message, at: url, cause: error)
                }
            }
        } catch let error where error is DeliveryError || error is CancellationError {
            throw error
        } catch {
            throw DeliveryError(.unsigned, "\(error)", at: source.manifestURL, cause: error)
        }
        guard let signed else { return nil }
        guard signed.byteCount <= limit else {
            throw DeliveryError(.tooLarge, "the manifest has more than \(limit) bytes", at: signed.url)
        }
        if !library.configuration.allowsInsecure { try SecureURL.check(signed.url) }
        let text = try await downloader.text(signed.url, upTo: signed.byteCount)
        guard text.count == signed.byteCount, SHA256Digest(of: text) == signed.sha256 else {
            throw DeliveryError(.digestMismatch, "not the manifest that the publisher has signed", at: signed.url)
        }
        return (source.signed(signed), text)
    }

    private func deviceVersions(of package: PackageID) async throws -> DeviceVersions {
        var versions = DeviceVersions(
            failed: Set((trialRecord.quarantine["\(package)"] ?? []).compactMap { try? PackageVersion($0) }))
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
