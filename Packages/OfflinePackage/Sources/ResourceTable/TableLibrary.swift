// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
public import Foundation
public import ResourceLoading

/// The local resource table of a legacy server, its files, and how both are kept up to date.
///
/// The host reports triggers to ``check(_:)``, and runs ``run()`` in a task of its own, which fetches files while the
/// conditions allow it. A ``TableLoader`` answers requests.
///
/// **Isolation.** An actor; look-ups are synchronous and read memory, behind a mutex that is never held for longer.
/// Answers are decoded and files are hashed away from the actor.
///
/// **What a crash leaves.** The old table or the new one. Files of neither are removed when the library is opened; a
/// file that a crash cost is fetched on first use.
public actor TableLibrary {
    /// What the loader reads.
    struct State {
        var table: URLTable?
        var counters = TableCounters()
        /// When a file that a page asked for may be tried again. By download URL.
        var holds: [TableURL: Date] = [:]
    }

    /// Names a piece of work: another MD5 is another file.
    struct FlightKey: Hashable {
        let download: TableURL
        let md5: MD5Digest
    }

    /// A file that was missing when its page asked.
    enum FetchedFile: Sendable {
        /// Another request or the background has stored it meanwhile.
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

    private var policy = TableCheck()
    var queue = TableQueue()
    var isDownloading = false
    var wake: AsyncStream<Void>.Continuation?

    /// Opens the library on what the store has: the table of the last run, the state of the update policy, and what was
    /// still to be downloaded. Removes files that the table does not name.
    ///
    /// A document that cannot be understood is counted, and is as if it were not there.
    /// - Parameters:
    ///   - store: belongs to this library alone.
    ///   - network: answers with status 200 or not at all; redirects are its own affair. It decodes what it asks for in
    ///     `Accept-Encoding`.
    ///   - conditions: when files may be fetched in the background. Default: always.
    ///   - configuration: the sources of tables, their scope, and the limits.
    ///   - clock: measures time limits.
    ///   - now: the time of the wall clock.
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

    /// The local table; `nil` before the first one came.
    public nonisolated var table: URLTable? { state.withLock { $0.table } }

    /// What happened since the library was opened.
    public nonisolated var counters: TableCounters { state.withLock { $0.counters } }

    /// The entry that answers a page URL; the `#fragment` is ignored, the query counts. A few microseconds.
    public nonisolated func entry(answering url: some StringProtocol) -> TableEntry? {
        table?.entry(answering: url)
    }

    /// The state of the update policy.
    @_spi(Facade) public var checkState: TableCheck { policy }

    /// How many files wait to be fetched in the background.
    public var pendingDownloads: Int { queue.count }

    // MARK: Checking

    /// Takes a trigger: asks for a new table, unless the last check is too recent, and takes it over.
    ///
    /// Returns when the check is over and files that left the table are deleted; what is new is only queued.
    /// - Throws: ``TableError`` with code `storage` where the new table cannot be kept:
    ///   then the old one stays. Or `CancellationError`.
    @discardableResult
    public func check(_ trigger: TableTrigger) async throws -> TableCheckResult {
        defer { wake?.yield() }
        let hasMirror = configuration.endpoints.mirror != nil
        guard case .ask(var attempt) = policy.begin(trigger, at: now(), hasMirror: hasMirror) else { return .dropped }
        while true {
            let result: Result<TableCheckResult, any Error>
            do { result = .success(try await ask(attempt.source)) } catch { result = .failure(error) }
            let next = policy.finish(attempt, with: Self.outcome(of: result))
            await savePolicy()
            guard let next else { return try Self.result(of: result) }
            attempt = next
        }
    }

    private func ask(_ source: TableSource) async throws -> TableCheckResult {
        let local = table
        guard let url = configuration.endpoints.url(of: source, localVersion: local?.version) else {
            throw TableError(.noAnswer, "no address for the \(source.rawValue)")
        }
        let (bytes, answer) = try await fetcher.answer(from: url)
        guard case .table(let remote) = answer,
            TableVersionRule.replaces(remote.version, from: source, local: local?.version)
        else { return .unchanged(source) }
        return .replaced(source, try await adopt(remote, bytes, inPlaceOf: local))
    }

    /// A store that refuses is no fault of the source.
    private static func outcome(of result: Result<TableCheckResult, any Error>) -> TableCheck.Outcome {
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

    // MARK: Taking over

    private func adopt(_ new: URLTable, _ bytes: Data, inPlaceOf old: URLTable?) async throws -> TableDiff {
        let diff = TableDiff(from: old, to: new)
        let pending = try Self.pending(queue(of: new, diff), of: new)
        try await Self.storage {
            // First, so that a crash in between leaves a list that belongs to no table, and is ignored.
            try await store.put(pending, as: .pending)
            try await store.put(bytes, as: .table)
        }
        // Once more, since downloads went on meanwhile.
        queue = queue(of: new, diff)
        state.withLock { state in
            state.table = new
            state.holds = [:]
        }
        if old == nil {
            // The table may have been lost and its files not.
            await write { try await self.removeUnnamed(by: new) }
        } else if !diff.abandoned.isEmpty {
            await write { try await self.store.remove(diff.abandoned) }
        }
        return diff
    }

    /// What is to be fetched for a new table, and what still waits from the one before, which the diff does not see.
    private func queue(of new: URLTable, _ diff: TableDiff) -> TableQueue {
        var result = TableQueue()
        for item in queue.waiting where new[item.entry.url] == item.entry { result.add(item) }
        let changed = Set(diff.changed.map(\.url))
        for entry in diff.downloads {
            result.add(TableQueue.Item(entry: entry, isForced: changed.contains(entry.url)))
        }
        return result
    }

    private nonisolated static func pending(_ queue: TableQueue, of table: URLTable) throws -> Data {
        let places = queue.waiting.compactMap { table.place(of: $0.entry.url) }
        return try JSONEncoder().encode(Pending(version: table.version, places: places))
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
            if let policy = try? JSONDecoder().decode(TableCheck.self, from: data) {
                self.policy = policy
            } else {
                count(\.damagedDocuments)
            }
        }
        guard let data = try await store.document(.table) else { return }
        guard case .table(let table)? = try? await Self.decode(data, configuration.limits) else {
            // Its files stay: the next table finds them.
            return count(\.damagedDocuments)
        }
        // The configuration, or the rule, may have changed since it was kept. Its files stay for a table within the scope.
        guard (try? configuration.check(table)) != nil else { return }
        state.withLock { $0.table = table }
        // A disk that is full must not keep the table from answering.
        await write { try await removeUnnamed(by: table) }
        guard let data = try await store.document(.pending) else { return }
        guard let pending = try? JSONDecoder().decode(Pending.self, from: data) else {
            return count(\.damagedDocuments)
        }
        for entry in pending.entries(of: table) { queue.add(TableQueue.Item(entry: entry, isForced: false)) }
    }

    /// Not isolated, so that it does not hold up the actor.
    private nonisolated static func decode(_ data: Data, _ limits: TableLimits) async throws -> TableAnswer {
        try TableAnswer(decoding: data, limits: limits)
    }

    // MARK: Errors

    nonisolated func count(_ counter: WritableKeyPath<TableCounters, Int>) {
        state.withLock { $0.counters[keyPath: counter] += 1 }
    }

    /// Runs a call of the store whose failure costs nothing but time later.
    nonisolated func write(_ call: @Sendable () async throws -> Void) async {
        do { try await call() } catch { count(\.failedWrites) }
    }

    /// Gives errors of the store this room's type.
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
    /// The document ``TableDocument/pending``.
    struct Pending: Codable {
        /// The version of the table that the places belong to.
        var version: String
        /// Places of entries in the table.
        var places: [Int]

        private enum CodingKeys: String, CodingKey {
            case version, places
        }

        /// The entries of a table that are still to be fetched; none where it is another table.
        func entries(of table: URLTable) -> [TableEntry] {
            guard version == table.version else { return [] }
            return places.filter(table.entries.indices.contains).map { table.entries[$0] }
        }
    }
}
