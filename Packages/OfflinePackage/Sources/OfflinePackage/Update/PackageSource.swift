// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
@_spi(Packaging) public import PackageFormat
internal import ResourceLoading

/// The address of a package's manifest, with the package and scope that the server may publish.
///
/// The manifest's URL without its query identifies the source, so it must stay the same across versions. A package
/// that was installed from a source can only be updated from this source, within its scope. If the publisher signs
/// manifests, the URL only identifies the source, and the signed metadata decides on the scope.
public struct PackageSource: Sendable, Hashable {
    /// The absolute `https` URL of the manifest, or an `http` URL of this machine.
    ///
    /// See ``PackageLibrary/Configuration/allowsInsecure``.
    public var manifestURL: String
    /// The URL of the archive. If `nil`, the default, it is `<id>-<version>.zip` in the folder of the manifest.
    public var archiveURL: String?
    /// The package that the manifest must describe.
    ///
    /// If `nil`, the default, it is the package that is installed from this source, or any package if there is none.
    public var package: PackageID?
    /// The URL that the package's base URL must lie below. If `nil`, the default, it is the origin of
    /// ``manifestURL``.
    ///
    /// A package that was installed from this source, or that ``package`` names, keeps the scope of its installation
    /// instead.
    public var scope: PackageBaseURL?

    /// The manifest that the publisher has signed, if it signs manifests.
    private(set) var signed: SignedManifest?

    /// Creates a source.
    public init(
        _ manifestURL: String, archiveURL: String? = nil, package: PackageID? = nil, scope: PackageBaseURL? = nil
    ) {
        self.manifestURL = manifestURL
        self.archiveURL = archiveURL
        self.package = package
        self.scope = scope
    }

    /// Returns the source with what the publisher has signed.
    func signed(_ manifest: SignedManifest) -> PackageSource {
        var source = self
        source.signed = manifest
        source.scope = manifest.scope
        return source
    }

    /// The version of the manifest that the publisher has signed, or `nil` if it does not sign manifests.
    var signedVersion: PackageVersion? { signed?.version }

    /// The manifest's URL without query and fragment, which identifies the source.
    var address: String { Self.address(of: manifestURL) }

    static func address(of manifestURL: String) -> String {
        guard let head = HTTPRequest(urlText: manifestURL), let origin = head.webOrigin else { return manifestURL }
        return "\(origin)" + (head.path ?? "/").prefix { $0 != "?" && $0 != "#" }
    }

    /// Checks that a manifest describes the package and lies in the scope of the source.
    /// - Parameters:
    ///   - manifest: the manifest to check.
    ///   - kept: the binding of the installed package, or `nil` if it is not installed.
    /// - Returns: the scope that the package keeps from now on.
    /// - Throws: ``DeliveryError`` with code `outOfScope` or `otherSource`.
    func check(_ manifest: PackageManifest, against kept: PackageBinding?) throws -> PackageBaseURL {
        if let package, manifest.id != package {
            throw DeliveryError(.outOfScope, "the manifest describes \(manifest.id), not \(package)", at: manifestURL)
        }
        // The keys of the publisher take the place of the address and of the scope of the installed package.
        let kept = signed == nil ? kept : nil
        if let other = kept?.source, other != address {
            throw DeliveryError(
                .otherSource, "only the source \(other) may update \(manifest.id)", at: manifestURL)
        }
        // If the package came from this source or the host named the package, the scope of the installed package
        // replaces the default scope. Otherwise both apply.
        let isKnown = kept.map { $0.source == address || package != nil } ?? false
        let granted = try scope ?? (isKnown ? nil : ownOrigin())
        for scope in [kept?.scope, granted].compactMap({ $0 }) where !manifest.baseURL.lies(under: scope) {
            let remedy = self.scope == nil && !isKnown ? "; PackageSource.package or .scope allow more" : ""
            throw DeliveryError(
                .outOfScope, "\(manifest.baseURL) does not lie below \(scope)\(remedy)", at: manifestURL)
        }
        return kept?.scope ?? granted ?? manifest.baseURL
    }

    private func ownOrigin() throws -> PackageBaseURL {
        guard let origin = WebOrigin(url: manifestURL), let scope = try? PackageBaseURL("\(origin)/") else {
            throw DeliveryError(.badURL, "the URL is not an absolute http or https URL", at: manifestURL)
        }
        return scope
    }

    /// Returns the URL of a manifest's archive.
    func archive(of manifest: PackageManifest) -> String {
        if let archiveURL { return archiveURL }
        let manifestURL = signed?.url ?? manifestURL
        let end = manifestURL.utf8.firstIndex { [UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
        let folder =
            manifestURL[..<(end ?? manifestURL.endIndex)].utf8.lastIndex(of: UInt8(ascii: "/")).map {
                manifestURL[...$0]
            } ?? ""
        return "\(folder)\(manifest.id)-\(manifest.version).zip"
    }
}

extension PackageBaseURL {
    /// The URL of the origin's root.
    var originRoot: PackageBaseURL {
        // The origin of a base URL is always a valid base URL.
        (try? PackageBaseURL("\(scheme)://\(authority)/")) ?? self
    }
}

/// The rule that packages are fetched over secure connections, so that no intermediary can change them.
enum SecureURL {
    /// Checks that a URL uses `https` or refers to this machine: 127.0.0.0/8, `[::1]`, `localhost` and names below it
    /// (Secure Contexts, section 3.1).
    /// - Throws: ``DeliveryError`` with code `insecure`, or `badURL` if the URL is not valid.
    static func check(_ url: String) throws(DeliveryError) {
        guard let origin = WebOrigin(url: url) else {
            throw DeliveryError(.badURL, "the URL is not an absolute http or https URL", at: url)
        }
        guard origin.isPotentiallyTrustworthy else {
            throw DeliveryError(.insecure, "the URL uses http and does not refer to this machine", at: url)
        }
    }
}
