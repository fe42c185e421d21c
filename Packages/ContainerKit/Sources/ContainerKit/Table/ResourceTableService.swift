// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import Logging
internal import OfflinePackage
internal import RemoteConfig
internal import ResourceLoading
internal import ResourceStore
internal import ResourceTable

/// What has to do with the resource table behind the facade: the library over the container's store, its work in the
/// background, and the triggers that make it ask for a new table.
///
/// Isolation: the main actor; the work itself happens elsewhere.
@MainActor
final class ResourceTableService {
    let library: TableLibrary
    private let logger: Logger
    private let switches: FeatureSwitches
    private let triggers: AsyncStream<TableTrigger>.Continuation
    private var tasks: [Task<Void, Never>] = []
    /// Whether a trigger was taken and what it leads to is not over.
    private var isChecking = false

    /// - Parameters:
    ///   - now: the time of the wall clock.
    ///   - receive: receives what came of a trigger, unless it was dropped.
    /// - Throws: `TableError` with code `storage`.
    init(
        _ configuration: TableLibrary.Configuration, store: BlobStore, network: any ResourceLoader,
        conditions: any HostConditioning, switches: FeatureSwitches = FeatureSwitches(), logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() },
        receive: @escaping @MainActor (TableTrigger, TableCheckResult) -> Void
    ) async throws {
        // The library takes no redirect for an answer.
        let library = try await TableLibrary(
            store: TableStore(store),
            network: RedirectedLoader(network) { configuration.allowsRedirect(of: $0, to: $1) },
            conditions: conditions, configuration: configuration, now: now)
        self.library = library
        self.logger = logger
        self.switches = switches
        let (stream, triggers) = AsyncStream.makeStream(of: TableTrigger.self, bufferingPolicy: .bufferingNewest(1))
        self.triggers = triggers
        // Owned: both end with this object.
        tasks = [
            Task { [weak self, logger] in
                for await trigger in stream {
                    let result: TableCheckResult
                    do {
                        result = try await library.check(trigger)
                    } catch let error as TableError {
                        result = .failed(error)
                    } catch {
                        return
                    }
                    // The local table goes on answering, and the next trigger asks again.
                    if case .failed(let error) = result {
                        logger.warning("cannot renew the resource table", metadata: ["error": "\(error)"])
                    }
                    self?.isChecking = false
                    if case .dropped = result { continue }
                    receive(trigger, result)
                }
            },
            Task { await library.run() },
        ]
    }

    deinit {
        triggers.finish()
        for task in tasks { task.cancel() }
    }

    /// Asks for a new table, unless one was asked for a moment ago or is being asked for. Never waits.
    ///
    /// A trigger of that time is not kept: by the end of a slow check it would count as a new one.
    func record(_ trigger: TableTrigger) {
        guard !isChecking, switches.isOn(.resourceTable) else { return }
        isChecking = true
        triggers.yield(trigger)
    }

    /// Ends what goes on by itself, and waits for it.
    func shutDown() async {
        triggers.finish()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
