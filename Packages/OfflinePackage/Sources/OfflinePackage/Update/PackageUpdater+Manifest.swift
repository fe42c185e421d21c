// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
public import PackageFormat

extension PackageUpdater {
    /// Fetches a manifest and returns it with the digest of its bytes, and with the source as the publisher has signed
    /// it.
    func manifest(of source: PackageSource) async throws -> (PackageManifest, SHA256Digest, PackageSource) {
        let limits = library.configuration.manifestLimits
        let (source, text) = try await signedText(of: source, upTo: limits.maxBytes)
        // Decoding a large manifest takes seconds, so it runs off the actor, which must process reports and
        // deadlines.
        return try await library.onThread { _ in
            do {
                return try (PackageManifest(decoding: text, limits: limits), SHA256Digest(of: text), source)
            } catch let error as PackageError where error.location == nil {
                throw PackageError(error.code, error.message, at: source.manifestURL)
            }
        }
    }

    /// Returns the bytes of a manifest. If the publisher signs manifests, they are those that it has signed for the
    /// package of the source.
    /// - Throws: ``DeliveryError`` with code `unsigned` or `notNow`, among others.
    private func signedText(of source: PackageSource, upTo limit: Int) async throws -> (PackageSource, Data) {
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
                of: package, excluding: failedVersions(of: package)
            ) { [downloader] url, maxBytes in
                if !allowsInsecure { try SecureURL.check(url) }
                return try await downloader.textIfPresent(url, upTo: maxBytes)
            }
        } catch let error where error is DeliveryError || error is CancellationError {
            throw error
        } catch {
            throw DeliveryError(.unsigned, "\(error)", at: source.manifestURL, cause: error)
        }
        guard let signed else {
            throw DeliveryError(.notNow, "no release of \(package) is for this device", at: source.manifestURL)
        }
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

    private func failedVersions(of package: PackageID) -> Set<PackageVersion> {
        Set((trialRecord.quarantine["\(package)"] ?? []).compactMap { try? PackageVersion($0) })
    }

    /// Returns the releases of a package, and the one that the device gets.
    /// - Returns: `nil` if the publisher does not sign manifests.
    /// - Throws: the error of the source of signed manifests.
    @_spi(Facade) public func explainRelease(of package: PackageID) async throws -> ReleaseExplanation? {
        try await configuration.signedManifests?.explain(package, excluding: failedVersions(of: package))
    }
}
