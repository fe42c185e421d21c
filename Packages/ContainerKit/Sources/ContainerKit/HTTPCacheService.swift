// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPCache
internal import Logging
internal import ResourceLoading

/// What has to do with the HTTP cache behind the facade: its levels, and what the app's life means for them.
///
/// A cache may be missing: where its folder cannot be opened it lives in memory alone, and whatever goes wrong with it
/// later is told to the log and to no caller.
///
/// Isolation: any; what blocks runs elsewhere.
final class HTTPCacheService: Sendable {
    /// Stands before the network.
    let loader: CachingLoader
    private let memory: MemoryCacheStore
    private let disk: DiskCacheStore?
    private let levels: TieredCacheStore?
    private let logger: Logger

    init(
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
            // Pages go on without what it held.
            logger.warning("the HTTP cache is in memory alone", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// What a cache with another capacity has left is nobody's to clear later, as when a user signs out.
    private static func empty(_ directory: String, _ logger: Logger) async throws {
        guard FileManager.default.fileExists(atPath: directory) else { return }
        let rest = try DiskCacheStore(directory: directory, capacity: 0, log: logger)
        await rest.removeAll()
        await rest.checkpoint()
    }

    var counters: HTTPCacheCounters {
        HTTPCacheCounters(requests: loader.counters, memoryBytes: memory.bytes, isOnDisk: disk != nil)
    }

    /// Gives memory back.
    func releaseMemory() {
        if let levels { levels.releaseMemory() } else { memory.releaseMemory() }
        disk?.releaseMemory()
    }

    func removeAll() async {
        await loader.removeAll()
    }

    /// Leaves the folder as after a proper close.
    func checkpoint() async {
        await disk?.checkpoint()
    }

    @concurrent
    func suspend() async {
        do { try disk?.suspend() } catch { record(error) }
    }

    @concurrent
    func resume() async {
        do { try disk?.resume() } catch { record(error) }
    }

    /// Ends what goes on by itself, and waits for it.
    func shutDown() async {
        await loader.shutDown()
        await disk?.checkpoint()
    }

    private func record(_ error: any Error) {
        logger.warning("the HTTP cache's folder", metadata: ["error": "\(error)"])
    }
}
