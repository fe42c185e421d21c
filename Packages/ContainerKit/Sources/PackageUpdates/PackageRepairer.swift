// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
@_spi(Facade) internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading

/// The service that repairs packages with damaged files, one after another, when the host's conditions allow background
/// transfers.
///
/// Isolation: the main actor; transfers and disk access run on other threads.
@MainActor
final class PackageRepairer {
    /// The maximum number of consecutive repairs of a package until the host's conditions change or the app returns.
    private static let tries = 3
    private let updater: PackageUpdater
    private let conditions: any HostConditioning
    private let logger: Logger
    /// The packages that wait for a repair.
    private var waiting: Set<PackageID> = []
    private var tried: [PackageID: Int] = [:]
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(_ updater: PackageUpdater, conditions: any HostConditioning, logger: Logger) {
        self.updater = updater
        self.conditions = conditions
        self.logger = logger
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        wake.finish()
    }

    /// Starts the repairs.
    /// - Returns: the tasks. The caller must cancel them, because a repair in progress retains the store.
    func start() -> [Task<Void, Never>] {
        let changes = conditions.changes()
        let wakes = wakes
        return [
            Task { [weak self] in
                for await _ in changes { self?.tryAgain() }
            },
            // Of the lowest priority, as all downloads for later.
            Task(priority: .background) { [weak self] in
                for await _ in wakes { await self?.repairAll() }
            },
        ]
    }

    /// Records a package with a damaged file. Returns at once.
    func record(_ id: PackageID) {
        waiting.insert(id)
        wake.yield()
    }

    /// Retries failed repairs after the host's conditions changed or the app returned.
    func tryAgain() {
        tried = [:]
        wake.yield()
    }

    private func repairAll() async {
        for id in waiting.sorted() where tried[id, default: 0] < Self.tries {
            guard !Task.isCancelled, conditions.conditions.allowsBackgroundTransfers else { return }
            waiting.remove(id)
            tried[id, default: 0] += 1
            do {
                let outcome = try await updater.repair(id, urgency: .whenConvenient)
                // If nothing was missing, `tried` is not reset, so that repeated requests for the same file do not
                // start endless repairs.
                if case .repaired = outcome { tried[id] = nil }
                logger.notice(
                    "finished a repair of a package", metadata: ["package": "\(id)", "outcome": "\(outcome)"])
            } catch {
                logger.warning("cannot repair a package", metadata: ["package": "\(id)", "error": "\(error)"])
                waiting.insert(id)
            }
        }
    }
}
