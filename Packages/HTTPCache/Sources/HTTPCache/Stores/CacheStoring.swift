// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import ResourceLoading

/// Keeps responses and their bytes.
///
/// What goes wrong in a store is a miss, and never an error of a request: nothing here throws.
///
/// Isolation: any; all of it may be called concurrently.
public protocol CacheStoring: Sendable {
    /// All responses stored under a key, in any order.
    func responses(for key: CacheKey) async -> [StoredResponse]
    /// The bytes of a stored response: those of its `range`.
    /// - Returns: `nil` where they are no longer there, or damaged.
    func body(of response: StoredResponse, for key: CacheKey) async -> CachedBody?
    /// What ``responses(for:)`` would say, where that is known without waiting or reading. Default: it is not.
    /// - Returns: `nil` where it is not known.
    func responsesInMemory(for key: CacheKey) -> [StoredResponse]?
    /// What ``body(of:for:)`` would give, where that lies in memory. Default: it does not.
    func bodyInMemory(of response: StoredResponse, for key: CacheKey) -> CachedBody?
    /// Begins to store a response.
    func makeWriter(for key: CacheKey) -> any CacheWriting
    /// Keeps other fields and times for bytes that are there. Does nothing where they are not.
    func update(_ response: StoredResponse, for key: CacheKey) async
    /// Removes a variant, or all of a key.
    func remove(_ key: CacheKey, variant: String?) async
    /// Removes everything.
    func removeAll() async
    /// Whether a response of so many bytes is not too large.
    func accepts(_ bytes: Int64) -> Bool
}

extension CacheStoring {
    public func responsesInMemory(for key: CacheKey) -> [StoredResponse]? { nil }

    public func bodyInMemory(of response: StoredResponse, for key: CacheKey) -> CachedBody? { nil }
}

/// Takes the bytes of one response. Dropped before ``finish(_:)``, it leaves nothing behind.
public protocol CacheWriting: Sendable {
    /// Takes the next bytes.
    /// - Returns: whether there is any use in more of them: false where the response is too large for the store.
    func write(_ chunk: Data) async -> Bool
    /// Stores the response, in place of the one of the same variant. To be called once, after all bytes.
    func finish(_ response: StoredResponse) async
}

/// The bytes of a stored response, and where they were.
public struct CachedBody: Sendable {
    /// All bytes of the response's range.
    public let body: ResourceBody
    /// Where the bytes were: `Provenance.Source.memory` or `Provenance.Source.disk`.
    public let source: Provenance.Source

    public init(_ body: ResourceBody, from source: Provenance.Source) {
        self.body = body
        self.source = source
    }
}

/// What stored responses are found by: the URL, within the cache of one top-level site.
public struct CacheKey: Sendable, Hashable {
    /// The site whose pages share the entry; empty where nothing is divided. Without control characters.
    public let partition: String
    /// The absolute URL, without its fragment.
    public let url: String

    public init(partition: String, url: String) {
        self.partition = partition
        self.url = url
    }
}
