// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@testable import OfflinePackage

/// A trial record in memory that reports each save.
final class RecordedHealth: HealthRecording {
    let saves: AsyncStream<TrialRecord>
    private let save: AsyncStream<TrialRecord>.Continuation
    private let initial: TrialRecord

    init(_ initial: TrialRecord = TrialRecord()) {
        self.initial = initial
        (saves, save) = AsyncStream.makeStream()
    }

    func load() throws -> TrialRecord { initial }

    func save(_ record: TrialRecord) throws { save.yield(record) }
}
