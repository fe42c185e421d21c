// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

/// The memory level: whole responses in memory; the least recently used go first.
///
/// Isolation: any.
public final class MemoryCacheStore: CacheStoring {
    /// How many bytes it holds at most, with what each response costs besides.
    public let capacity: Int
    /// The most bytes of one response.
    public let largestEntry: Int
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
        /// What others keep in memory on this budget.
        var reserved = 0
        var uses: UInt64 = 0

        mutating func nextUse() -> UInt64 {
            uses += 1
            return uses
        }
    }

    /// - Parameters:
    ///   - capacity: in bytes. Default: 10 MB. Zero keeps nothing.
    ///   - largestEntry: in bytes. Default: an eighth of the capacity.
    public init(capacity: Int = 10 << 20, largestEntry: Int? = nil) {
        self.capacity = max(0, capacity)
        self.largestEntry = min(self.capacity, largestEntry ?? capacity / 8)
    }

    /// How many bytes it holds, with what ``TieredCacheStore`` keeps beside it.
    public var bytes: Int { state.withLock { $0.bytes + $0.reserved } }

    /// Says how many bytes of the budget another takes: they are not for responses.
    func reserve(_ bytes: Int) {
        state.withLock { state in
            state.reserved = bytes
            trim(&state)
        }
    }

    public func responses(for key: CacheKey) async -> [StoredResponse] {
        responsesInMemory(for: key) ?? []
    }

    public func body(of response: StoredResponse, for key: CacheKey) async -> CachedBody? {
        bodyInMemory(of: response, for: key)
    }

    public func responsesInMemory(for key: CacheKey) -> [StoredResponse]? {
        state.withLock { $0.entries[key]?.map(\.response) ?? [] }
    }

    public func bodyInMemory(of response: StoredResponse, for key: CacheKey) -> CachedBody? {
        bytes(of: response, for: key).map { CachedBody(.bytes($0), from: .memory) }
    }

    public func makeWriter(for key: CacheKey) -> any CacheWriting {
        MemoryCacheWriter(self, key)
    }

    public func update(_ response: StoredResponse, for key: CacheKey) async {
        state.withLock { state in
            guard let index = state.entries[key]?.firstIndex(where: { $0.response.revision == response.revision })
            else {
                return
            }
            state.entries[key]?[index].response = response
        }
    }

    public func remove(_ key: CacheKey, variant: String?) async {
        state.withLock { Self.remove(key, variant: variant, from: &$0) }
    }

    public func removeAll() async {
        state.withLock { state in
            state.entries = [:]
            state.bytes = 0
        }
    }

    public func accepts(_ bytes: Int64) -> Bool { bytes <= Int64(largestEntry) }

    /// Gives memory back: all of it, for a warning that memory is short.
    public func releaseMemory() {
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

    /// Keeps a response, where it is not too large.
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

    /// A hundred at a time rather than one, so that the order is made seldom.
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
        let kept = entries.filter { variant != nil && $0.response.variant != variant }
        state.bytes -= entries.reduce(0) { $0 + $1.cost } - kept.reduce(0) { $0 + $1.cost }
        state.entries[key] = kept.isEmpty ? nil : kept
    }
}

extension StoredResponse {
    /// About how many bytes of memory it takes itself.
    var cost: Int {
        head.headerFields.reduce(256) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
            + selectors.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 64 }
    }
}

/// Gathers the bytes of a response for the memory level.
final class MemoryCacheWriter: CacheWriting {
    private let store: MemoryCacheStore
    private let key: CacheKey
    /// `nil` once there are too many.
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
