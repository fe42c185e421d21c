// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat

/// Where a package's manifest is published, and what it may say.
public struct PackageSource: Sendable, Hashable {
    /// An absolute `https` or `http` URL.
    public var manifestURL: String
    /// The archive; `nil`, the default, for `<id>-<version>.zip` beside the manifest.
    public var archiveURL: String?
    /// The package that the manifest must be of; `nil`, the default, for any.
    public var package: PackageID?
    /// What the package's base URL must lie under; `nil`, the default, for any.
    public var scope: PackageBaseURL?

    public init(
        _ manifestURL: String, archiveURL: String? = nil, package: PackageID? = nil, scope: PackageBaseURL? = nil
    ) {
        self.manifestURL = manifestURL
        self.archiveURL = archiveURL
        self.package = package
        self.scope = scope
    }

    /// - Throws: ``DeliveryError`` with code `out-of-scope`.
    func check(_ manifest: PackageManifest) throws {
        if let package, manifest.id != package {
            throw DeliveryError(.outOfScope, "the manifest is of \(manifest.id), not of \(package)", at: manifestURL)
        }
        guard let scope else { return }
        let base = manifest.baseURL
        guard base.scheme == scope.scheme, base.authority == scope.authority, base.path.hasPrefix(scope.path) else {
            throw DeliveryError(.outOfScope, "\(base) does not lie under \(scope)", at: manifestURL)
        }
    }

    /// Where the archive of a manifest is.
    func archive(of manifest: PackageManifest) -> String {
        if let archiveURL { return archiveURL }
        let end = manifestURL.firstIndex { $0 == "?" || $0 == "#" } ?? manifestURL.endIndex
        let folder = manifestURL[..<end].lastIndex(of: "/").map { manifestURL[...$0] } ?? ""
        return "\(folder)\(manifest.id)-\(manifest.version).zip"
    }
}
