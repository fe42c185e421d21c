// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading

/// Has packages mended that lost files, one after another, when the host's conditions allow background transfers.
///
/// Isolation: the main actor; the work itself happens elsewhere.
@MainActor
final class DamageCare {
    /// How often a package is tried in one process. What fails more often needs more than another try.
    private static let tries = 3
    private let updater: PackageUpdater
    private let conditions: any HostConditioning
    private let logger: Logger
    /// Packages that wait to be mended.
    private var waiting: Set<PackageID> = []
    private var tried: [PackageID: Int] = [:]
    private let wake: AsyncStream<Void>.Continuation
    private var tasks: [Task<Void, Never>] = []

    init(_ updater: PackageUpdater, conditions: any HostConditioning, logger: Logger) {
        self.updater = updater
        self.conditions = conditions
        self.logger = logger
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        let changes = conditions.changes()
        // Owned: both end with this object.
        tasks = [
            Task { for await _ in changes { wake.yield() } },
            Task { [weak self] in
                for await _ in wakes { await self?.mendAll() }
            },
        ]
    }

    deinit {
        wake.finish()
        for task in tasks { task.cancel() }
    }

    /// Takes a package of which a file is damaged. Never waits.
    func note(_ id: PackageID) {
        guard tried[id, default: 0] < Self.tries else { return }
        waiting.insert(id)
        wake.yield()
    }

    /// Ends what goes on by itself, and waits for it.
    func shutDown() async {
        wake.finish()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func mendAll() async {
        for id in waiting.sorted() {
            guard !Task.isCancelled, conditions.conditions.allowsBackgroundTransfers else { return }
            waiting.remove(id)
            tried[id, default: 0] += 1
            do {
                let outcome = try await updater.mend(id, urgency: .whenConvenient)
                logger.notice(
                    "looked after a damaged package", metadata: ["package": "\(id)", "outcome": "\(outcome)"])
            } catch {
                logger.warning("cannot mend a package", metadata: ["package": "\(id)", "error": "\(error)"])
                // The next change of the conditions tries again.
                if tried[id, default: 0] < Self.tries { waiting.insert(id) }
            }
        }
    }
}
