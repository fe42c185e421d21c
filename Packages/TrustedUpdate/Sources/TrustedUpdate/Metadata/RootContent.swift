// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import StrictJSON
internal import WebSyntax

/// The roles that the root names, in the order in which they are verified.
enum TopLevelRole: String, CaseIterable, Sendable {
    case root, timestamp, snapshot, targets
}

/// The content of root metadata: the keys of the top-level roles (TUF 1.0.34, section 4.3).
struct RootContent: MetadataContent {
    static let type = TopLevelRole.root.rawValue

    /// A Boolean value that indicates whether file names have versions or digests as prefixes.
    private(set) var isConsistent = false
    private var keys: [ByteText: PublicKey] = [:]
    private var roles: [TopLevelRole: RoleKeys] = [:]

    mutating func read(_ name: JSONText, _ scanner: inout JSONScanner) throws -> Bool {
        if scanner.equals(name, "consistent_snapshot") {
            isConsistent = try scanner.readFlag("consistent_snapshot")
        } else if scanner.equals(name, "keys") {
            keys = try scanner.readKeys()
        } else if scanner.equals(name, "roles") {
            try scanner.readObject { scanner, name in
                guard let role = TopLevelRole(rawValue: scanner.string(name)) else {
                    try scanner.skipValue()
                    return
                }
                roles[role] = try RoleKeys(&scanner) { scanner, _ in try scanner.skipValue() }
            }
        } else {
            return false
        }
        return true
    }

    func check() throws {
        guard roles.count == TopLevelRole.allCases.count else {
            throw TrustError(.badMetadata, "without a top-level role")
        }
    }

    /// Verifies that a document is signed by the keys of a top-level role.
    /// - Throws: ``TrustError`` with code `unsigned`.
    func verify(_ document: SignedDocument, as role: TopLevelRole) throws(TrustError) {
        guard let keys = roles[role] else { throw TrustError(.unsigned, "a role without keys", at: role.rawValue) }
        try document.verify(by: keys, of: self.keys)
    }

    /// Returns a Boolean value that indicates whether a later root no longer lists a key of a role, or lists another
    /// key by its identifier.
    func removesKey(of role: TopLevelRole, in next: RootContent) -> Bool {
        guard let before = roles[role], let after = next.roles[role] else { return true }
        return before.identifiers.contains { identifier in
            !after.identifiers.contains(identifier) || keys[identifier] != next.keys[identifier]
        }
    }
}
