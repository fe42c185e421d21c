// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import WebSyntax

/// A store of responses and their bytes.
///
/// A failure in a store is a cache miss and never an error of a request, so no requirement throws.
///
/// Isolation: any; all requirements may be called concurrently.
protocol CacheStoring: Sendable {
    /// Returns all responses stored under a key, in any order.
    func responses(for key: CacheKey) async -> [StoredResponse]
    /// Returns the bytes in the `range` of a stored response.
    /// - Returns: `nil` if the bytes are missing or damaged.
    func body(of response: StoredResponse, for key: CacheKey) async -> CachedBody?
    /// Returns the result of ``responses(for:)`` if it is known without waiting or reading; the default implementation
    /// returns `nil`.
    /// - Returns: `nil` if the result is not known.
    func responsesInMemory(for key: CacheKey) -> [StoredResponse]?
    /// Returns the result of ``body(of:for:)`` if the bytes are in memory; the default implementation returns `nil`.
    func bodyInMemory(of response: StoredResponse, for key: CacheKey) -> CachedBody?
    /// Returns a writer that stores a response.
    func makeWriter(for key: CacheKey) -> any CacheWriting
    /// Replaces the fields and times of a stored response. Does nothing if its bytes are not stored.
    func update(_ response: StoredResponse, for key: CacheKey) async
    /// Removes one variant of a key, or all variants if `variant` is `nil`.
    func remove(_ key: CacheKey, variant: String?) async
    /// Removes all responses.
    func removeAll() async
    /// Returns a Boolean value that indicates whether a response of this size, in bytes, can be stored.
    func accepts(_ bytes: Int64) -> Bool
}

extension CacheStoring {
    func responsesInMemory(for key: CacheKey) -> [StoredResponse]? { nil }

    func bodyInMemory(of response: StoredResponse, for key: CacheKey) -> CachedBody? { nil }
}

/// A writer of one response. If it is released before ``finish(_:)``, nothing is stored.
protocol CacheWriting: Sendable {
    /// Writes the next bytes.
    /// - Returns: `false` if the response is too large for the store, so that more bytes are useless.
    func write(_ chunk: Data) async -> Bool
    /// Stores the response and replaces the stored response of the same variant. Must be called once, after all bytes.
    func finish(_ response: StoredResponse) async
}

/// The bytes of a stored response and their source.
struct CachedBody: Sendable {
    /// All bytes in the range of the response.
    let body: ResourceBody
    /// The source of the bytes: `Provenance.Source.memory` or `Provenance.Source.disk`.
    let source: Provenance.Source

    init(_ body: ResourceBody, from source: Provenance.Source) {
        self.body = body
        self.source = source
    }
}

/// The key of stored responses: the URL and the partition of a top-level site. Keys are compared byte by byte.
struct CacheKey: Sendable, Hashable {
    /// The site whose pages share the entry; empty if the cache is not partitioned. Contains no control characters.
    let partition: String
    /// The absolute URL, without its fragment.
    let url: String

    init(partition: String, url: String) {
        self.partition = partition
        self.url = url
    }

    static func == (one: CacheKey, other: CacheKey) -> Bool {
        one.url.hasSameBytes(as: other.url) && one.partition.hasSameBytes(as: other.partition)
    }

    func hash(into hasher: inout Hasher) {
        partition.hashBytes(into: &hasher)
        url.hashBytes(into: &hasher)
    }
}
