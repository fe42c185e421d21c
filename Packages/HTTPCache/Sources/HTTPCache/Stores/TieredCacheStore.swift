// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import ResourceLoading

/// A store of two levels: all responses are on disk; small, recently used responses are also in memory.
///
/// It caches the response lists of recently requested keys, so that neither a memory hit nor a miss reads the disk.
/// Therefore nothing else may change the levels. The lists use at most a quarter of the memory level's budget.
///
/// Isolation: any.
final class TieredCacheStore: CacheStoring {
    private let memory: MemoryCacheStore
    private let disk: any CacheStoring
    private let state: Mutex<State>

    /// The maximum number of keys whose lists are cached.
    private static let listLimit = 2_048

    private struct List {
        let responses: [StoredResponse]
        /// The approximate memory usage, in bytes.
        let cost: Int
        var lastUse: UInt64

        init(_ responses: [StoredResponse], for key: CacheKey, lastUse: UInt64) {
            self.responses = responses
            self.lastUse = lastUse
            cost = responses.reduce(128 + key.url.utf8.count + key.partition.utf8.count) { $0 + $1.cost }
        }
    }

    private struct State {
        var lists: [CacheKey: List] = [:]
        /// The approximate memory usage of all lists, in bytes.
        var cost = 0
        /// The maximum of `cost`.
        let costLimit: Int
        var uses: UInt64 = 0
        /// The number of changes. It prevents caching a list that was read before a change.
        var changes: UInt64 = 0

        init(costLimit: Int) {
            self.costLimit = costLimit
        }

        mutating func insert(_ responses: [StoredResponse], for key: CacheKey) {
            uses += 1
            let list = List(responses, for: key, lastUse: uses)
            remove(key)
            guard list.cost <= costLimit else { return }
            lists[key] = list
            cost += list.cost
            guard lists.count > TieredCacheStore.listLimit || cost > costLimit else { return }
            // Removes an eighth of the lists at once, so that sorting is rare.
            let oldest = lists.map { ($0.key, $0.value.lastUse) }.sorted { $0.1 < $1.1 }
            for (key, _) in oldest {
                if lists.count <= TieredCacheStore.listLimit / 8 * 7, cost <= costLimit / 8 * 7 { break }
                remove(key)
            }
        }

        mutating func use(_ key: CacheKey) -> [StoredResponse]? {
            guard let known = lists[key]?.responses else { return nil }
            uses += 1
            lists[key]?.lastUse = uses
            return known
        }

        mutating func remove(_ key: CacheKey) {
            guard let list = lists.removeValue(forKey: key) else { return }
            cost -= list.cost
        }
    }

    init(memory: MemoryCacheStore, disk: any CacheStoring) {
        self.memory = memory
        self.disk = disk
        state = Mutex(State(costLimit: memory.capacity / 4))
    }

    func responses(for key: CacheKey) async -> [StoredResponse] {
        let (known, changes) = state.withLock { ($0.use(key), $0.changes) }
        if let known { return known }
        let found = await disk.responses(for: key)
        state.withLock { state in
            guard state.changes == changes else { return }
            state.insert(found, for: key)
            memory.reserve(state.cost)
        }
        return found
    }

    func body(of response: StoredResponse, for key: CacheKey) async -> CachedBody? {
        if let found = bodyInMemory(of: response, for: key) { return found }
        let changes = state.withLock(\.changes)
        guard let found = await disk.body(of: response, for: key) else { return nil }
        if case .bytes(let bytes) = found.body {
            state.withLock { state in
                if state.changes == changes { memory.insert(response, bytes, for: key) }
            }
        }
        return found
    }

    func responsesInMemory(for key: CacheKey) -> [StoredResponse]? {
        state.withLock { $0.use(key) }
    }

    func bodyInMemory(of response: StoredResponse, for key: CacheKey) -> CachedBody? {
        memory.bodyInMemory(of: response, for: key)
    }

    func makeWriter(for key: CacheKey) -> any CacheWriting {
        TieredCacheWriter(self, key, memory.makeWriter(for: key), disk.makeWriter(for: key))
    }

    func update(_ response: StoredResponse, for key: CacheKey) async {
        await memory.update(response, for: key)
        await changing(key) { list in
            guard let index = list.firstIndex(where: { $0.revision == response.revision }) else { return }
            list[index] = response
        } while: {
            await disk.update(response, for: key)
        }
    }

    func remove(_ key: CacheKey, variant: String?) async {
        await memory.remove(key, variant: variant)
        await changing(key) { list in
            list.removeAll { variant == nil || $0.variant == variant }
        } while: {
            await disk.remove(key, variant: variant)
        }
    }

    func accepts(_ bytes: Int64) -> Bool { memory.accepts(bytes) || disk.accepts(bytes) }

    func removeAll() async {
        await memory.removeAll()
        clear()
        await disk.removeAll()
        clear()
    }

    /// Releases the memory level and the cached lists, for example after a memory warning.
    func releaseMemory() {
        memory.releaseMemory()
        clear()
    }

    private func clear() {
        state.withLock { state in
            state.lists = [:]
            state.cost = 0
            state.changes += 1
            memory.reserve(0)
        }
    }

    /// Changes the list of a key, if it is cached.
    private func change(_ key: CacheKey, _ body: (inout [StoredResponse]) -> Void) {
        state.withLock { state in
            state.changes += 1
            guard var list = state.lists[key]?.responses else { return }
            body(&list)
            state.insert(list, for: key)
            memory.reserve(state.cost)
        }
    }

    /// Changes the list of a key before and after the disk changes. A list that is read from the disk in between has
    /// the old content.
    private func changing(
        _ key: CacheKey, _ body: (inout [StoredResponse]) -> Void, while work: () async -> Void
    ) async {
        change(key, body)
        await work()
        change(key, body)
    }

    fileprivate func holdsInMemory(_ response: StoredResponse, for key: CacheKey) -> Bool {
        memory.bytes(of: response, for: key) != nil
    }

    /// Adds a response that is stored in at least one level to the list of its key.
    fileprivate func record(_ response: StoredResponse, for key: CacheKey) {
        change(key) { list in
            list.removeAll { $0.variant == response.variant }
            list.append(response)
        }
    }
}

/// A writer for both levels. A response that is too large for one level may still be stored in the other.
private final class TieredCacheWriter: CacheWriting {
    private let store: TieredCacheStore
    private let key: CacheKey
    private let memory: any CacheWriting
    private let disk: any CacheWriting

    init(_ store: TieredCacheStore, _ key: CacheKey, _ memory: any CacheWriting, _ disk: any CacheWriting) {
        self.store = store
        self.key = key
        self.memory = memory
        self.disk = disk
    }

    func write(_ chunk: Data) async -> Bool {
        let isForMemory = await memory.write(chunk)
        let isForDisk = await disk.write(chunk)
        return isForMemory || isForDisk
    }

    func finish(_ response: StoredResponse) async {
        await memory.finish(response)
        // Requests find the response in memory while it is still being written to disk.
        let isInMemory = store.holdsInMemory(response, for: key)
        if isInMemory { store.record(response, for: key) }
        await disk.finish(response)
        // Recorded again: a list that was read from the disk in the meantime lacks the response.
        store.record(response, for: key)
    }
}
