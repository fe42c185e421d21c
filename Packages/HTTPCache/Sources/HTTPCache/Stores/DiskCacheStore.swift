// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Foundation
public import Logging
internal import ResourceLoading
internal import ResourceStore

/// The disk level: responses in a store of their own, which survive the process.
///
/// It is a `BlobStore` whose resources are the cached responses: the body is the blob, and status, fields and
/// times are the resource's validator. So it has the store's budget and its least-recently-used eviction (by the day),
/// its order of steps (a kill leaves an entry whole or absent) and its checks (a damaged entry is a miss). A store that
/// cannot be opened because it is damaged is begun anew: all it held can be fetched.
///
/// What is to be removed is never given out again, also where the disk cannot be told: while the level is suspended, or
/// where the disk fails. It is hidden then, and removed as soon as that can be; a process that ends before leaves a
/// file, `forget`, for which the next opening removes everything.
///
/// Isolation: any. What blocks runs on threads of the level's own, but for one look-up at a time, which runs where it
/// is asked for: look-ups wait neither for the checks of large files nor for those who write, unless they find damage.
public final class DiskCacheStore: CacheStoring {
    private let store: BlobStore
    private let lookUps = BlockingQueue("look-ups")
    private let bodies = BlockingQueue("bodies")
    let changes = BlockingQueue("changes")
    /// The most bytes of one response.
    public let largestEntry: Int64
    private let log: Logger
    private let read = Mutex(ReadBodies())
    /// Changed by jobs of `changes` alone.
    private let pending = Mutex(PendingRemovals())
    /// The file that says that something is still to be removed.
    private static let pendingName = "forget"

    /// Bodies up to this size are read with their records: one way to the disk instead of two.
    private static let smallBody: Int64 = 64 << 10
    /// About what an entry costs on disk beside its texts: rows, their places in indexes, a seal.
    private static let entryCost: Int64 = 512

    /// Opens the level in a directory, which nothing else may use; it is made where it does not exist.
    /// - Parameters:
    ///   - directory: its path.
    ///   - capacity: in bytes, of bodies, keys and heads together, and 512 for each entry. Default: 100 MB.
    ///   - log: told what goes wrong with the disk. Default: a logger labelled `container.http-cache`.
    /// - Throws: `StoreError`, with code `in-use`, `disk-full` or `io`.
    public init(
        directory: String, capacity: Int64 = 100 << 20, log: Logger = Logger(label: "container.http-cache")
    ) throws {
        // The level above has what is used often.
        let configuration = BlobStore.Configuration(
            memoryCacheBytes: 0, packageBudget: 0, resourceBudget: max(0, capacity))
        do {
            store = try Self.open(directory, configuration)
        } catch let error as StoreError where error.code == .damaged || error.code == .newerFormat {
            log.warning("the HTTP cache is begun anew", metadata: ["reason": "\(error)"])
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
        // One that is too large, or is no file, says nothing of what is to be removed.
        let marked = (try? folder.contents(of: pendingName, upTo: 16 << 20)) ?? Data()
        if let prefixes = try? JSONDecoder().decode([String].self, from: marked) {
            for prefix in prefixes { try store.removeResources(try store.resources(withPrefix: prefix).map(\.key)) }
        } else {
            // Below nothing: answers without a body have no bytes to count.
            _ = try store.evictResources(to: -1)
        }
        try? folder.remove(pendingName)
        return store
    }

    public func responses(for key: CacheKey) async -> [StoredResponse] {
        await lookUp(or: []) { [self] store in
            // Before the disk is asked: what is removed from it meanwhile is hidden until then.
            let hidden = pending.withLock { $0 }
            let seen = read.withLock(\.removals)
            let resources = try store.resources(withPrefix: key.prefix)
            let responses = resources.compactMap { StoredResponse(record: $0.validator) }
                .filter { !hidden.covers(key, variant: $0.variant) }
            guard resources.count == 1, let response = responses.first, resources[0].size <= Self.smallBody,
                resources[0].size == Int64(response.range.count),
                // Who asks for bytes that are gone removes their record.
                case .there(let body) = try Self.body(in: resources[0], of: store)
            else { return responses }
            // Notes the use, once a day.
            if resources[0].lastUse < store.configuration.today() { _ = try store.resource(for: resources[0].key) }
            read.withLock { $0.put(body, key.name(of: response), response.revision, seen: seen) }
            return responses
        }
    }

    public func body(of response: StoredResponse, for key: CacheKey) async -> CachedBody? {
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
        case .gone:
            // Counted already. The record must not stand in the budget; another of that name may have come meanwhile.
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
        /// There is a record of it, and its bytes are missing or wrong.
        case gone
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
            return .gone
        }
    }

    public func makeWriter(for key: CacheKey) -> any CacheWriting {
        DiskCacheWriter(self, key)
    }

