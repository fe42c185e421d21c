// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import ContentDigest
package import Foundation
internal import ResourceLoading
package import ResourceStore
package import ResourceTable

/// A store of a resource table: its files are resources of a `BlobStore`, its documents are documents there.
///
/// A resource has the download URL as its key and the MD5 as its validator. All resources of the store belong to the
/// table: a library removes those that it does not name. Beyond the store's budget the least recently used resources are
/// removed, and fetched again when a page requests them; the table itself stays.
///
/// Isolation: any. Writes run on a serial queue of their own; look-ups read on the caller's thread.
package struct TableStore: TableStoring {
    private let store: BlobStore
    private let queue = SerialQueue("container.table")

    /// Makes a table store.
    /// - Parameter store: the store of the files and documents.
    package init(_ store: BlobStore) {
        self.store = store
    }

    /// Returns the stored files by key, each with the MD5 that it was put with. Reads no bytes.
    /// - Throws: `StoreError`.
    package func files() async throws -> [TableURL: MD5Digest] {
        try await onThread { store in
            var files: [TableURL: MD5Digest] = [:]
            for resource in try store.resources() {
                guard let key = TableURL(resource.key), let md5 = MD5Digest(resource.validator) else { continue }
                files[key] = md5
            }
            return files
        }
    }

    /// Returns a file with its bytes, and records its use. A file whose bytes are damaged is removed.
    /// - Returns: `nil` if the file is not stored, or was damaged.
    /// - Throws: `StoreError`.
    package func file(for key: TableURL) async throws -> TableFile? {
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
            // The store has dropped and counted the bytes. Their record must not count against the budget.
            try? await remove([key])
            return nil
        }
    }

    /// Stores a file in place of the one before. Returns when it is safe from a power cut.
    /// - Throws: `StoreError`, with code `overBudget` if the file alone is larger than the budget.
    package func put(_ content: Data, md5: MD5Digest, for key: TableURL) async throws {
        try await onThread { store in
            // The table has the media type.
            try store.putResource(content, for: key.description, mediaType: "", validator: md5.description)
        }
    }

    /// Removes files; ignores keys that are not stored.
    /// - Throws: `StoreError`.
    package func remove(_ keys: [TableURL]) async throws {
        _ = try await onThread { try $0.removeResources(keys.map(\.description)) }
    }

    /// Returns the content of a document; `nil` if it was never put, or is damaged.
    /// - Throws: `StoreError`.
    package func document(_ name: TableDocument) async throws -> Data? {
        try await onThread { try $0.document(Self.documentName(name)) }
    }

    /// Stores a document in place of the one before. Returns when it is safe from a power cut.
    /// - Throws: `StoreError`.
    package func put(_ document: Data, as name: TableDocument) async throws {
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
