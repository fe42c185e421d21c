// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// A list of packages that an app installs and updates, so that a package can be published or withdrawn without a
/// release of the app.
///
/// `docs/catalogue.md` specifies the document.
public struct PackageCatalogue: Sendable, Hashable {
    /// A package of a catalogue.
    public struct Entry: Sendable, Hashable {
        /// The package that the manifest must describe.
        public var package: PackageID
        /// The absolute URL of the package's manifest.
        public var manifestURL: String
        /// The URL that the package's base URL must lie below.
        public var scope: PackageBaseURL
        /// The version that the manifest describes, or `nil` if the manifest is always requested. If the version is
        /// active and no other one waits for its activation, the manifest is not requested.
        public var version: PackageVersion?

        /// Creates an entry.
        public init(package: PackageID, manifestURL: String, scope: PackageBaseURL, version: PackageVersion? = nil) {
            self.package = package
            self.manifestURL = manifestURL
            self.scope = scope
            self.version = version
        }
    }

    /// The maximum number of packages.
    public static let maxPackages = 1_000
    /// The maximum number of bytes of a document.
    public static let maxBytes = 1 << 20
    /// The maximum number of bytes of the URL of a manifest.
    static let maxURLBytes = 2_048

    /// The number of the catalogue, which each change raises. A catalogue with a lower number is outdated.
    public let sequence: Int64
    /// The packages, in the order of the document.
    public let packages: [Entry]

    /// Creates a catalogue.
    /// - Throws: ``PackageError`` with code `badCatalogue` if the number is out of range, a URL is not valid, or two
    ///   entries have the same package or the same manifest; with code `tooMany` if there are more than
    ///   ``maxPackages`` entries; with code `tooLarge` if ``encoded()`` has more than ``maxBytes`` bytes.
    public init(sequence: Int64, packages: [Entry]) throws {
        // Larger integers are not interoperable (RFC 8259, section 6).
        guard (0..<1 << 53).contains(sequence) else {
            throw PackageError(.badCatalogue, "the number is not in the range 0 to 2^53 - 1", at: "sequence")
        }
        guard packages.count <= Self.maxPackages else {
            throw PackageError(.tooMany, "more than \(Self.maxPackages) packages", at: "packages")
        }
        var ids: Set<PackageID> = []
        var urls: Set<String> = []
        for (index, entry) in packages.enumerated() {
            let place = "packages[\(index)]"
            guard ids.insert(entry.package).inserted else {
                throw PackageError(.badCatalogue, "\(entry.package) is listed twice", at: "\(place).id")
            }
            guard entry.manifestURL.utf8.count <= Self.maxURLBytes, PackageURL(entry.manifestURL) != nil else {
                throw PackageError(
                    .badCatalogue, "not an absolute http or https URL of at most \(Self.maxURLBytes) bytes",
                    at: "\(place).manifest")
            }
            guard urls.insert(entry.manifestURL).inserted else {
                throw PackageError(.badCatalogue, "the manifest is listed twice", at: "\(place).manifest")
            }
        }
        self.sequence = sequence
        self.packages = packages
        let size = try encoded().count
        guard size <= Self.maxBytes else {
            throw PackageError(.tooLarge, "\(size) bytes when encoded, limit \(Self.maxBytes)")
        }
    }
}

/// A closure that fetches a document.
/// - Parameters:
///   - url: the absolute URL.
///   - maxBytes: the maximum number of bytes.
/// - Returns: the bytes, or `nil` if the server does not have the document (status 403 or 404).
/// - Throws: ``PackageError`` with code `tooLarge` if the document is longer than `maxBytes`; any other error if no
///   complete response arrives in time.
public typealias DocumentLoading = @Sendable (_ url: String, _ maxBytes: Int) async throws -> Data?

/// A source of catalogues: a plain document, or metadata that is verified before it is used.
///
/// Isolation: any.
public protocol PackageCataloguing: Sendable {
    /// The absolute URL of the server, which also identifies the source across launches.
    var primaryURL: String { get }
    /// The absolute URL of a copy that is requested while the server fails, or `nil` if there is none.
    var mirrorURL: String? { get }

    /// Fetches and verifies the current catalogue. The caller compares it with the catalogue that is in use, and checks
    /// its scopes.
    /// - Parameters:
    ///   - url: ``primaryURL`` or ``mirrorURL``.
    ///   - load: a closure that fetches documents.
    /// - Throws: any error, which counts as a failure of the server.
    func catalogue(at url: String, load: @escaping DocumentLoading) async throws -> PackageCatalogue

    /// The manifests that the publisher has signed, or `nil` if the source has no signatures.
    ///
    /// With signed manifests, a package is updated to such a manifest only. The order of the catalogues is that of
    /// the source, which itself refuses outdated ones.
    var signedManifests: (any SignedManifestSource)? { get }
}
