// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import ResourceStore

/// A document in the container's folder, read and written off the main actor, in the order of the calls.
@MainActor
final class PersistedDocument {
    private let name: String
    private let store: BlobStore
    private let queue: SerialQueue

    /// - Parameter name: as `BlobStore` takes them.
    init(_ name: String, in store: BlobStore) {
        self.name = name
        self.store = store
        queue = SerialQueue("container.\(name)")
    }

    /// - Throws: `StoreError`.
    func read() async throws -> Data? {
        try await onQueue { try $0.document($1) }
    }

    /// - Throws: `StoreError`.
    func write(_ content: Data) async throws {
        try await onQueue { try $0.putDocument(content, as: $1) }
    }

    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable (BlobStore, _ name: String) throws -> Value
    ) async throws -> Value {
        try await queue.run { [store, name] in try body(store, name) }
    }
}

/// Fetches a small document whole.
enum DocumentFetch {
    /// - Throws: `ResourceError` for an answer other than 200, and one that is too long; what the network throws.
    @concurrent
    static func get(
        _ url: String, _ fields: HTTPFields, upTo limit: Int, from network: any ResourceLoader
    ) async throws -> Data {
        guard let head = HTTPRequest(urlText: url, headerFields: fields) else {
            throw ResourceError(.invalidRequest, "no URL", at: url)
        }
        guard let response = try await network.load(ResourceRequest(head)) else {
            throw ResourceError(.internal, "nobody answers", at: url)
        }
        guard response.head.status == .ok else {
            throw ResourceError(.invalidRequest, "HTTP status \(response.head.status.code)", at: url)
        }
        return try await response.body.collect(upTo: limit)
    }
}
