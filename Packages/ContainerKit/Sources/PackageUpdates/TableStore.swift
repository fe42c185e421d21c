// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import ContentDigest
package import Foundation
internal import ResourceLoading
@_spi(Facade) package import ResourceStore
package import ResourceTable

/// The store of a resource table in a `BlobStore`: its files are resources, its documents are documents.
///
/// The key of a resource is the download URL; its validator is the MD5. All resources of the store belong to the
/// table: a library removes those that the table does not contain. If the store exceeds its budget, the least
/// recently used resources are removed, and are downloaded again when a page requests them. The table itself is not
/// removed.
///
/// Isolation: any. Writes run on a serial queue; look-ups read on the caller's thread.
package struct TableStore: TableStoring {
    private let store: BlobStore
    private let queue = SerialQueue("container.table")

    /// Creates a table store.
    /// - Parameter store: the store of the files and documents.
    package init(_ store: BlobStore) {
        self.store = store
    }

    /// Returns the MD5 of each stored file by key. Reads no file contents.
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

    /// Returns a file with its content, and records its use. Removes the file if its content is damaged.
    /// - Returns: `nil` if the file is not stored or was damaged.
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
            // The store has removed and counted the blob. The resource must not count against the budget.
            try? await remove([key])
            return nil
        }
    }

    /// Stores a file and replaces the former file. Returns when the file is synchronized with the disk.
    /// - Throws: `StoreError`, with code `overBudget` if the file alone exceeds the budget.
    package func put(_ content: Data, md5: MD5Digest, for key: TableURL) async throws {
        try await onThread { store in
            // The table contains the media type.
            try store.putResource(content, for: key.description, mediaType: "", validator: md5.description)
        }
    }

    /// Stores files under additional keys in one transaction. The contents are neither read nor written. No file is
    /// evicted, although the budget counts both keys of a file until the old keys are removed.
    /// - Throws: `StoreError`.
    package func copy(_ files: [TableURL], to keys: [TableURL]) async throws {
        try await onThread { store in
            let copies = try zip(files, keys).compactMap { file, key in
                try store.resource(for: file.description).map { resource in
                    StoredResource(
                        key: key.description, blob: resource.blob, size: resource.size,
                        mediaType: resource.mediaType, validator: resource.validator)
                }
            }
            let batch = store.makeBatch()
            let sizes = Dictionary(copies.map { ($0.blob, $0.size) }, uniquingKeysWith: { first, _ in first })
            let present = try batch.reuse(sizes)
            let sound = copies.filter { present.contains($0.blob) }
            if !sound.isEmpty { try store.putCopies(sound, from: batch) }
        }
    }

    /// Removes files. Ignores keys that are not stored.
    /// - Throws: `StoreError`.
    package func remove(_ keys: [TableURL]) async throws {
        _ = try await onThread { try $0.removeResources(keys.map(\.description)) }
    }

    /// Returns the content of a document; `nil` if it was never stored or is damaged.
    /// - Throws: `StoreError`.
    package func document(_ name: TableDocument) async throws -> Data? {
        try await onThread { try $0.document(Self.documentName(name)) }
    }

    /// Stores a document and replaces the former document. Returns when the document is synchronized with the disk.
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
