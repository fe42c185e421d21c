// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import OfflinePackage

/// A ledger in memory that tells what is saved.
final class RecordedHealth: HealthRecording {
    let saves: AsyncStream<HealthLedger>
    private let save: AsyncStream<HealthLedger>.Continuation
    private let initial: HealthLedger

    init(_ initial: HealthLedger = HealthLedger()) {
        self.initial = initial
        (saves, save) = AsyncStream.makeStream()
    }

    func load() throws -> HealthLedger { initial }

    func save(_ ledger: HealthLedger) throws { save.yield(ledger) }
}
