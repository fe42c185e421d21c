// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Foundation
internal import Logging
internal import ResourceLoading
@_spi(Facade) internal import ResourceStore

/// The disk level of the cache: responses in a `BlobStore` that survive the process.
///
/// The body of a response is a blob. Its status, fields and times are the validator of a resource. The `BlobStore`
/// provides the budget and the least-recently-used eviction (by day). It orders writes, so that after a kill an entry
/// is complete or absent, and checks bytes, so that a damaged entry is a miss. A store that is damaged on opening is
/// replaced by an empty one.
///
/// A removed response is never returned again, even if the store is suspended or the disk fails. In that case it is
/// hidden and removed as soon as possible. If the process ends before that, a file named `forget` remains, and the
/// next opening removes the responses that it lists.
///
/// Isolation: any. Blocking work runs on threads of this level. One look-up at a time runs on the thread of its
/// caller. Look-ups do not wait for checks of large files or for writers, unless they find damage.
final class DiskCacheStore: CacheStoring {
    private let store: BlobStore
    private let lookUps = BlockingQueue("look-ups")
    private let bodies = BlockingQueue("bodies")
    let changes = BlockingQueue("changes")
    /// The maximum number of bytes in one response.
    let largestEntry: Int64
    private let log: Logger
    private let read = Mutex(ReadBodies())
    /// The removals that are still to be made; changed only by jobs of `changes`.
    private let pending = Mutex(PendingRemovals())
    /// The name of the file that lists responses to remove.
    private static let pendingName = "forget"

    /// The maximum size of a body that is read together with its record, in bytes; this saves one disk access.
    private static let smallBody: Int64 = 64 << 10
    /// The approximate disk usage of an entry besides its texts, in bytes: rows, index entries and a seal.
    private static let entryCost: Int64 = 512

    /// Opens the store in a directory, which nothing else may use. The directory is created if it does not exist.
    /// - Parameters:
    ///   - directory: The path of the directory.
    ///   - capacity: The maximum total size of the entries in bytes; 100 MiB by default. The size of an entry is that
    ///     of its body, key and head, plus 512 bytes.
    ///   - log: The logger for disk failures; its label is `container.http-cache` by default.
    /// - Throws: `StoreError` with code `in-use`, `disk-full` or `io`.
    init(
        directory: String, capacity: Int64 = 100 << 20, log: Logger = Logger(label: "container.http-cache")
    ) throws {
        // ``MemoryCacheStore`` holds the frequently used responses.
        let configuration = BlobStore.Configuration(
            memoryCacheBytes: 0, packageBudget: 0, resourceBudget: max(0, capacity))
        do {
            store = try Self.open(directory, configuration)
        } catch let error as StoreError where error.code == .damaged || error.code == .newerFormat {
            log.warning("the HTTP cache is damaged and was replaced by an empty one", metadata: ["reason": "\(error)"])
            try BlobStore.reset(directory: directory)
            store = try Self.open(directory, configuration)
        }
        largestEntry = max(0, capacity) / 8
        self.log = log
    }

    private static func open(
        _ directory: String, _ configuration: BlobStore.Configuration
    ) throws -> BlobStore {
        let store = try BlobStore(directory: directory, configuration: configuration)
        guard let folder = try PrivateFolder.open(store.directory), try folder.names().contains(pendingName) else {
            return store
        }
        // If the file cannot be read, for example because it is too large, all responses are removed.
        let marked = (try? folder.contents(of: pendingName, upTo: 16 << 20)) ?? Data()
        if let prefixes = try? JSONDecoder().decode([String].self, from: marked) {
            for prefix in prefixes { try store.removeResources(try store.resources(withPrefix: prefix).map(\.key)) }
        } else {
            // The budget is negative because responses without a body have a size of zero bytes.
            _ = try store.evictResources(to: -1)
        }
        try? folder.remove(pendingName)
        return store
    }

