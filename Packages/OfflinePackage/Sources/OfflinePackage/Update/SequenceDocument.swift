// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import PackageFormat
internal import ResourceStore

/// A document of the store with the highest installed sequence number of each package, which prevents downgrades.
///
/// A number is kept when a version is rolled back or the package is removed.
struct SequenceDocument {
    /// The name of the document in the store.
    static let name = "package-sequences"
    private let store: BlobStore

    init(_ store: BlobStore) {
        self.store = store
    }

    /// The highest sequence number of one package.
    struct Mark: Codable {
        var sequence: Int64
        /// The digest of the manifest with this number, or `nil` if it is not known.
        var manifest: SHA256Digest?

        private enum CodingKeys: String, CodingKey {
            case sequence, manifest
        }

        /// Checks that a manifest has a higher number, or is the manifest with the same number.
        /// - Throws: ``DeliveryError`` with code `replayed`.
        func check(_ offered: PackageManifest, _ digest: SHA256Digest, at location: String) throws(DeliveryError) {
            guard let number = offered.sequence else {
                throw DeliveryError(
                    .replayed, "the manifest has no sequence number, but \(offered.id) has number \(sequence)",
                    at: location)
            }
            guard number >= sequence else {
                throw DeliveryError(
                    .replayed, "sequence number \(number) of \(offered.id) is lower than \(sequence)", at: location)
            }
            guard number > sequence || manifest == nil || manifest == digest else {
                throw DeliveryError(
                    .replayed, "sequence number \(number) of \(offered.id) belongs to another manifest", at: location)
            }
        }
    }

    /// The content of the document.
    struct Marks: Codable {
        var packages: [String: Mark] = [:]

        private enum CodingKeys: String, CodingKey {
            case packages
        }

        /// Returns the mark of a package.
        ///
        /// If the installed generation has a higher number, because the document was lost, its number is used.
        func mark(of package: String, orOf kept: PackageBinding?) -> Mark? {
            guard let number = kept?.sequence, number > packages[package]?.sequence ?? 0 else {
                return packages[package]
            }
            return Mark(sequence: number)
        }
    }

    /// Reads the marks, or returns none if the document is damaged. Blocks while it reads.
    /// - Throws: ``StoreError`` if the store cannot be read.
    func load() throws -> Marks {
        guard let content = try store.document(Self.name) else { return Marks() }
        return (try? JSONDecoder().decode(Marks.self, from: content)) ?? Marks()
    }

    /// Raises the mark of a package if its manifest has a higher number.
    ///
    /// When the function returns, the mark survives a power loss.
    /// - Throws: ``StoreError`` if the store cannot be written.
    func raise(to manifest: PackageManifest, _ digest: SHA256Digest) throws {
        guard let number = manifest.sequence else { return }
        var marks = try load()
        let name = manifest.id.description
        guard number > marks.packages[name]?.sequence ?? 0 else { return }
        marks.packages[name] = Mark(sequence: number, manifest: digest)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try store.putDocument(encoder.encode(marks), as: Self.name)
    }
}

extension PackageLibrary {
    /// Raises the mark of a manifest's package; see ``SequenceDocument``.
    func raiseSequence(to manifest: PackageManifest, _ digest: SHA256Digest) async throws {
        guard manifest.sequence != nil else { return }
        try await onThread { try $0.raiseMark(to: manifest, digest) }
    }

    /// Raises the mark of a manifest's package. Blocks while it writes.
    ///
    /// The document has the marks of all packages, so that two packages must not read and replace it at the same time.
    /// - Throws: ``StoreError``.
    func raiseMark(to manifest: PackageManifest, _ digest: SHA256Digest) throws {
        try change { try SequenceDocument(store).raise(to: manifest, digest) }
    }
}
