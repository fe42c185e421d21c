// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

/// One generation of a package that can answer, with its table once it was asked for.
final class PackageGeneration: Sendable {
    let package: InstalledPackage
    /// The least version of the host that may make it active.
    let minHost: PackageVersion?
    /// Origin and decoded path of the base URL.
    let base: PackageURL
    // By path. Strings compare by canonical equivalence, so the Unicode form of a request makes no difference.
    private let table: Mutex<[String: StoredEntry]?>

    var number: Int64 { package.generation.number }

    /// - Parameters:
    ///   - minHost: the least version of the host, where there is one.
    ///   - table: the table where it is known, else it is read from the store when first needed.
    /// - Throws: `PackageError` with code `PackageError.Code.badManifest`.
    init(_ package: InstalledPackage, minHost: PackageVersion?, table: [StoredEntry]? = nil) throws {
        guard let base = PackageURL(package.baseURL.description) else {
            throw PackageError(.badManifest, "base URL: the path is no UTF-8", at: package.baseURL.description)
        }
        self.package = package
        self.minHost = minHost
        self.base = base
        self.table = Mutex(table.map(Self.index))
    }

    /// What the store says of a generation.
    /// - Throws: an error where the store's record makes no sense.
    convenience init(_ generation: StoredGeneration) throws {
        let record = try GenerationRecord(decoding: generation.metadata)
        try self.init(
            InstalledPackage(
                id: PackageID(generation.package), version: PackageVersion(generation.version),
                baseURL: record.baseURL, isComplete: record.isComplete,
                generation: GenerationReference(package: generation.package, number: generation.number)),
            minHost: record.minHost)
    }

    /// Whether a URL lies under the base URL. Says nothing about whether there is a file.
    func contains(_ url: PackageURL) -> Bool {
        base.isPrefix(of: url)
    }

    /// The file that answers a URL under the base URL.
    /// - Throws: `StoreError` where the table could not be read.
    func file(at url: PackageURL, in store: BlobStore) throws -> StoredEntry? {
        let path = filePath(of: url)
        return try files(in: store) { $0[path] }
    }

    /// The same where the table is in memory, and else `nil`; an inner `nil` where there is no such file. Does not wait
    /// for a table that is being read.
    func knownFile(at url: PackageURL) -> StoredEntry?? {
        table.withLockIfAvailable { table in table.map { $0[filePath(of: url)] } } ?? nil
    }

    private func filePath(of url: PackageURL) -> String {
        let path = url.path(below: base)
        return path.isEmpty || path.utf8.last == UInt8(ascii: "/") ? path + "index.html" : path
    }

    /// The whole table, by path.
    func entries(in store: BlobStore) throws -> [String: StoredEntry] {
        try files(in: store) { $0 }
    }

    /// Forgets the table, which is read again when it is next needed.
    func releaseMemory() {
        table.withLock { $0 = nil }
    }

    /// Reads the table once; who asks meanwhile waits for it, a few milliseconds for a thousand files.
    private func files<Value: Sendable>(
        in store: BlobStore, _ body: ([String: StoredEntry]) -> Value
    ) throws -> Value {
        try table.withLock { table in
            if let table { return body(table) }
            let loaded = Self.index(try store.entries(of: number))
            table = loaded
            return body(loaded)
        }
    }

    private static func index(_ entries: [StoredEntry]) -> [String: StoredEntry] {
        Dictionary(entries.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