    func responses(for key: CacheKey) async -> [StoredResponse] {
        await lookUp(or: []) { [self] store in
            // The hidden responses are read before the disk. If the read came second, a removal that completes in
            // between would no longer be hidden, but its response would be in the result.
            let hidden = pending.withLock { $0 }
            let seen = read.withLock(\.removals)
            let resources = try store.resources(withPrefix: key.prefix)
            let responses = resources.compactMap { StoredResponse(record: $0.validator) }
                .filter { !hidden.covers(key, variant: $0.variant) }
            guard resources.count == 1, let response = responses.first, resources[0].size <= Self.smallBody,
                resources[0].size == Int64(response.range.count),
                // ``body(of:for:)`` removes the record of missing bytes.
                case .there(let body) = try Self.body(in: resources[0], of: store)
            else { return responses }
            // Records the use, once a day.
            if resources[0].lastUse < store.configuration.today() { _ = try store.resource(for: resources[0].key) }
            read.withLock { $0.put(body, key.name(of: response), response.revision, seen: seen) }
            return responses
        }
    }

    func body(of response: StoredResponse, for key: CacheKey) async -> CachedBody? {
        let name = key.name(of: response)
        if let body = read.withLock({ $0.removeBody(name, response.revision) }) { return CachedBody(body, from: .disk) }
        let found = await run("read", on: bodies, or: FoundBody.notThere) { store in
            guard let resource = try store.resource(for: name),
                StoredResponse(record: resource.validator)?.revision == response.revision,
                resource.size == Int64(response.range.count)
            else { return .notThere }
            return try Self.body(in: resource, of: store)
        }
        switch found {
        case .there(let body): return CachedBody(body, from: .disk)
        case .notThere: return nil
        case .missingBody:
            // The store has already counted the damage. The record is removed so that it does not use the budget,
            // unless another response has replaced it.
            await change("removal") { store in
                guard let resource = try store.resource(for: name),
                    StoredResponse(record: resource.validator)?.revision == response.revision
                else { return }
                try store.removeResources([name])
            }
            return nil
        }
    }

    private enum FoundBody {
        case there(ResourceBody)
        case notThere
        /// The record exists, but its bytes are missing or damaged.
        case missingBody
    }

    private static func body(in resource: StoredResource, of store: BlobStore) throws -> FoundBody {
        do {
            switch try store.blob(resource.blob, size: resource.size).content {
            case .bytes(let bytes): return .there(.bytes(bytes))
            case .file(let file):
                return .there(
                    .file(FileSlice(try OpenFile(copying: file.descriptor, path: file.path), range: 0..<resource.size)))
            }
        } catch let error as StoreError where [.damaged, .notFound].contains(error.code) {
            return .missingBody
        }
    }

    func makeWriter(for key: CacheKey) -> any CacheWriting {
        DiskCacheWriter(self, key)
    }

    func update(_ response: StoredResponse, for key: CacheKey) async {
        let name = key.name(of: response)
        await change("update", elseRemoving: (key, response.variant), ifThere: true) { store in
            guard let resource = try store.resource(for: name),
                StoredResponse(record: resource.validator)?.revision == response.revision
            else { return }
            let batch = store.makeBatch()
            guard try batch.reuse([resource.blob: resource.size]) == [resource.blob] else { return }
            try store.putResources([Self.resource(response, key, resource.blob)], from: batch)
        }
    }

    func remove(_ key: CacheKey, variant: String?) async {
        await change("removal", elseRemoving: (key, variant)) { [self] store in
            defer { read.withLock { $0.remove { $0.utf8.starts(with: key.prefix.utf8) } } }
            try Self.remove(key, variant, from: store)
        }
    }

    private static func remove(_ key: CacheKey, _ variant: String?, from store: BlobStore) throws {
        try store.removeResources(
            variant.map { [key.prefix + $0] } ?? store.resources(withPrefix: key.prefix).map(\.key))
    }

    func accepts(_ bytes: Int64) -> Bool { bytes <= largestEntry }

