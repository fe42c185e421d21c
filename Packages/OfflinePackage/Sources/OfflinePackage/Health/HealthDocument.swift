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