    public func update(_ response: StoredResponse, for key: CacheKey) async {
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

    public func remove(_ key: CacheKey, variant: String?) async {
        await change("removal", elseRemoving: (key, variant)) { [self] store in
            defer { read.withLock { $0.remove { $0.hasPrefix(key.prefix) } } }
            try Self.remove(key, variant, from: store)
        }
    }

    private static func remove(_ key: CacheKey, _ variant: String?, from store: BlobStore) throws {
        try store.removeResources(
            variant.map { [key.prefix + $0] } ?? store.resources(withPrefix: key.prefix).map(\.key))
    }

    public func accepts(_ bytes: Int64) -> Bool { bytes <= largestEntry }

    public func removeAll() async {
        await change("removal", elseRemoving: (nil, nil)) { [self] store in
            defer { read.withLock { $0.remove { _ in true } } }
            // Below nothing: answers without a body have no bytes to count.
            _ = try store.evictResources(to: -1)
        }
    }

    /// Gives memory back that the database holds, for a warning that it is short.
    public func releaseMemory() {
        read.withLock { $0.remove { _ in true } }
        store.releaseMemory()
    }

    /// Says that nothing will be written for a while, as when an app goes to the background: a kill from here on counts
    /// as a proper close.
    public func checkpoint() async {
        await change("settling") { try $0.checkpoint() }
    }

    /// Lets go of every lock before the system suspends the app, see `BlobStore.suspend()`. Until ``resume()``
    /// nothing new is stored, and what is removed is hidden. Blocks for as long as the disk takes.
    /// - Throws: `StoreError`.
    public func suspend() throws {
        try store.suspend()
    }

    /// Goes on after ``suspend()``: first it removes what was to be removed meanwhile.
    /// - Throws: `StoreError`, with code `in-use` where another has opened the directory meanwhile.
    public func resume() throws {
        // So that nothing is written before that.
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

// MARK: - What blocks

extension DiskCacheStore {
    /// Runs what changes something.
    /// - Parameters:
    ///   - doomed: what must not be given out where that fails: a variant of a key, all of a key, or everything.
    ///   - ifThere: whether nothing has to be remembered of what is not there.
    fileprivate func change(
        _ what: String, elseRemoving doomed: (key: CacheKey?, variant: String?)? = nil, ifThere: Bool = false,
        _ work: @escaping @Sendable (BlobStore) throws -> Void
    ) async {
        await run(what, on: changes, or: ()) { [self] store in
            do {
                try removePending()
                try work(store)
            } catch {
                if let doomed, !ifThere || holds(doomed.key, in: store) { hide(doomed.key, doomed.variant) }
                throw error
            }
        }
    }

    /// Runs what writes and gives something back.
    fileprivate func write(
        _ work: @escaping @Sendable (BlobStore) throws -> Bool
    ) async -> Bool {
        await run("write", on: changes, or: false, work)
    }

    /// Removes what could not be removed before. To be called by a job of `changes`.
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

    /// Whether there is something of a key, as far as can be read.
    private func holds(_ key: CacheKey?, in store: BlobStore) -> Bool {
        guard let key, let found = try? store.resources(withPrefix: key.prefix) else { return true }
        return !found.isEmpty
    }

    /// Has what could not be removed be removed later, and not be found until then.
    private func hide(_ key: CacheKey?, _ variant: String?) {
        let prefixes: [String]? = pending.withLock { pending in
            if let key { pending.add(key, variant: variant) } else { pending.addAll() }
            if pending.isAll { return nil }
            return pending.variants.flatMap { key, variants in
                variants.isEmpty ? [key.prefix] : variants.map { key.prefix + $0 }
            }
        }
        // For an end of the process before that. Where it cannot be made, nothing can be written at all.
        let marked = prefixes.flatMap { try? JSONEncoder().encode($0) } ?? Data()
        do {
            try PrivateFolder.open(store.directory)?.replace(Self.pendingName, with: marked)
        } catch {
            log.warning("what the HTTP cache should forget would not outlive the process")
        }
    }

    private func unmarkPending() {
        do {
            try PrivateFolder.open(store.directory)?.remove(Self.pendingName)
        } catch {
            // The next opening removes more than it must.
            record(error, "removal")
        }
    }

    /// Runs what reads records, and at most a small body.
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

    /// An error is told to the log, and to nobody else.
    private func attempt<Value>(_ what: String, or value: Value, _ work: (BlobStore) throws -> Value) -> Value {
        do {
            return try work(store)
        } catch {
            record(error, what)
            return value
        }
    }

    private func record(_ error: any Error, _ what: String) {
        // As it was told to be.
        if let error = error as? StoreError, error.code == .suspended { return }
        log.warning("\(what) failed in the HTTP cache", metadata: ["error": "\(error)"])
    }
}

/// Writes the bytes of a response into the disk level as they come.
private final class DiskCacheWriter: CacheWriting {
    private let level: DiskCacheStore
    private let key: CacheKey
    /// The bytes so far. Invariant of the mutex: held only by jobs of one queue of the level, so nobody waits for it.
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
                // Unless all goes well.
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
        // Where it cannot be stored, what was there is older than what the other level may hold.
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
    /// What the names of all variants begin with. A line break is in no URL that came through HTTP.
    fileprivate var prefix: String { "\(partition)\n\(url)\n" }

    fileprivate func name(of response: StoredResponse) -> String { prefix + response.variant }
}
