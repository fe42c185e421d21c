// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
package import Logging
@_spi(Facade) internal import OfflinePackage
package import ResourceLoading
package import ResourceStore
package import ResourceTable

/// The resource table of a container: the library over the container's store, its background work, and the triggers
/// of table checks.
///
/// Isolation: the main actor; transfers and disk access run on other threads.
@MainActor
package final class ResourceTableService {
    /// The table and its files.
    package let library: TableLibrary
    private let logger: Logger
    private let feature: FeatureSwitch
    private let triggers: AsyncStream<TableTrigger>.Continuation
    private var tasks: [Task<Void, Never>] = []
    /// A Boolean value that indicates whether the check of an accepted trigger is in progress.
    private var isChecking = false

    /// Opens the stored table and starts the background work.
    /// - Parameters:
    ///   - configuration: the endpoints, the scope and the limits of the table.
    ///   - store: the store of the table and its files; resources that do not belong to the table are removed.
    ///   - network: the loader of tables and files.
    ///   - conditions: the conditions under which files are downloaded.
    ///   - feature: the switch of the feature; while it is off, triggers are ignored.
    ///   - logger: the log of failures.
    ///   - now: a closure that returns the time of the wall clock.
    ///   - receive: a closure that receives the result of a trigger, unless the trigger was dropped.
    /// - Throws: `TableError` with code `storage`.
    package init(
        _ configuration: TableLibrary.Configuration, store: BlobStore, network: any ResourceLoader,
        conditions: any HostConditioning, feature: FeatureSwitch = FeatureSwitch(), logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() },
        receive: @escaping @MainActor (TableTrigger, TableCheckResult) -> Void
    ) async throws {
        // The library does not follow redirects itself.
        let library = try await TableLibrary(
            store: TableStore(store),
            network: RedirectedLoader(network) { configuration.allowsRedirect(of: $0, to: $1) },
            conditions: conditions, configuration: configuration, now: now)
        self.library = library
        self.logger = logger
        self.feature = feature
        let (stream, triggers) = AsyncStream.makeStream(of: TableTrigger.self, bufferingPolicy: .bufferingNewest(1))
        self.triggers = triggers
        // Both tasks end with this object.
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
                    // The stored table stays in use, and the next trigger checks again.
                    if case .failed(let error) = result {
                        logger.warning("cannot update the resource table", metadata: ["error": "\(error)"])
                    }
                    if case .replaced(_, let diff) = result, let fault = library.table?.firstFault {
                        logger.warning(
                            "entries of the resource table cannot be used",
                            metadata: ["count": "\(diff.invalidCount)", "first": "\(fault)"])
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

    /// Requests a new table, unless a recent request exists or is in progress. Returns at once.
    ///
    /// A trigger during a check is dropped. Otherwise it would count as a new trigger at the end of a slow check.
    package func record(_ trigger: TableTrigger) {
        guard !isChecking, feature.isOn else { return }
        isChecking = true
        triggers.yield(trigger)
    }

    /// Ends background work and waits for it.
    package func shutDown() async {
        triggers.finish()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
