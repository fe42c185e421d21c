// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Logging
internal import ResourceLoading
internal import ResourceStore
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The disk level: responses in a store of their own, which survive the process.
///
/// It is a ``/ResourceStore`` whose resources are the cached responses: the body is the blob, and status, fields and
/// times are the resource's validator. So it has the store's budget and its least-recently-used eviction (by the day),
/// its order of steps (a kill leaves an entry whole or absent) and its checks (a damaged entry is a miss). A store that
/// cannot be opened because it is damaged is begun anew: all it held can be fetched.
///
/// Isolation: any. What blocks runs on a thread of the level's own.
public final class DiskCacheStore: CacheStoring {
    private let store: ResourceStore
    private let queue = BlockingQueue()
    /// The most bytes of one response.
    public let largestEntry: Int64
    private let log: Logger
    /// Filled by jobs of the queue alone, so that none is kept after its removal.
    private let read = Mutex(ReadBodies())

    /// Bodies up to this size are read with their records: one way to the disk instead of two.
    private static let smallBody: Int64 = 64 << 10

    /// Opens the level in a directory, which nothing else may use; it is made where it does not exist.
    /// - Parameters:
    ///   - directory: its path.
    ///   - capacity: in bytes. Default: 100 MB.
    ///   - log: told what goes wrong with the disk. Default: a logger labelled `container.http-cache`.
    /// - Throws: `StoreError`, with code `in-use`, `disk-full` or `io`.
    public init(
        directory: String, capacity: Int64 = 100 << 20, log: Logger = Logger(label: "container.http-cache")
    ) throws {
        // The level above has what is used often.
        let configuration = ResourceStore.Configuration(
            memoryCacheBytes: 0, packageBudget: 0, resourceBudget: max(0, capacity))
        do {
            store = try ResourceStore(directory: directory, configuration: configuration)
        } catch let error as StoreError where error.code == .damaged || error.code == .newerFormat {
            log.warning("the HTTP cache is begun anew", metadata: ["reason": "\(error)"])
            try ResourceStore.reset(directory: directory)
            store = try ResourceStore(directory: directory, configuration: configuration)
        }
        largestEntry = max(0, capacity) / 8
        self.log = log
    }

    public func responses(for key: CacheKey) async -> [StoredResponse] {
        await run("look-up", or: []) { [self] store in
            let resources = try store.resources(withPrefix: key.prefix)
            let responses = resources.compactMap { StoredResponse(record: $0.validator) }
            guard resources.count == 1, let response = responses.first, resources[0].size <= Self.smallBody,
                resources[0].size == Int64(response.range.count),
                let body = try Self.body(in: resources[0], of: store)
            else { return responses }
            // Notes the use, once a day.
            if resources[0].lastUse < store.configuration.today() { _ = try store.resource(for: resources[0].key) }
            read.withLock { $0.put(body, key.name(of: response), response.revision) }
            return responses
        }
    }

    public func body(of response: StoredResponse, for key: CacheKey) async -> CachedBody? {
        let name = key.name(of: response)
        if let body = read.withLock({ $0.take(name, response.revision) }) { return CachedBody(body, from: .disk) }
        return await run("read", or: nil) { store in
            try Self.body(of: response, name, in: store).map { CachedBody($0, from: .disk) }
        }
    }

    private static func body(
        of response: StoredResponse, _ name: String, in store: ResourceStore
    ) throws -> ResourceBody? {
        guard let resource = try store.resource(for: name),
            StoredResponse(record: resource.validator)?.revision == response.revision,
            resource.size == Int64(response.range.count)
        else { return nil }
        return try body(in: resource, of: store)
    }

    private static func body(in resource: StoredResource, of store: ResourceStore) throws -> ResourceBody? {
        do {
            switch try store.blob(resource.blob, size: resource.size).content {
            case .bytes(let bytes): return .bytes(bytes)
            case .file(let path): return .file(FileSlice(try OpenFile(path: path), range: 0..<resource.size))
            }
        } catch let error as StoreError where [.damaged, .notFound].contains(error.code) {
            // The bytes are gone, and counted. Their record must not stand in the budget.
            try store.removeResources([resource.key])
            return nil
        }
    }

    public func makeWriter(for key: CacheKey) -> any CacheWriting {
        DiskCacheWriter(self, key)
    }

    public func update(_ response: StoredResponse, for key: CacheKey) async {
        let name = key.name(of: response)
        await run("update", or: ()) { store in
            guard let resource = try store.resource(for: name),
                StoredResponse(record: resource.validator)?.revision == response.revision
            else { return }
            let batch = store.makeBatch()
            guard try batch.reuse([resource.blob: resource.size]) == [resource.blob] else { return }
            try store.putResources([response.resource(name, resource.blob)], from: batch)
        }
    }

    public func remove(_ key: CacheKey, variant: String?) async {
        await run("removal", or: ()) { [self] store in
            read.withLock { $0.remove { $0.hasPrefix(key.prefix) } }
            try store.removeResources(
                variant.map { [key.prefix + $0] } ?? store.resources(withPrefix: key.prefix).map(\.key))
        }
    }

    public func takes(_ bytes: Int64) -> Bool { bytes <= largestEntry }

    public func removeAll() async {
        await run("removal", or: ()) { [self] store in
            read.withLock { $0.remove { _ in true } }
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
    public func settle() async {
        await run("settling", or: ()) { try $0.settle() }
    }

    /// Lets go of every lock before the system suspends the app, see `ResourceStore.suspend()`. Until ``resume()``
    /// nothing new is stored. Blocks for as long as the disk takes.
    /// - Throws: `StoreError`.
    public func suspend() throws {
        try store.suspend()
    }

    /// Goes on after ``suspend()``.
    /// - Throws: `StoreError`, with code `in-use` where another has opened the directory meanwhile.
    public func resume() throws {
        try store.resume()
    }

    /// Runs what blocks. An error is told to the log, and to nobody else.
    func run<Value: Sendable>(
        _ what: String, or value: Value, _ work: @escaping @Sendable (ResourceStore) throws -> Value
    ) async -> Value {
        await queue.run { [store, log] in
            do {
                return try work(store)
            } catch let error as StoreError where error.code == .suspended {
                // As it was told to be.
                return value
            } catch {
                log.warning("\(what) failed in the HTTP cache", metadata: ["error": "\(error)"])
                return value
            }
        }
    }
}

/// Writes the bytes of a response into the disk level as they come.
private final class DiskCacheWriter: CacheWriting {
    private let level: DiskCacheStore
    private let key: CacheKey
    /// The bytes so far. Invariant of the mutex: held only by jobs of the level's one queue, so nobody waits for it.
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
        await level.run("write", or: false) { [self] store in
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
        let name = key.name(of: response)
        await level.run("write", or: ()) { [self] store in
            try work.withLock { work in
                guard !work.isOver else {
                    // What was there is older than what the other level may hold.
                    try store.removeResources([name])
                    return
                }
                work.isOver = true
                let batch = work.batch ?? store.makeBatch()
                let writer = try work.writer.take() ?? batch.makeWriter()
                guard writer.size == Int64(response.range.count) else { return }
                let blob = try writer.finish()
                try store.putResources([response.resource(name, blob)], from: batch)
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

extension StoredResponse {
    fileprivate func resource(_ name: String, _ blob: BlobID) -> StoredResource {
        StoredResource(key: name, blob: blob, size: Int64(range.count), mediaType: "", validator: record)
    }
}
