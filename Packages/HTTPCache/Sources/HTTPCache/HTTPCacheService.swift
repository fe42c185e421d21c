// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import Logging
public import ResourceLoading

/// The HTTP cache of a container: its loader, its memory and disk levels, and their reaction to the app's life cycle.
///
/// If the folder cannot be opened, the cache is in memory only. Later failures are logged, and not thrown.
///
/// Isolation: any; blocking work runs on other threads.
@_spi(Facade) public final class HTTPCacheService: Sendable {
    /// The loader that answers from the cache before it uses the network.
    public let loader: CachingLoader
    private let memory: MemoryCacheStore
    private let disk: DiskCacheStore?
    private let levels: TieredCacheStore?
    private let logger: Logger

    /// Opens the cache, and empties the folder of one that has no disk bytes any more.
    /// - Parameters:
    ///   - options: the sizes, the folder and the rules.
    ///   - directory: the folder of the container, in which the cache has its own by default.
    ///   - network: the loader of responses that are not stored.
    ///   - logger: the log of failures.
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
            // Pages work without the stored responses.
            logger.warning("the HTTP cache is in memory alone", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Removes the responses of a cache with another capacity, since no later call, such as a sign-out, clears them.
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

    /// Empties the memory level.
    public func releaseMemory() {
        if let levels { levels.releaseMemory() } else { memory.releaseMemory() }
        disk?.releaseMemory()
    }

    /// Removes all stored responses. Responses on their way are not stored either.
    public func removeAll() async {
        await loader.removeAll()
    }

    /// Writes pending changes, so that the folder is as after a proper close.
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

    /// Ends background work and waits for it.
    public func shutDown() async {
        await loader.shutDown()
        await disk?.checkpoint()
    }

    private func record(_ error: any Error) {
        logger.warning("the HTTP cache's folder", metadata: ["error": "\(error)"])
    }
}

/// The size, the place and the rules of the HTTP cache between the packages and the network.
///
/// The cache serves requests that reach the container in custom-scheme mode: there the engine keeps nothing on disk.
/// Pages that are not intercepted have the engine's own cache.
public struct HTTPCacheOptions: Sendable {
    /// The maximum number of bytes in memory; 10 MB by default. Zero leaves the cache to the disk.
    public var memoryBytes = 10 << 20
    /// The maximum number of bytes on disk; 100 MB by default. With zero nothing survives the process, and nothing is
    /// written.
    public var diskBytes: Int64 = 100 << 20
    /// The folder of the disk level, which nothing else may use; by default `http-cache` in the container's own. On
    /// Apple's systems a folder under Caches lets the system remove it when the device is full.
    public var directory: String?
    /// The rules and limits of the cache. In the options of a container they are by default those of a private cache, in
    /// which pages of one scheme and registrable domain share entries, as in browsers.
    public var rules: CachingLoader.Configuration

    /// Makes options with the default sizes and folder.
    /// - Parameter rules: the rules and limits of the cache.
    public init(rules: CachingLoader.Configuration) {
        self.rules = rules
    }
}

/// Totals of an HTTP cache since its container was opened.
public struct HTTPCacheCounters: Sendable, Hashable {
    /// The requests, by the source of their response.
    public var requests: CacheCounters
    /// The number of bytes in the memory level.
    public var memoryBytes: Int
    /// A Boolean value that indicates whether there is a disk level. There is none if the options have no disk bytes, or
    /// if the folder could not be opened.
    public var isOnDisk: Bool
}
