// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The entry points of the fuzz targets.
@_spi(Fuzzing) public enum TrustFuzzing {
    /// Reads arbitrary bytes as metadata of each role, and checks the invariants of the result.
    /// - Returns: `true` if all invariants hold or the bytes are rejected.
    public static func metadataHolds(_ bytes: Data) -> Bool {
        guard let document = try? SignedDocument(bytes, of: "fuzz") else { return true }
        // Line feeds and other control characters are raw in the canonical form, which is then no JSON.
        if let message = try? document.message(), !message.contains(where: { $0 < 0x20 }) {
            guard (try? CanonicalJSON.encode(Data(message))) == message else { return false }
        }
        if let root = try? document.decode(RootContent.self) {
            for role in TopLevelRole.allCases { try? root.content.verify(document, as: role) }
        }
        _ = try? document.decode(TimestampContent.self)
        if let snapshot = try? document.decode(SnapshotContent.self) {
            guard (try? snapshot.content.checkRollback(from: snapshot.content)) != nil else { return false }
        }
        guard let delegations = (try? document.decode(TargetsContent.self))?.content.delegations else { return true }
        let path = "a/b.json"
        let names = [UInt8.min, .max].flatMap { byte in
            delegations.roles(for: path, digest: [UInt8](repeating: byte, count: 32)).map(\.name)
        }
        return names.allSatisfy { TopLevelRole(rawValue: $0) == nil }
    }
}
