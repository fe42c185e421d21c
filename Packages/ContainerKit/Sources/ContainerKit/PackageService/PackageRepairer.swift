// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading
internal import WebEngine

/// Has packages repaired that lost files, one after another, when the host's conditions allow background transfers.
///
/// Isolation: the main actor; the work itself happens elsewhere.
@MainActor
final class PackageRepairer {
    /// How often a package is tried in a row before something has changed: the host's conditions, or the app came back.
    private static let tries = 3
    private let updater: PackageUpdater
    private let conditions: any HostConditioning
    private let logger: Logger
    /// Packages that wait to be repaired.
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

    /// Begins. The caller owns what goes on, and cancels it: a package that is being repaired keeps the store.
    func start() -> [Task<Void, Never>] {
        let changes = conditions.changes()
        let wakes = wakes
        return [
            Task { [weak self] in
                for await _ in changes { self?.tryAgain() }
            },
            Task { [weak self] in
                for await _ in wakes { await self?.repairAll() }
            },
        ]
    }

    /// Takes a package of which a file is damaged. Never waits.
    func record(_ id: PackageID) {
        waiting.insert(id)
        wake.yield()
    }

    /// Something has changed: what could not be repaired may be now.
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
                // Where nothing was missing, a page that asks again must not have it looked for without end.
                if case .repaired = outcome { tried[id] = nil }
                logger.notice(
                    "looked after a damaged package", metadata: ["package": "\(id)", "outcome": "\(outcome)"])
            } catch {
                logger.warning("cannot repair a package", metadata: ["package": "\(id)", "error": "\(error)"])
                waiting.insert(id)
            }
        }
    }
}
