// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

/// The memory level of the cache: complete responses in memory, with least-recently-used eviction.
///
/// Isolation: any.
final class MemoryCacheStore: CacheStoring {
    /// The maximum number of bytes, including the overhead of each response.
    let capacity: Int
    /// The maximum number of bytes in one response.
    let largestEntry: Int
    private let state = Mutex(State())

    private struct Entry {
        var response: StoredResponse
        let bytes: Data
        let cost: Int
        var lastUse: UInt64
    }

    private struct State {
        var entries: [CacheKey: [Entry]] = [:]
        var bytes = 0
        /// The number of bytes of the budget that ``TieredCacheStore`` uses.
        var reserved = 0
        var uses: UInt64 = 0

        mutating func nextUse() -> UInt64 {
            uses += 1
            return uses
        }
    }

    /// Creates a memory store.
    /// - Parameter capacity: The capacity in bytes; 10 MB by default. With zero, nothing is stored.
    init(capacity: Int = 10 << 20) {
        self.capacity = max(0, capacity)
        largestEntry = self.capacity / 8
    }

    /// The number of bytes in use, including the lists of ``TieredCacheStore``.
    var bytes: Int { state.withLock { $0.bytes + $0.reserved } }

    /// Reserves a part of the budget, in bytes, that is not available for responses.
    func reserve(_ bytes: Int) {
        state.withLock { state in
            state.reserved = bytes
            trim(&state)
        }
    }

    func responses(for key: CacheKey) async -> [StoredResponse] {
        responsesInMemory(for: key) ?? []
    }

    func body(of response: StoredResponse, for key: CacheKey) async -> CachedBody? {
        bodyInMemory(of: response, for: key)
    }

    func responsesInMemory(for key: CacheKey) -> [StoredResponse]? {
        state.withLock { $0.entries[key]?.map(\.response) ?? [] }
    }

    func bodyInMemory(of response: StoredResponse, for key: CacheKey) -> CachedBody? {
        bytes(of: response, for: key).map { CachedBody(.bytes($0), from: .memory) }
    }

    func makeWriter(for key: CacheKey) -> any CacheWriting {
        MemoryCacheWriter(self, key)
    }

    func update(_ response: StoredResponse, for key: CacheKey) async {
        state.withLock { state in
            guard let index = state.entries[key]?.firstIndex(where: { $0.response.revision == response.revision })
            else {
                return
            }
            state.entries[key]?[index].response = response
        }
    }

    func remove(_ key: CacheKey, variant: String?) async {
        state.withLock { Self.remove(key, variant: variant, from: &$0) }
    }

    func removeAll() async {
        releaseMemory()
    }

    func accepts(_ bytes: Int64) -> Bool { bytes <= Int64(largestEntry) }

    /// Removes all responses, for example after a memory warning.
    func releaseMemory() {
        state.withLock { state in
            state.entries = [:]
            state.bytes = 0
        }
    }

    func bytes(of response: StoredResponse, for key: CacheKey) -> Data? {
        state.withLock { state in
            guard let index = state.entries[key]?.firstIndex(where: { $0.response.revision == response.revision })
            else {
                return nil
            }
            let use = state.nextUse()
            state.entries[key]?[index].lastUse = use
            return state.entries[key]?[index].bytes
        }
    }

    /// Stores a response if it is not too large.
    func insert(_ response: StoredResponse, _ bytes: Data, for key: CacheKey) {
        let cost = bytes.count + response.cost + key.url.utf8.count + key.partition.utf8.count
        state.withLock { state in
            Self.remove(key, variant: response.variant, from: &state)
            guard bytes.count <= largestEntry, cost <= capacity else { return }
            let entry = Entry(response: response, bytes: bytes, cost: cost, lastUse: state.nextUse())
            state.entries[key, default: []].append(entry)
            state.bytes += cost
            trim(&state)
        }
    }

    /// If the budget is exceeded, removes the least recently used responses down to 90 percent, so that sorting is
    /// rare.
    private func trim(_ state: inout State) {
        let available = max(0, capacity - state.reserved)
        guard state.bytes > available else { return }
        let oldest = state.entries.flatMap { key, entries in entries.map { (key, $0.response.variant, $0.lastUse) } }
            .sorted { $0.2 < $1.2 }
        for (key, variant, _) in oldest {
            if state.bytes <= available / 10 * 9 { break }
            Self.remove(key, variant: variant, from: &state)
        }
    }

    private static func remove(_ key: CacheKey, variant: String?, from state: inout State) {
        guard let entries = state.entries[key] else { return }
        let remaining = entries.filter { variant != nil && $0.response.variant != variant }
        state.bytes -= entries.reduce(0) { $0 + $1.cost } - remaining.reduce(0) { $0 + $1.cost }
        state.entries[key] = remaining.isEmpty ? nil : remaining
    }
}

extension StoredResponse {
    /// The approximate memory usage without the body, in bytes.
    var cost: Int {
        head.headerFields.reduce(256) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
            + selectors.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 64 }
    }
}

/// A writer that collects the bytes of a response for the memory level.
final class MemoryCacheWriter: CacheWriting {
    private let store: MemoryCacheStore
    private let key: CacheKey
    /// The bytes so far; `nil` after the size limit was exceeded.
    private let gathered = Mutex<Data?>(Data())

    init(_ store: MemoryCacheStore, _ key: CacheKey) {
        self.store = store
        self.key = key
    }

    func write(_ chunk: Data) async -> Bool {
        gathered.withLock { data in
            if let count = data?.count, count + chunk.count > store.largestEntry { data = nil }
            data?.append(chunk)
            return data != nil
        }
    }

    func finish(_ response: StoredResponse) async {
        guard let bytes = gathered.withLock({ $0 }) else {
            await store.remove(key, variant: response.variant)
            return
        }
        store.insert(response, bytes, for: key)
    }
}
