// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import ResourceStore

/// A trial record in a document of a store: sealed, so that no flipped bit names another version, and safe from a power
/// cut.
public struct HealthDocument: HealthRecording {
    /// The document's name in the store.
    public static let name = "package-health"
    private let store: BlobStore

    public init(_ store: BlobStore) {
        self.store = store
    }

    /// - Returns: an empty trial record too where the document is damaged, or of a form that this version does not
    ///   know: nothing of it could ever be used.
    /// - Throws: `StoreError` where it cannot be read.
    public func load() throws -> TrialRecord {
        guard let content = try store.document(Self.name) else { return TrialRecord() }
        return (try? JSONDecoder().decode(TrialRecord.self, from: content)) ?? TrialRecord()
    }

    /// - Throws: `StoreError`, with code `suspended` while the store is.
    public func save(_ trialRecord: TrialRecord) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try store.putDocument(encoder.encode(trialRecord), as: Self.name)
    }
}

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

/// What is remembered of the health of packages, across processes.
public struct TrialRecord: Sendable, Hashable, Codable {
    /// The most versions of one package that are remembered as bad; the oldest is forgotten for one more.
    public static let versionsOfOnePackage = 256

    /// The trials that are under way, by package.
    public internal(set) var trials: [String: TrialPeriod] = [:]
    /// The versions that failed, by package, the oldest first. They are never tried again.
    public internal(set) var quarantine: [String: [String]] = [:]

    private enum CodingKeys: String, CodingKey {
        case trials, quarantine
    }

    public init() {}

    /// Whether a version failed its trial.
    public func isQuarantined(_ version: String, of package: String) -> Bool {
        quarantine[package]?.contains(version) ?? false
    }

    mutating func markFailed(_ version: String, of package: String) {
        guard !isQuarantined(version, of: package) else { return }
        let versions = (quarantine[package] ?? []) + [version]
        quarantine[package] = versions.suffix(Self.versionsOfOnePackage)
    }
}
