// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import ResourceLoading

extension TableLibrary {
    // MARK: For the loader

    /// Returns the stored file of an entry, or `nil` if there is none or it has another MD5.
    nonisolated func file(of entry: TableEntry) async -> TableFile? {
        do {
            return try await storedFile(of: entry)
        } catch {
            count(\.unreadableFiles)
            return nil
        }
    }

    private nonisolated func storedFile(of entry: TableEntry) async throws -> TableFile? {
        guard let file = try await store.file(for: entry.download), file.md5 == entry.md5, file.body.length != nil
        else { return nil }
        return file
    }

    /// Fetches the file of an entry for a page's request. Concurrent requests share one download.
    /// - Returns: `nil` if the fetch fails; the page's request is then passed to the next loader.
    /// - Throws: `CancellationError`.
    nonisolated func fill(_ entry: TableEntry) async throws -> FetchedFile? {
        guard conditions.conditions.network != .none, !isHeld(entry) else { return nil }
        do {
            let file = try await flight(of: entry, unlessStored: true)
            if case .downloaded = file { count(\.fills) }
            return file
        } catch {
            try Task.checkCancellation()
            count(\.failedFills)
            if (error as? TableError)?.code != .offline { hold(entry) }
            return nil
        }
    }

    /// Returns a Boolean value that indicates whether a recent attempt failed, so a page's request must not wait again.
    private nonisolated func isHeld(_ entry: TableEntry) -> Bool {
        guard let until = state.withLock({ $0.holds[entry.download] }) else { return false }
        let left = until.timeIntervalSince(now())
        // The clock may have been set back.
        return left > 0 && left <= configuration.retryInterval
    }

    private nonisolated func hold(_ entry: TableEntry) {
        let until = now() + configuration.retryInterval
        state.withLock { state in
            if state.holds.count >= 1000 { state.holds = [:] }
            state.holds[entry.download] = until
        }
    }

    /// Fetches and stores a file. Concurrent calls share one download.
    /// - Parameters:
    ///   - entry: the entry of the file.
    ///   - unlessStored: whether a file that is already stored is used. Otherwise a caller that checked the store
    ///     before a download ended would cause a second download.
    private nonisolated func flight(of entry: TableEntry, unlessStored: Bool) async throws -> FetchedFile {
        try await flights.value(for: FlightKey(download: entry.download, md5: entry.md5)) { [self] in
            if unlessStored, let file = try? await storedFile(of: entry) { return .stored(file) }
            let bytes = try await fetcher.file(of: entry)
            await save(bytes, of: entry)
            return .downloaded(bytes)
        }
    }

    private nonisolated func save(_ bytes: Data, of entry: TableEntry) async {
        guard isNamed(entry) else { return }
        await write { try await self.store.put(bytes, md5: entry.md5, for: entry.download) }
        // The adoption of another table may have removed files that it does not name before this file was stored.
        guard !isNamed(entry) else { return }
        await write { try await self.store.remove([entry.download]) }
    }

    /// Returns a Boolean value that indicates whether the local table names the file of an entry.
    private nonisolated func isNamed(_ entry: TableEntry) -> Bool {
        guard let table else { return false }
        if let current = table[entry.url], current.download == entry.download { return true }
        return table.entries.contains { $0.download == entry.download }
    }

    // MARK: In the background

    /// Runs background downloads when files are queued and the conditions allow it, until the task is cancelled.
    ///
    /// The host calls it once in its own task and cancels the task at the end. A second call returns immediately.
    public func run() async {
        guard wake == nil else { return }
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        // The stream is created before the conditions are first read, so that no change is missed.
        let changes = conditions.changes()
        wake.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes { wake.yield() } }
            for await _ in wakes { await downloadPending() }
            group.cancelAll()
        }
        self.wake = nil
    }

    /// Fetches queued files at background priority while the conditions allow it.
    ///
    /// Returns when the queue is empty, when the conditions no longer allow it and running downloads have ended, or
    /// when the task is cancelled. Failed files are retried by the next call. A concurrent call returns immediately.
    func downloadPending() async {
        guard !isDownloading else { return }
        isDownloading = true
        var failed: [TableQueue.Item] = []
        var hasWorked = false
        await withTaskGroup(of: TableQueue.Item?.self) { group in
            var running = 0
            while true {
                while running < max(1, configuration.maxConcurrentDownloads), mayDownload, let item = queue.dequeue() {
                    hasWorked = true
                    running += 1
                    group.addTask(priority: .background) { [self] in await download(item) }
                }
                guard running > 0, let result = await group.next() else { return }
                running -= 1
                if let item = result { failed.append(item) }
            }
        }
        isDownloading = false
        guard hasWorked else { return }
        for item in failed {
            // A new table may have replaced or removed the entry.
            guard table?[item.entry.url] == item.entry else { continue }
            if item.attempts < TableQueue.maxAttempts { queue.add(item) } else { count(\.abandonedDownloads) }
        }
        await savePending()
    }

    private var mayDownload: Bool {
        !Task.isCancelled && conditions.conditions.allowsBackgroundTransfers
    }

    /// Downloads the file of an item.
    /// - Returns: the item if it must be tried again, otherwise `nil`.
    private nonisolated func download(_ item: TableQueue.Item) async -> TableQueue.Item? {
        // A table that arrived meanwhile may have another entry.
        guard table?[item.entry.url] == item.entry else { return nil }
        if !item.isForced, await file(of: item.entry) != nil { return nil }
        do {
            _ = try await BackgroundTransfer.$isCurrent.withValue(true) {
                try await flight(of: item.entry, unlessStored: !item.isForced)
            }
            count(\.downloads)
            return nil
        } catch {
            var item = item
            // Cancellation and a missing network do not count as attempts.
            let isInnocent = Task.isCancelled || (error as? TableError)?.code == .offline
            if !isInnocent {
                count(\.failedDownloads)
                item.attempts += 1
            }
            return item
        }
    }
}
