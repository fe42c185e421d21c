// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Keeps the trial record from one process to the next.
///
/// Isolation: any; called by one owner, never at the same time. May block for as long as the disk takes.
public protocol HealthRecording: Sendable {
    /// What was saved last; an empty trial record where nothing was. Where this throws, nothing is saved over what may
    /// be there.
    func load() throws -> TrialRecord
    /// Replaces what was saved. When this returns it survives a kill and a power cut.
    func save(_ trialRecord: TrialRecord) throws
}
