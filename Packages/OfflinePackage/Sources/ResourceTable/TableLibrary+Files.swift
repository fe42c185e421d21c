// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import ResourceLoading

extension TableLibrary {
    // MARK: For the loader

    /// The stored file of an entry; `nil` where there is none, or one of another version.
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

    /// Fetches the file of an entry because a page asks for it; all who ask at the same time wait for one download.
    /// - Returns: `nil` where it cannot be had: the page's request then goes on to the next loader.
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

    /// Whether a try a short while ago failed: then each request of a page would cost two.
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

    /// Fetches and keeps a file, once for all who want it now.
    /// - Parameter unlessStored: whether a file that was stored since the caller looked is enough. Without it, who looks
    ///   before a download ends and asks after that causes a second one.
    private nonisolated func flight(of entry: TableEntry, unlessStored: Bool) async throws -> FetchedFile {
        try await flights.value(for: FlightKey(download: entry.download, md5: entry.md5)) { [self] in
            if unlessStored, let file = try? await storedFile(of: entry) { return .stored(file) }
            let bytes = try await fetcher.file(of: entry)
            await keep(bytes, of: entry)
            return .downloaded(bytes)
        }
    }

    private nonisolated func keep(_ bytes: Data, of entry: TableEntry) async {
        guard isNamed(entry) else { return }
        await write { try await self.store.put(bytes, md5: entry.md5, for: entry.download) }
        // A table that came meanwhile has removed what it does not name, perhaps before this was put.
        guard !isNamed(entry) else { return }
        await write { try await self.store.remove([entry.download]) }
    }

    /// Whether the local table has a use for a file.
    private nonisolated func isNamed(_ entry: TableEntry) -> Bool {
        guard let table else { return false }
        if let current = table[entry.url], current.download == entry.download { return true }
        return table.entries.contains { $0.download == entry.download }
    }

    // MARK: In the background

    /// Fetches what is queued, whenever there is something and the conditions allow it, until the task is cancelled.
    ///
    /// To be run once, by the host, in a task of its own that it cancels at the end; a second run returns at once.
    public func run() async {
        guard wake == nil else { return }
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        // Before the first look at the conditions, so that no change is missed.
        let changes = conditions.changes()
        wake.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes { wake.yield() } }
            for await _ in wakes { await downloadPending() }
            group.cancelAll()
        }
        self.wake = nil
    }

    /// Fetches what is queued, a few at a time and at the lowest priority, while the conditions allow it.
    ///
    /// Returns when there is nothing left, when the conditions no longer allow it and what was begun is done, or when
    /// the task is cancelled. What failed waits for the next call. While one call is under way another returns at once.
    public func downloadPending() async {
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
            // It may have left the table, or have come with a page.
            guard table?[item.entry.url] == item.entry else { continue }
            if item.attempts < configuration.maxAttempts { queue.add(item) } else { count(\.givenUp) }
        }
        await savePending()
    }

    private var mayDownload: Bool {
        !Task.isCancelled && conditions.conditions.allowsBackgroundTransfers
    }

    /// - Returns: what is to be tried again.
    private nonisolated func download(_ item: TableQueue.Item) async -> TableQueue.Item? {
        // A table that came meanwhile may have other plans.
        guard table?[item.entry.url] == item.entry else { return nil }
        if !item.isForced, await file(of: item.entry) != nil { return nil }
        do {
            _ = try await flight(of: item.entry, unlessStored: !item.isForced)
            count(\.downloads)
            return nil
        } catch {
            var item = item
            // To be stopped, or to be offline, is no fault of the file.
            let isInnocent = Task.isCancelled || (error as? TableError)?.code == .offline
            if !isInnocent {
                count(\.failedDownloads)
                item.attempts += 1
            }
            return item
        }
    }
}
