// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
package import Logging
internal import Prefetch
package import ResourceLoading
@_spi(Facade) package import ResourceStore
internal import WebEngine

/// The service that requests the prefetch table, applies it to the prefetchers, and stores the last valid table on
/// disk.
///
/// Isolation: the main actor; reading, writing and network transfers run on other threads.
@MainActor
package final class PrefetchTableService {
    private let source: PrefetchTableSource
    private let network: any ResourceLoader
    private let storage: StoredDocument
    private let conditions: any HostConditioning
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private weak var prefetchers: Prefetchers?
    private let receive: @MainActor (PrefetchTableCheck) -> Void
    private var checking: Task<Void, Never>?
    private var nextCheck = Duration.zero
    /// The bytes of the table that was applied last.
    private var current: Data?
    /// A Boolean value that indicates whether the table is stored for the next process.
    private var isStored = true
    package private(set) var counters = PrefetchTableCounters()

    /// Creates a service. It applies no table before ``open()``.
    /// - Parameters:
    ///   - source: the server of the table.
    ///   - prefetchers: the prefetchers to which each table is applied; not retained.
    ///   - network: a loader that follows redirects and decodes bodies.
    ///   - store: the store of the last table.
    ///   - conditions: the host's conditions; no request is made without a network.
    ///   - logger: the logger.
    ///   - clock: the clock of the intervals.
    ///   - receive: a closure that receives the result of each check.
    package init(
        _ source: PrefetchTableSource, for prefetchers: Prefetchers, network: any ResourceLoader, store: BlobStore,
        conditions: any HostConditioning, logger: Logger, clock: some Clock<Duration> = ContinuousClock(),
        receive: @escaping @MainActor (PrefetchTableCheck) -> Void
    ) {
        self.source = source
        self.network = network
        storage = StoredDocument("prefetch-table", in: store)
        self.conditions = conditions
        self.logger = logger
        self.clock = clock
        stopwatch = Stopwatch(clock)
        self.prefetchers = prefetchers
        self.receive = receive
    }

    deinit {
        checking?.cancel()
    }

    /// The prefix of a stored table: the URL of its server.
    private var mark: Data { Data((source.url + "\n").utf8) }

    /// Applies the table that the last process stored.
    package func open() async {
        do {
            guard let bytes = try await storage.read(),
                // A table of another server does not apply.
                bytes.starts(with: mark)
            else { return }
            let json = Data(bytes.dropFirst(mark.count))
            prefetchers?.table = try PrefetchTable(json: json, limits: source.limits)
            current = json
        } catch {
            // The next check requests another table.
            logger.warning("cannot read the stored prefetch table", metadata: ["error": "\(error)"])
        }
    }

    /// Requests the table if the interval has elapsed and no request is in progress. Returns at once.
    package func check() {
        guard checking == nil, stopwatch.elapsed >= nextCheck, conditions.conditions.network != .none else { return }
        counters.checks += 1
        checking = Task { [weak self, source, network, clock] in
            let answer: Result<Data, any Error>
            do {
                answer = .success(
                    try await withLimit(source.answerLimit, clock: clock, "no prefetch table arrived in time") {
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

    /// Cancels a check in progress and waits for its end.
    package func shutDown() async {
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
            logger.warning("cannot update the prefetch table", metadata: ["error": "\(error)"])
            check = .failed(error)
        }
        checking = nil
        receive(check)
    }

    private func update(with json: Data) async throws -> PrefetchTableCheck {
        let table = try PrefetchTable(json: json, limits: source.limits)
        guard json != current else {
            // The last write may have failed.
            if !isStored { try await write(json) }
            return .unchanged(version: table.version)
        }
        prefetchers?.table = table
        current = json
        counters.applied += 1
        try await write(json)
        return .applied(version: table.version)
    }

    private func write(_ json: Data) async throws {
        isStored = false
        try await storage.write(mark + json)
        isStored = true
    }
}
