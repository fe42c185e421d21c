// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
public import Foundation
public import ResourceLoading

/// The local resource table of a legacy server and its files, and their updates.
///
/// The host reports triggers to ``check(_:)`` and runs ``run()`` in its own task, which fetches files while the
/// conditions allow it. The loader of ``makeLoader()`` serves requests.
///
/// **Isolation.** An actor. Lookups are synchronous and read only memory, which a mutex protects. Responses are decoded
/// and files are hashed off the actor.
///
/// **Crash safety.** After a crash the old or the new table exists. Files that the table does not name are removed
/// when the library is opened. A lost file is fetched on first use.
public actor TableLibrary {
    /// The state that the loader reads.
    struct State {
        var table: URLTable?
        var counters = TableCounters()
        /// The times until which failed files are not fetched again, by download URL.
        var holds: [TableURL: Date] = [:]
    }

    /// The key of a download. Another MD5 is another file.
    struct FlightKey: Hashable {
        let download: TableURL
        let md5: MD5Digest
    }

    /// The result of fetching a file.
    enum FetchedFile: Sendable {
        /// Another request or a background download has stored the file meanwhile.
        case stored(TableFile)
        case downloaded(Data)
    }

    let configuration: Configuration
    let store: any TableStoring
    let conditions: any HostConditioning
    let fetcher: TableFetcher
    let flights = SingleFlight<FlightKey, FetchedFile>()
    let now: @Sendable () -> Date
    let state: Mutex<State>

    var policy = SourceCheck()
    var queue = TableQueue()
    var isDownloading = false
    var wake: AsyncStream<Void>.Continuation?

    /// Opens a library and restores the table, the update policy and the queue of downloads from the store.
    ///
    /// Files that the table does not name are removed. A document that cannot be decoded is counted and ignored.
    /// - Parameters:
    ///   - store: a store that only this library uses.
    ///   - network: the network loader. It follows redirects itself and decodes the codings of its `Accept-Encoding`.
    ///   - conditions: the conditions for background downloads. Default: always allowed.
    ///   - configuration: the sources of tables, their scope, and the limits.
    ///   - clock: the clock for time limits.
    ///   - now: the source of the wall clock time.
    /// - Throws: ``TableError`` with code `storage`.
    public init(
        store: any TableStoring, network: any ResourceLoader, conditions: any HostConditioning = .favourable,
        configuration: Configuration, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws {
        self.configuration = configuration
        self.store = store
        self.conditions = conditions
        self.now = now
        fetcher = TableFetcher(network: network, conditions: conditions, configuration: configuration, clock: clock)
        state = Mutex(State())
        try await Self.storage { try await restore() }
    }

    /// The local table, or `nil` before the first one is fetched.
    public nonisolated var table: URLTable? { state.withLock { $0.table } }

    /// The counters since the library was opened.
    public nonisolated var counters: TableCounters { state.withLock { $0.counters } }

    /// Returns the entry for a page URL in a few microseconds. The fragment is ignored, the query is significant.
    public nonisolated func entry(answering url: some StringProtocol) -> TableEntry? {
        table?.entry(answering: url)
    }

    // MARK: Checking

    /// Applies a trigger: fetches and adopts a new table unless the last check is too recent.
    ///
    /// Returns when the check is over and files that the new table does not name are removed. New files are only
    /// queued.
    /// - Throws: ``TableError`` with code `storage` if the new table cannot be stored, or `CancellationError`. The old
    ///   table then remains.
    @discardableResult
    public func check(_ trigger: TableTrigger) async throws -> TableCheckResult {
        defer { wake?.yield() }
        let hasMirror = configuration.endpoints.mirror != nil
        let decision = policy.begin(isLaunch: trigger == .launch, at: now(), hasMirror: hasMirror)
        guard case .query(var attempt) = decision else { return .dropped }
        while true {
            let result: Result<TableCheckResult, any Error>
            do { result = .success(try await query(attempt.source)) } catch { result = .failure(error) }
            let next = policy.finish(attempt, with: Self.outcome(of: result))
            await savePolicy()
            guard let next else { return try Self.result(of: result) }
            attempt = next
        }
    }

    private func query(_ source: TableSource) async throws -> TableCheckResult {
        let local = table
        guard let url = configuration.endpoints.url(of: source, localVersion: local?.version) else {
            throw TableError(.noAnswer, "no URL is configured for the \(source.rawValue)")
        }
        let (bytes, answer) = try await fetcher.answer(from: url)
        guard case .table(let remote) = answer,
            TableVersionRule.replaces(remote.version, from: source, local: local?.version)
        else { return .unchanged(source) }
        return .replaced(source, try await adopt(remote, bytes, inPlaceOf: local))
    }

    /// Returns the outcome of an attempt. A failure of the store is not an error of the source.
    private static func outcome(of result: Result<TableCheckResult, any Error>) -> SourceCheck.Outcome {
        guard case .failure(let error) = result else { return .success }
        guard let error = error as? TableError else { return .nothing }
        return error.code == .storage ? .success : error.code == .offline ? .nothing : .failure
    }

    private static func result(of result: Result<TableCheckResult, any Error>) throws -> TableCheckResult {
        do {
            return try result.get()
        } catch let error as TableError where error.code == .offline {
            return .offline
        } catch let error as TableError where error.code != .storage {
            return .failed(error)
        }
    }

    // MARK: Adoption of a table

    private func adopt(_ new: URLTable, _ bytes: Data, inPlaceOf old: URLTable?) async throws -> TableDiff {
        let diff = TableDiff(from: old, to: new)
        let pending = try Self.pending(queue(of: new, diff), of: new)
        // The files are copied before the table is stored. After a crash in between, the copies are removed when the
        // library is opened; after a crash later, the files of the old keys. A file that is not copied is fetched on
        // first use.
        let moves = Self.moves(of: diff)
        if !moves.isEmpty { await write { try await self.store.copy(moves.map(\.from), to: moves.map(\.to)) } }
        try await Self.storage {
            // The queue is stored first. After a crash in between it belongs to no table and is ignored.
            try await store.put(pending, as: .pending)
            try await store.put(bytes, as: .table)
        }
        // The queue is computed again, because downloads continued meanwhile.
        queue = queue(of: new, diff)
        state.withLock { state in
            state.table = new
            state.counters.invalidEntries += new.invalidCount
            state.holds = [:]
        }
        if old == nil {
            // The table may have been lost while its files remained.
            await write { try await self.removeUnnamed(by: new) }
        } else if !diff.unreferenced.isEmpty {
            await write { try await self.store.remove(diff.unreferenced) }
        }
        return diff
    }

    /// Returns the old and new keys of moved files, each new key once.
    private static func moves(of diff: TableDiff) -> [(from: TableURL, to: TableURL)] {
        var keys: Set<TableURL> = []
        return zip(diff.sources, diff.moved).compactMap { source, entry in
            keys.insert(entry.download).inserted ? (source, entry.download) : nil
        }
    }

    /// Returns the queue for a new table, including queued items of the previous table, which the diff does not
    /// contain.
    private func queue(of new: URLTable, _ diff: TableDiff) -> TableQueue {
        var result = TableQueue()
        let moved = Set(diff.moved.map(\.url))
        for var item in queue.waiting {
            guard let entry = new[item.entry.url] else { continue }
            guard entry == item.entry || moved.contains(entry.url) else { continue }
            // A file that was not fetched yet is fetched from the new URL.
            item.entry = entry
            result.add(item)
        }
        let changed = Set(diff.changed.map(\.url))
        for entry in diff.downloads {
            result.add(TableQueue.Item(entry: entry, isForced: changed.contains(entry.url)))
        }
        return result
    }

    private nonisolated static func pending(_ queue: TableQueue, of table: URLTable) throws -> Data {
        let places = queue.waiting.compactMap { table.place(of: $0.entry.url) }
        return try JSONEncoder().encode(
            Pending(version: table.version, count: table.entries.count, places: places))
    }

    func savePending() async {
        guard let table else { return }
        let queue = queue
        await write { try await self.store.put(Self.pending(queue, of: table), as: .pending) }
    }

    private func savePolicy() async {
        let policy = policy
        await write { try await self.store.put(JSONEncoder().encode(policy), as: .check) }
    }

    private nonisolated func removeUnnamed(by table: URLTable) async throws {
        let files = try await store.files()
        guard !files.isEmpty else { return }
        let named = Set(table.entries.map(\.download))
        let orphans = files.keys.filter { !named.contains($0) }
        if !orphans.isEmpty { try await store.remove(orphans) }
    }

    // MARK: Opening

    private func restore() async throws {
        if let data = try await store.document(.check) {
            if let policy = try? JSONDecoder().decode(SourceCheck.self, from: data) {
                self.policy = policy
            } else {
                count(\.damagedDocuments)
            }
        }
        guard let data = try await store.document(.table) else { return }
        guard case .table(let table)? = try? await Self.decode(data, configuration.limits) else {
            // The files are kept for the next table.
            return count(\.damagedDocuments)
        }
        // The scope may have changed since the table was stored. Files of a table outside the scope are kept for the
        // next table.
        guard (try? configuration.check(table)) != nil else { return }
        state.withLock { state in
            state.table = table
            state.counters.invalidEntries += table.invalidCount
        }
        // A full disk must not prevent the use of the table.
        await write { try await removeUnnamed(by: table) }
        guard let data = try await store.document(.pending) else { return }
        guard let pending = try? JSONDecoder().decode(Pending.self, from: data) else {
            return count(\.damagedDocuments)
        }
        for entry in pending.entries(of: table) { queue.add(TableQueue.Item(entry: entry, isForced: false)) }
    }

    /// Decodes a table off the actor, so that decoding does not block it.
    private nonisolated static func decode(_ data: Data, _ limits: TableLimits) async throws -> TableAnswer {
        try TableAnswer(decoding: data, limits: limits)
    }

    // MARK: Errors

    nonisolated func count(_ counter: WritableKeyPath<TableCounters, Int>) {
        state.withLock { $0.counters[keyPath: counter] += 1 }
    }

    /// Runs an operation of the store and counts a failure, whose only effect is a later repetition of work.
    nonisolated func write(_ call: @Sendable () async throws -> Void) async {
        do { try await call() } catch { count(\.failedWrites) }
    }

    /// Converts errors of the store to ``TableError``.
    private static func storage<Value>(
        isolation: isolated (any Actor)? = #isolation, _ call: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await call()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw TableError(.storage, String(describing: error), cause: error)
        }
    }
}

extension TableLibrary {
    /// The content of the document ``TableDocument/pending``.
    struct Pending: Codable {
        /// The version of the table that the positions refer to.
        var version: String
        /// The number of entries of that table. It is absent in older documents.
        var count: Int?
        /// The positions of entries in the table.
        var places: [Int]

        private enum CodingKeys: String, CodingKey {
            case version, count, places
        }

        /// Returns the entries of a table that are still to be fetched, or none if the positions refer to another
        /// table.
        ///
        /// If a build of the app leaves out other entries of the same table, the positions are wrong. Then all entries
        /// are returned, because the library does not fetch the files that it has.
        func entries(of table: URLTable) -> [TableEntry] {
            guard version == table.version else { return [] }
            guard count == table.entries.count || count == nil && table.invalidCount == 0 else { return table.entries }
            return places.filter(table.entries.indices.contains).map { table.entries[$0] }
        }
    }
}
