// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
@_spi(Packaging) internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore
internal import WebSyntax

/// A generation of a package that can serve requests, with a lazily loaded table.
final class PackageGeneration: Sendable {
    let package: InstalledPackage
    /// The minimum version of the host, or `nil` if there is none.
    let minHost: PackageVersion?
    /// The origin and the decoded path of the base URL.
    let base: PackageURL
    /// The rules that add response fields to files.
    let fieldRules: [ResponseFieldRule]
    /// A Boolean value that indicates whether the paths have the spelling of the manifest. Earlier builds stored paths
    /// in normalization form C.
    private let keepsSpelling: Bool
    private let table: Mutex<[ByteText: StoredEntry]?>

    var number: Int64 { package.generation.number }

    /// Creates a generation.
    /// - Parameters:
    ///   - package: the package, version and generation number.
    ///   - minHost: the minimum version of the host, or `nil`.
    ///   - fieldRules: the rules that add response fields to files.
    ///   - keepsSpelling: whether the paths have the spelling of the manifest, or else are in normalization form C and
    ///     match requests in each form.
    ///   - table: the table, or `nil` to read it from the store when it is first used.
    /// - Throws: `PackageError` with code `PackageError.Code.badManifest`.
    init(
        _ package: InstalledPackage, minHost: PackageVersion?, fieldRules: [ResponseFieldRule] = [],
        keepsSpelling: Bool = true, table: [StoredEntry]? = nil
    ) throws {
        guard let base = PackageURL(package.baseURL.description) else {
            throw PackageError(.badManifest, "base URL: the path is not valid UTF-8", at: package.baseURL.description)
        }
        self.package = package
        self.minHost = minHost
        self.base = base
        self.fieldRules = fieldRules
        self.keepsSpelling = keepsSpelling
        self.table = Mutex(table.map(Self.index))
    }

    /// Creates a generation from its record in the store.
    /// - Throws: an error if the record is not valid.
    convenience init(_ generation: StoredGeneration) throws {
        let record = try GenerationRecord(decoding: generation.metadata)
        try self.init(
            InstalledPackage(
                id: PackageID(generation.package), version: PackageVersion(generation.version),
                baseURL: record.baseURL, isComplete: record.isComplete,
                generation: GenerationReference(package: generation.package, number: generation.number)),
            minHost: record.minHost, fieldRules: record.fieldRules ?? [],
            keepsSpelling: record.keepsSpelling ?? false)
    }

    /// Returns a Boolean value that indicates whether a URL lies below the base URL, even if there is no such file.
    func contains(_ url: PackageURL) -> Bool {
        base.isPrefix(of: url)
    }

    /// Returns the file for a URL below the base URL, or `nil` if there is none.
    /// - Throws: `StoreError` if the table cannot be read.
    func file(at url: PackageURL, in store: BlobStore) throws -> StoredEntry? {
        let path = url.filePath(below: base)
        return try files(in: store) { entry(for: path, in: $0) }
    }

    /// Returns the file for a URL from the table in memory.
    ///
    /// The outer `nil` means that the table is not in memory or is being read; the inner `nil` means that there is no
    /// such file.
    func knownFile(at url: PackageURL) -> StoredEntry?? {
        table.withLockIfAvailable { table in table.map { entry(for: url.filePath(below: base), in: $0) } } ?? nil
    }

    private func entry(for path: String, in table: [ByteText: StoredEntry]) -> StoredEntry? {
        if let entry = table[ByteText(path)] { return entry }
        guard !keepsSpelling, !path.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return table[ByteText(path.precomposedStringWithCanonicalMapping)]
    }

    /// Returns the whole table by path.
    func entries(in store: BlobStore) throws -> [ByteText: StoredEntry] {
        try files(in: store) { $0 }
    }

    /// Returns a Boolean value that indicates whether the generation has the version, base URL, response fields and
    /// files of a draft.
    func equals(_ draft: PackageDraft, in store: BlobStore) throws -> Bool {
        guard package.version == draft.manifest.version, package.baseURL == draft.manifest.baseURL,
            package.isComplete == draft.manifest.isComplete, fieldRules == draft.manifest.fieldRules
        else { return false }
        let table = try entries(in: store)
        return table.count == draft.entries.count && draft.entries.allSatisfy { table[ByteText($0.path)] == $0 }
    }

    /// Removes the table from memory. It is read again when it is next used.
    func releaseMemory() {
        table.withLock { $0 = nil }
    }

    /// Calls `body` with the table, and reads the table from the store if it is not in memory. Concurrent callers wait
    /// meanwhile, a few milliseconds for a thousand files.
    private func files<Value: Sendable>(
        in store: BlobStore, _ body: ([ByteText: StoredEntry]) -> Value
    ) throws -> Value {
        try table.withLock { table in
            if let table { return body(table) }
            let loaded = Self.index(try store.entries(of: number))
            table = loaded
            return body(loaded)
        }
    }

    private static func index(_ entries: [StoredEntry]) -> [ByteText: StoredEntry] {
        Dictionary(entries.map { (ByteText($0.path), $0) }, uniquingKeysWith: { first, _ in first })
    }
}