    func removeAll() async {
        await change("removal", elseRemoving: (nil, nil)) { [self] store in
            defer { read.withLock { $0.remove { _ in true } } }
            // The budget is negative because responses without a body have a size of zero bytes.
            _ = try store.evictResources(to: -1)
        }
    }

    /// Releases the small bodies in memory and the memory of the database, for example after a memory warning.
    func releaseMemory() {
        read.withLock { $0.remove { _ in true } }
        store.releaseMemory()
    }

    /// Completes pending writes, for example when the app enters the background. A kill after this call is equivalent
    /// to closing the store.
    func checkpoint() async {
        await change("settling") { try $0.checkpoint() }
    }

    /// Releases all locks before the system suspends the app, see `BlobStore.suspend()`. Until ``resume()``, nothing
    /// new is stored and removed responses are hidden. Blocks until the disk has finished.
    /// - Throws: `StoreError`.
    func suspend() throws {
        try store.suspend()
    }

    /// Reverses ``suspend()`` and first removes the responses that were removed during the suspension.
    /// - Throws: `StoreError` with code `in-use` if another process has opened the directory in the meantime.
    func resume() throws {
        // Runs in the queue of changes, so that no write precedes the removals.
        try changes.runBlocking {
            try store.resume()
            do { try removePending() } catch { record(error, "removal") }
        }
    }

    fileprivate static func resource(_ response: StoredResponse, _ key: CacheKey, _ blob: SHA256Digest)
        -> StoredResource
    {
        var resource = StoredResource(
            key: key.name(of: response), blob: blob, size: Int64(response.range.count), mediaType: "",
            validator: response.record)
        resource.overhead = Int64(resource.key.utf8.count + resource.validator.utf8.count) + entryCost
        return resource
    }
}

// MARK: - Blocking work

extension DiskCacheStore {
    /// Runs a job that changes the store.
    /// - Parameters:
    ///   - invalidated: The responses to hide if the job fails: one variant of a key, all its variants, or all.
    ///   - ifThere: A Boolean value that indicates whether responses are hidden only if the key has stored responses.
    fileprivate func change(
        _ what: String, elseRemoving invalidated: (key: CacheKey?, variant: String?)? = nil, ifThere: Bool = false,
        _ work: @escaping @Sendable (BlobStore) throws -> Void
    ) async {
        await run(what, on: changes, or: ()) { [self] store in
            do {
                try removePending()
                try work(store)
            } catch {
                if let invalidated, !ifThere || holds(invalidated.key, in: store) {
                    hide(invalidated.key, invalidated.variant)
                }
                throw error
            }
        }
    }

    /// Runs a job that writes and returns a value.
    fileprivate func write(
        _ work: @escaping @Sendable (BlobStore) throws -> Bool
    ) async -> Bool {
        await run("write", on: changes, or: false, work)
    }

    /// Removes the responses that could not be removed before. Must be called by a job of `changes`.
    private func removePending() throws {
        let waiting = pending.withLock { $0 }
        guard !waiting.isEmpty else { return }
        if waiting.isAll {
            _ = try store.evictResources(to: -1)
        } else {
            var names: [String] = []
            for (key, variants) in waiting.variants {
                if variants.isEmpty {
                    names += try store.resources(withPrefix: key.prefix).map(\.key)
                } else {
                    names += variants.map { key.prefix + $0 }
                }
            }
            try store.removeResources(names)
        }
        read.withLock { $0.remove { _ in true } }
        pending.withLock { $0 = PendingRemovals() }
        unmarkPending()
    }

    /// Returns a Boolean value that indicates whether responses of a key are stored; `true` if this cannot be
    /// determined.
    private func holds(_ key: CacheKey?, in store: BlobStore) -> Bool {
        guard let key, let found = try? store.resources(withPrefix: key.prefix) else { return true }
        return !found.isEmpty
    }

