// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
package import ResourceStore

/// A trial record in a document of a store. The store detects corruption, and the document survives a power loss.
package struct HealthDocument: HealthRecording {
    /// The document's name in the store.
    package static let name = "package-health"
    private let store: BlobStore

    /// Creates a document in a store.
    package init(_ store: BlobStore) {
        self.store = store
    }

    /// Loads the trial record.
    /// - Returns: the trial record, or an empty one if the document does not exist, is damaged or has an unknown
    ///   format.
    /// - Throws: `StoreError` if the document cannot be read.
    package func load() throws -> TrialRecord {
        guard let content = try store.document(Self.name) else { return TrialRecord() }
        return (try? JSONDecoder().decode(TrialRecord.self, from: content)) ?? TrialRecord()
    }

    /// Saves the trial record.
    /// - Throws: `StoreError`, with code `suspended` if the store is suspended.
    package func save(_ trialRecord: TrialRecord) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try store.putDocument(encoder.encode(trialRecord), as: Self.name)
    }
}

/// A persistent store of the trial record.
///
/// Isolation: any. One owner calls it, never concurrently. Calls may block for disk access.
protocol HealthRecording: Sendable {
    /// Returns the saved trial record, or an empty one if none was saved. If the function throws, the owner does not
    /// overwrite the record.
    func load() throws -> TrialRecord
    /// Replaces the trial record. When the function returns, the record survives a kill and a power loss.
    func save(_ trialRecord: TrialRecord) throws
}

/// The persistent record of trials and failed versions.
package struct TrialRecord: Sendable, Hashable, Codable {
    /// The maximum number of failed versions per package. The oldest one is removed if the limit is exceeded.
    private static let maxVersions = 256

    /// The running trials, by package.
    package internal(set) var trials: [String: TrialPeriod] = [:]
    /// The versions that failed their trial, by package, oldest first. They are never tried again.
    package internal(set) var quarantine: [String: [String]] = [:]

    private enum CodingKeys: String, CodingKey {
        case trials, quarantine
    }

    /// Creates an empty record.
    package init() {}

    /// Returns a Boolean value that indicates whether a version failed its trial.
    func isQuarantined(_ version: String, of package: String) -> Bool {
        quarantine[package]?.contains(version) ?? false
    }

    mutating func markFailed(_ version: String, of package: String) {
        guard !isQuarantined(version, of: package) else { return }
        let versions = (quarantine[package] ?? []) + [version]
        quarantine[package] = versions.suffix(Self.maxVersions)
    }
}
