// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import PackageFormat
internal import ResourceLoading

/// The address of a package's manifest, and what the server there may publish.
///
/// The manifest's URL is the package's address: it stays the same from version to version, but for its query. A package
/// that was installed from one source is updated from that source alone, and stays in its scope.
public struct PackageSource: Sendable, Hashable {
    /// An absolute `https` URL, or an `http` URL of this machine; see ``PackageLibrary/Configuration/allowsInsecure``.
    public var manifestURL: String
    /// The URL of the archive; `nil`, the default, for `<id>-<version>.zip` beside the manifest.
    public var archiveURL: String?
    /// The package that the manifest must be of; `nil`, the default, for the one that is installed from this source, and
    /// for any if none is.
    public var package: PackageID?
    /// The URL that the package's base URL must lie under; `nil`, the default, for the origin of ``manifestURL``. A package
    /// that was installed from this source, or that ``package`` names, has the scope that it was installed with instead.
    public var scope: PackageBaseURL?

    /// Creates a source.
    public init(
        _ manifestURL: String, archiveURL: String? = nil, package: PackageID? = nil, scope: PackageBaseURL? = nil
    ) {
        self.manifestURL = manifestURL
        self.archiveURL = archiveURL
        self.package = package
        self.scope = scope
    }

    /// The manifest's URL without query and fragment, by which the source is known.
    var address: String { Self.address(of: manifestURL) }

    static func address(of manifestURL: String) -> String {
        guard let head = HTTPRequest(urlText: manifestURL), let origin = head.webOrigin else { return manifestURL }
        return "\(origin)" + (head.path ?? "/").prefix { $0 != "?" && $0 != "#" }
    }

    /// Checks that a manifest is of the package and the scope that the source is for.
    /// - Parameter kept: what the installed package keeps; `nil` if it is not installed.
    /// - Returns: the scope that the package keeps from now on.
    /// - Throws: ``DeliveryError`` with code `outOfScope` or
    ///   `otherSource`.
    func check(_ manifest: PackageManifest, against kept: PackageBinding?) throws -> PackageBaseURL {
        if let package, manifest.id != package {
            throw DeliveryError(.outOfScope, "the manifest is of \(manifest.id), not of \(package)", at: manifestURL)
        }
        if let other = kept?.source, other != address {
            throw DeliveryError(
                .otherSource, "\(manifest.id) is installed from \(other), which alone may update it", at: manifestURL)
        }
        // A source that the host did not name for an installed package, and that it never came from, does not get its scope.
        let isKnown = kept.map { $0.source == address || package != nil } ?? false
        let granted = try scope ?? (isKnown ? nil : ownOrigin())
        for scope in [kept?.scope, granted].compactMap({ $0 }) where !manifest.baseURL.lies(under: scope) {
            let remedy = self.scope == nil && !isKnown ? "; PackageSource.package or .scope allow more" : ""
            throw DeliveryError(
                .outOfScope, "\(manifest.baseURL) does not lie under \(scope)\(remedy)", at: manifestURL)
        }
        return kept?.scope ?? granted ?? manifest.baseURL
    }

    private func ownOrigin() throws -> PackageBaseURL {
        guard let origin = WebOrigin(url: manifestURL), let scope = try? PackageBaseURL("\(origin)/") else {
            throw DeliveryError(.badURL, "not an absolute http or https URL", at: manifestURL)
        }
        return scope
    }

    /// Returns the URL of a manifest's archive.
    func archive(of manifest: PackageManifest) -> String {
        if let archiveURL { return archiveURL }
        let end = manifestURL.firstIndex { $0 == "?" || $0 == "#" } ?? manifestURL.endIndex
        let folder = manifestURL[..<end].lastIndex(of: "/").map { manifestURL[...$0] } ?? ""
        return "\(folder)\(manifest.id)-\(manifest.version).zip"
    }
}

extension PackageBaseURL {
    /// Returns a Boolean value that indicates whether the URL lies under another one or is the same.
    func lies(under scope: PackageBaseURL) -> Bool {
        scheme == scope.scheme && authority == scope.authority && path.utf8.starts(with: scope.path.utf8)
    }

    /// The URL of the origin's root.
    var originRoot: PackageBaseURL {
        // The origin of a base URL is always one.
        (try? PackageBaseURL("\(scheme)://\(authority)/")) ?? self
    }
}

/// The rule that nobody between a server and the device may change a package.
enum SecureURL {
    /// Checks that a URL is of `https`, or of this machine: 127.0.0.0/8, `[::1]`, `localhost` and names below it
    /// (Secure Contexts, section 3.1).
    /// - Throws: ``DeliveryError`` with code `insecure`, or
    ///   `badURL` for what is no URL.
    static func check(_ url: String) throws(DeliveryError) {
        guard let origin = WebOrigin(url: url) else {
            throw DeliveryError(.badURL, "not an absolute http or https URL", at: url)
        }
        guard origin.isPotentiallyTrustworthy else {
            throw DeliveryError(.insecure, "neither https nor of this machine", at: url)
        }
    }
}