    /// Hides responses that could not be removed, and records them for a later removal.
    private func hide(_ key: CacheKey?, _ variant: String?) {
        let prefixes: [String]? = pending.withLock { pending in
            if let key { pending.add(key, variant: variant) } else { pending.addAll() }
            if pending.isAll { return nil }
            return pending.variants.flatMap { key, variants in
                variants.isEmpty ? [key.prefix] : variants.map { key.prefix + $0 }
            }
        }
        // The file applies if the process ends before the removal. If it cannot be written, the disk accepts no other
        // change either.
        let marked = prefixes.flatMap { try? JSONEncoder().encode($0) } ?? Data()
        do {
            try PrivateFolder.open(store.directory)?.replace(Self.pendingName, with: marked)
        } catch {
            log.warning("pending removals of the HTTP cache could not be saved")
        }
    }

    private func unmarkPending() {
        do {
            try PrivateFolder.open(store.directory)?.remove(Self.pendingName)
        } catch {
            // The file remains, so the next opening removes more responses than necessary.
            record(error, "removal")
        }
    }

    /// Runs a job that reads records and at most one small body.
    private func lookUp<Value: Sendable>(
        or value: Value, _ work: @escaping @Sendable (BlobStore) throws -> Value
    ) async -> Value {
        await lookUps.runShort { [self] in attempt("look-up", or: value, work) }
    }

    private func run<Value: Sendable>(
        _ what: String, on queue: BlockingQueue, or value: Value,
        _ work: @escaping @Sendable (BlobStore) throws -> Value
    ) async -> Value {
        await queue.run { [self] in attempt(what, or: value, work) }
    }

    /// Runs a job and logs its error.
    private func attempt<Value>(_ what: String, or value: Value, _ work: (BlobStore) throws -> Value) -> Value {
        do {
            return try work(store)
        } catch {
            record(error, what)
            return value
        }
    }

    private func record(_ error: any Error, _ what: String) {
        // This error is expected during a suspension.
        if let error = error as? StoreError, error.code == .suspended { return }
        log.warning("\(what) failed in the HTTP cache", metadata: ["error": "\(error)"])
    }
}

/// A writer that stores the bytes of a response on disk as they are received.
private final class DiskCacheWriter: CacheWriting {
    private let level: DiskCacheStore
    private let key: CacheKey
    /// The bytes received so far. Only jobs of one queue of the store lock the mutex, so it is never contended.
    private let work = Mutex(Work())

    private struct Work: ~Copyable {
        var batch: BlobBatch?
        var writer: BlobWriter?
        var isOver = false
    }

    init(_ level: DiskCacheStore, _ key: CacheKey) {
        self.level = level
        self.key = key
    }

    func write(_ chunk: Data) async -> Bool {
        await level.write { [self] store in
            try work.withLock { work in
                guard !work.isOver else { return false }
                // Stays set if a statement below throws.
                work.isOver = true
                let batch = work.batch ?? store.makeBatch()
                work.batch = batch
                var writer = try work.writer.take() ?? batch.makeWriter()
                guard writer.size + Int64(chunk.count) <= level.largestEntry else {
                    work.batch = nil
                    return false
                }
                try writer.write(chunk)
                work.writer = consume writer
                work.isOver = false
                return true
            }
        }
    }

    func finish(_ response: StoredResponse) async {
        // If the response cannot be stored, the previous response on disk is removed, because it is older than that in
        // the memory level.
        await level.change("write", elseRemoving: (key, response.variant), ifThere: true) { [self] store in
            try work.withLock { work in
                guard !work.isOver else {
                    try store.removeResources([key.name(of: response)])
                    return
                }
                work.isOver = true
                let batch = work.batch ?? store.makeBatch()
                let writer = try work.writer.take() ?? batch.makeWriter()
                guard writer.size == Int64(response.range.count) else { return }
                let blob = try writer.finish()
                try store.putResources([DiskCacheStore.resource(response, key, blob)], from: batch)
                work.batch = nil
            }
        }
    }
}

extension CacheKey {
    /// The common prefix of the names of all variants. A URL received over HTTP contains no line break.
    fileprivate var prefix: String { "\(partition)\n\(url)\n" }

    fileprivate func name(of response: StoredResponse) -> String { prefix + response.variant }
}
