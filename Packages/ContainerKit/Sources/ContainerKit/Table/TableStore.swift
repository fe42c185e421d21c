// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import ContentDigest
public import Foundation
internal import ResourceLoading
public import ResourceStore
public import ResourceTable

/// Keeps a resource table's files as resources of a store, and its documents as documents there.
///
/// A resource has the download URL as its key and the MD5 as its validator. All resources of the store belong to the
/// table: a library removes those that it does not name. Past the store's budget for them the least recently used go,
/// and are fetched again when a page asks for them; the table itself stays.
///
/// Isolation: any. What waits for the disk runs on a thread of its own, one call after another; look-ups read on the
/// caller's.
public struct TableStore: TableStoring {
    private let store: BlobStore
    private let queue = SerialQueue("container.table")

    /// Keeps them in `store`, whose other resources go.
    public init(_ store: BlobStore) {
        self.store = store
    }

    /// The files that are there, by key, with the MD5 that each was put with. Reads no bytes.
    /// - Throws: `StoreError`.
    public func files() async throws -> [TableURL: MD5Digest] {
        try await onThread { store in
            var files: [TableURL: MD5Digest] = [:]
            for resource in try store.resources() {
                guard let key = TableURL(resource.key), let md5 = MD5Digest(resource.validator) else { continue }
                files[key] = md5
            }
            return files
        }
    }

    /// A file and its bytes; notes its use. One whose bytes are damaged is removed, and is not there.
    /// - Throws: `StoreError`.
    public func file(for key: TableURL) async throws -> TableFile? {
        guard let resource = try store.resource(for: key.description), let md5 = MD5Digest(resource.validator) else {
            return nil
        }
        do {
            switch try store.blob(resource.blob, size: resource.size).content {
            case .bytes(let bytes): return TableFile(md5: md5, body: .bytes(bytes))
            case .file(let file):
                return TableFile(
                    md5: md5,
                    body: .file(
                        FileSlice(try OpenFile(copying: file.descriptor, path: file.path), range: 0..<resource.size)))
            }
        } catch let error as StoreError where [.damaged, .notFound].contains(error.code) {
            // The bytes are gone, and counted. Their record must not stand in the budget.
            try? await remove([key])
            return nil
        }
    }

    /// Puts a file in place of the one before. Returns when it is safe from a power cut.
    /// - Throws: `StoreError`, with code `overBudget` where it alone is larger than the budget.
    public func put(_ content: Data, md5: MD5Digest, for key: TableURL) async throws {
        try await onThread { store in
            // The type is the table's to say.
            try store.putResource(content, for: key.description, mediaType: "", validator: md5.description)
        }
    }

    /// Removes files; keys that are not there are fine.
    /// - Throws: `StoreError`.
    public func remove(_ keys: [TableURL]) async throws {
        _ = try await onThread { try $0.removeResources(keys.map(\.description)) }
    }

    /// What a document holds; `nil` where it was never put, or is damaged.
    /// - Throws: `StoreError`.
    public func document(_ name: TableDocument) async throws -> Data? {
        try await onThread { try $0.document(Self.documentName(name)) }
    }

    /// Keeps a document in place of the one before. Returns when it is safe from a power cut.
    /// - Throws: `StoreError`.
    public func put(_ document: Data, as name: TableDocument) async throws {
        try await onThread { try $0.putDocument(document, as: Self.documentName(name)) }
    }

    private static func documentName(_ name: TableDocument) -> String {
        "table-\(name.rawValue)"
    }

    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (BlobStore) throws -> Value
    ) async throws -> Value {
        try await queue.run { [store] in try body(store) }
    }
}
