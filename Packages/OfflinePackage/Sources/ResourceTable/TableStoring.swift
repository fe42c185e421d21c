// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import Foundation
public import ResourceLoading

/// A store of a table library's files and documents. The key of a file is its download URL.
///
/// The store may evict a file at any time, for example because of a budget, because it can be fetched again.
/// Documents must not be evicted; if one is lost, the library behaves as if it had never existed.
///
/// Isolation: any; all functions may be called concurrently. Writes are atomic, also after a crash.
/// - Throws: any error; the library wraps it with the code `storage`.
public protocol TableStoring: Sendable {
    /// Returns the keys of all files, with the MD5 of each.
    func files() async throws -> [TableURL: MD5Digest]

    /// Returns the file of a key, or `nil` if there is none.
    func file(for key: TableURL) async throws -> TableFile?

    /// Stores a file and replaces the previous one of the key.
    /// - Parameters:
    ///   - content: all bytes of the file.
    ///   - md5: the verified MD5 of the bytes.
    ///   - key: the download URL of the file.
    func put(_ content: Data, md5: MD5Digest, for key: TableURL) async throws

    /// Stores the files of other keys under additional keys, and replaces the previous files of these keys.
    /// - Parameters:
    ///   - files: the keys of files. Keys without a file are ignored.
    ///   - keys: the additional keys, one for each of `files`, without duplicates. Some of them may also be in `files`;
    ///     all files are read before one is replaced.
    func copy(_ files: [TableURL], to keys: [TableURL]) async throws

    /// Removes files. Keys without a file are ignored.
    func remove(_ keys: [TableURL]) async throws

    /// Returns the content of a document, or `nil` if it was never stored.
    func document(_ name: TableDocument) async throws -> Data?

    /// Stores a document and replaces the previous one.
    func put(_ document: Data, as name: TableDocument) async throws
}

/// A stored file.
public struct TableFile: Sendable {
    /// The MD5 that was stored with the file.
    public var md5: MD5Digest
    /// The bytes, in memory or on disk, with a known length.
    public var body: ResourceBody

    /// Creates a stored file.
    public init(md5: MD5Digest, body: ResourceBody) {
        self.md5 = md5
        self.body = body
    }
}
