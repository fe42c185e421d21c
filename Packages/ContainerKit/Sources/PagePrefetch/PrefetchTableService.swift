// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import Logging
internal import Prefetch
internal import ResourceLoading
internal import ResourceStore
internal import WebEngine

/// Fetches the table of what is fetched ahead, and keeps the last good one on disk.
///
/// Isolation: the main actor; reading, writing and fetching happen elsewhere.
@MainActor
final class PrefetchTableService {
    private let source: PrefetchTableSource
    private let network: any ResourceLoader
    private let storage: StoredDocument
    private let conditions: any HostConditioning
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let apply: @MainActor (PrefetchTable) -> Void
    private let receive: @MainActor (PrefetchTableCheck) -> Void
    private var checking: Task<Void, Never>?
    private var nextCheck = Duration.zero
    /// The bytes of the table that was taken last.
    private var current: Data?
    /// Whether the next process will find it.
    private var isKept = true
    private(set) var counters = PrefetchTableCounters()

    /// - Parameters:
    ///   - network: follows redirects, and decodes.
    ///   - apply: receives each table that applies from then on.
    ///   - receive: receives what came of each check.
    init(
        _ source: PrefetchTableSource, network: any ResourceLoader, store: BlobStore,
        conditions: any HostConditioning, logger: Logger, clock: some Clock<Duration> = ContinuousClock(),
        apply: @escaping @MainActor (PrefetchTable) -> Void, receive: @escaping @MainActor (PrefetchTableCheck) -> Void
    ) {
        self.source = source
        self.network = network
        storage = StoredDocument("prefetch-table", in: store)
        self.conditions = conditions
        self.logger = logger
        self.clock = clock
        stopwatch = Stopwatch(clock)
        self.apply = apply
        self.receive = receive
    }

    deinit {
        checking?.cancel()
    }

    /// What is kept begins with where it comes from.
    private var mark: Data { Data((source.url + "\n").utf8) }

    /// Takes the table that the last process kept.
    func open() async {
        do {
            guard let bytes = try await storage.read(),
                // Another server's table says nothing of what this one wants.
                bytes.starts(with: mark)
            else { return }
            let json = Data(bytes.dropFirst(mark.count))
            apply(try PrefetchTable(json: json, limits: source.limits))
            current = json
        } catch {
            // The server has another one.
            logger.warning("the kept prefetch table cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Asks for the table, unless it was asked for a moment ago or is being asked for. Never waits.
    func check() {
        guard checking == nil, stopwatch.elapsed >= nextCheck, conditions.conditions.network != .none else { return }
        counters.checks += 1
        checking = Task { [weak self, source, network, clock] in
            let answer: Result<Data, any Error>
            do {
                answer = .success(
                    try await withLimit(source.answerLimit, clock: clock, "the prefetch table does not come") {
                        try await network.document(
                            at: source.url, source.headerFields, upTo: source.limits.maxBytes)
                    })
            } catch {
                answer = .failure(error)
            }
            guard !Task.isCancelled else { return }
            await self?.end(answer)
        }
    }

    /// Ends what goes on by itself, and waits for it.
    func shutDown() async {
        checking?.cancel()
        await checking?.value
    }

    private func end(_ answer: Result<Data, any Error>) async {
        let check: PrefetchTableCheck
        do {
            check = try await update(with: answer.get())
            nextCheck = stopwatch.elapsed + source.interval
        } catch {
            counters.failures += 1
            nextCheck = stopwatch.elapsed + source.retryInterval
            logger.warning("cannot renew the prefetch table", metadata: ["error": "\(error)"])
            check = .failed(error)
        }
        checking = nil
        receive(check)
    }

    private func update(with json: Data) async throws -> PrefetchTableCheck {
        let table = try PrefetchTable(json: json, limits: source.limits)
        guard json != current else {
            // The folder may have been out of reach before.
            if !isKept { try await keep(json) }
            return .unchanged(version: table.version)
        }
        apply(table)
        current = json
        counters.applied += 1
        try await keep(json)
        return .applied(version: table.version)
    }

    private func keep(_ json: Data) async throws {
        isKept = false
        try await storage.write(mark + json)
        isKept = true
    }
}
