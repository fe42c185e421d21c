// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import Foundation
public import ResourceLoading

/// Keeps a table library's files and documents. The key of a file is its download URL.
///
/// A file may vanish at any time, since it can be fetched again: a budget may evict it. A document may not; where it
/// is lost nevertheless, the library starts as if it had never had one.
///
/// Isolation: any; all of it may be called concurrently. What is put is whole or not there at all, after a crash too.
/// - Throws: any error; the library gives it the code `storage`.
public protocol TableStoring: Sendable {
    /// The keys of all files, with the MD5 that each was put with.
    func files() async throws -> [TableURL: MD5Digest]

    /// The file of a key; `nil` where there is none.
    func file(for key: TableURL) async throws -> TableFile?

    /// Keeps a file in place of the one that the key had.
    /// - Parameters:
    ///   - content: all bytes of the file.
    ///   - md5: the MD5 of these bytes, which was checked.
    ///   - key: the download URL of the file.
    func put(_ content: Data, md5: MD5Digest, for key: TableURL) async throws

    /// Removes files. Keys without a file are fine.
    func remove(_ keys: [TableURL]) async throws

    /// What a document holds; `nil` where it was never put.
    func document(_ name: TableDocument) async throws -> Data?

    /// Keeps a document in place of the one before.
    func put(_ document: Data, as name: TableDocument) async throws
}

/// A stored file.
public struct TableFile: Sendable {
    /// The MD5 that it was put with.
    public var md5: MD5Digest
    /// Its bytes, in memory or on disk; their number is known.
    public var body: ResourceBody

    public init(md5: MD5Digest, body: ResourceBody) {
        self.md5 = md5
        self.body = body
    }
}
