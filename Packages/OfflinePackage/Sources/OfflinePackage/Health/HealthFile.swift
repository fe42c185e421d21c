// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A ledger in a JSON file, replaced as a whole.
public struct HealthFile: HealthRecording {
    private static let limit = 4 << 20
    private let path: String

    /// - Parameter path: the file; its folder exists.
    public init(path: String) {
        self.path = path
    }

    public func load() throws -> HealthLedger {
        guard FileManager.default.fileExists(atPath: path) else { return HealthLedger() }
        return try JSONDecoder().decode(HealthLedger.self, from: ManifestFile.read(path, upTo: Self.limit))
    }

    public func save(_ ledger: HealthLedger) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try encoder.encode(ledger).write(to: URL(filePath: path), options: .atomic)
    }
}
