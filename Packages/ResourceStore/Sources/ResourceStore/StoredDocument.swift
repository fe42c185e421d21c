// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import Foundation

/// A document of a store, read and written on a thread of its own in the order of the calls.
///
/// Isolation: any.
public final class StoredDocument: Sendable {
    private let name: String
    private let store: BlobStore
    private let queue: SerialQueue

    /// Makes a document.
    /// - Parameters:
    ///   - name: the name in the store; see `BlobStore.putDocument(_:as:)`.
    ///   - store: the store.
    public init(_ name: String, in store: BlobStore) {
        self.name = name
        self.store = store
        queue = SerialQueue("container.\(name)")
    }

    /// Reads the document.
    /// - Returns: `nil` if it was never written or is damaged.
    /// - Throws: ``StoreError``.
    public func read() async throws -> Data? {
        try await queue.run { [store, name] in try store.document(name) }
    }

    /// Replaces the document. Returns when it is safe from a power cut.
    /// - Throws: ``StoreError``.
    public func write(_ content: Data) async throws {
        try await queue.run { [store, name] in try store.putDocument(content, as: name) }
    }
}
