// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import Logging
public import ResourceLoading

/// The HTTP cache of a container: its loader, its memory and disk levels, and their life-cycle handling.
///
/// If the folder cannot be opened, the cache is in memory only. Later failures are logged and not thrown.
///
/// Isolation: any; blocking work runs on other threads.
@_spi(Facade) public final class HTTPCacheService: Sendable {
    /// The loader that uses the cache before the network.
    public let loader: CachingLoader
    private let memory: MemoryCacheStore
    private let disk: DiskCacheStore?
    private let levels: TieredCacheStore?
    private let logger: Logger

    /// Opens the cache. If the options have no disk bytes, removes the responses of an earlier cache from the folder.
    /// - Parameters:
    ///   - options: The sizes, the folder and the rules.
    ///   - directory: The folder of the container, which contains the folder of the cache by default.
    ///   - network: The loader for responses that are not stored.
    ///   - logger: The logger for failures.
    public init(
        _ options: HTTPCacheOptions, directory: String, network: any ResourceLoader, logger: Logger
    ) async {
        memory = MemoryCacheStore(capacity: options.memoryBytes)
        let folder = options.directory ?? directory + "/http-cache"
        disk = await Self.open(folder, capacity: options.diskBytes, logger)
        levels = disk.map { [memory] in TieredCacheStore(memory: memory, disk: $0) }
        self.logger = logger
        let store: any CacheStoring = if let levels { levels } else { memory }
        loader = CachingLoader(next: network, store: store, configuration: options.rules)
    }

    @concurrent
    private static func open(_ directory: String, capacity: Int64, _ logger: Logger) async -> DiskCacheStore? {
        do {
            guard capacity > 0 else {
                try await empty(directory, logger)
                return nil
            }
            return try DiskCacheStore(directory: directory, capacity: capacity, log: logger)
        } catch {
            // Pages work without stored responses.
            logger.warning("the HTTP cache is in memory only", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Removes the responses of an earlier cache. No later call, such as a sign-out, would remove them.
    private static func empty(_ directory: String, _ logger: Logger) async throws {
        guard FileManager.default.fileExists(atPath: directory) else { return }
        let rest = try DiskCacheStore(directory: directory, capacity: 0, log: logger)
        await rest.removeAll()
        await rest.checkpoint()
    }

    /// The totals since the cache was opened.
    public var counters: HTTPCacheCounters {
        HTTPCacheCounters(requests: loader.counters, memoryBytes: memory.bytes, isOnDisk: disk != nil)
    }

    /// Releases the memory level.
    public func releaseMemory() {
        if let levels { levels.releaseMemory() } else { memory.releaseMemory() }
        disk?.releaseMemory()
    }

    /// Removes all stored responses. Responses that are being received are not stored either.
    public func removeAll() async {
        await loader.removeAll()
    }

    /// Completes pending writes, so that the folder has the state of a closed store.
    public func checkpoint() async {
        await disk?.checkpoint()
    }

    /// Releases the locks of the folder before the app is suspended. Nothing is written until ``resume()``.
    @concurrent
    public func suspend() async {
        do { try disk?.suspend() } catch { record(error) }
    }

    /// Locks the folder again after a suspension.
    @concurrent
    public func resume() async {
        do { try disk?.resume() } catch { record(error) }
    }

    /// Ends background work, waits for it, and unlocks the folder. Nothing is written afterwards.
    public func shutDown() async {
        await loader.shutDown()
        await disk?.checkpoint()
        await suspend()
    }

    private func record(_ error: any Error) {
        logger.warning("the folder of the HTTP cache failed", metadata: ["error": "\(error)"])
    }
}

/// The sizes, the folder and the rules of the HTTP cache between the packages and the network.
///
/// The cache serves requests that reach the container in custom-scheme mode, because the engine stores nothing on disk
/// for them, and the documents of the mode `document`, unless the container also has custom-scheme pages. Pages that
/// are not intercepted use the cache of the engine.
public struct HTTPCacheOptions: Sendable {
    /// The maximum number of bytes in memory; 10 MB by default. With zero, only the disk level is used.
    public var memoryBytes = 10 << 20
    /// The maximum number of bytes on disk; 100 MB by default. With zero, nothing is written and nothing survives the
    /// process.
    public var diskBytes: Int64 = 100 << 20
    /// The folder of the disk level, which nothing else may use; by default `http-cache` in the folder of the
    /// container. On Apple platforms, the system may remove a folder under Caches when the device is full.
    public var directory: String?
    /// The rules and limits of the cache. The default in the options of a container is a private cache in which pages
    /// of one scheme and registrable domain share entries, as in browsers.
    public var rules: CachingLoader.Configuration

    /// Creates options with the default sizes and folder.
    /// - Parameter rules: The rules and limits of the cache.
    public init(rules: CachingLoader.Configuration) {
        self.rules = rules
    }
}

/// The totals of an HTTP cache since its container was opened.
public struct HTTPCacheCounters: Sendable, Hashable {
    /// The requests by the source of their response.
    public var requests: CacheCounters
    /// The number of bytes in the memory level.
    public var memoryBytes: Int
    /// A Boolean value that indicates whether there is a disk level. There is none if the options have no disk bytes
    /// or if the folder could not be opened.
    public var isOnDisk: Bool
}
