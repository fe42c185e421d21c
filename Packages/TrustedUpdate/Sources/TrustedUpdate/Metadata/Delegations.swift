// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import StrictJSON
internal import WebSyntax

/// The roles to which a targets role delegates (TUF 1.0.34, section 4.5).
struct Delegations: Sendable {
    /// A delegation to one role.
    struct Role: Sendable {
        let name: String
        let isTerminating: Bool
        /// The URL below which the scopes of the role's releases must lie, or `nil` for any. TUF does not define the
        /// member.
        let scope: String?
        /// The patterns of the targets that the role is trusted for; none if it is trusted for prefixes of digests.
        let paths: [String]
        fileprivate let keys: RoleKeys
    }

    /// The targets that a role is trusted for.
    private enum Scope: Sendable {
        case paths([String])
        case hashPrefixes([String])

        func contains(_ path: String, digest: String) -> Bool {
            switch self {
            case .paths(let patterns): patterns.contains { PathPattern.matches($0, path) }
            case .hashPrefixes(let prefixes): prefixes.contains { digest.hasPrefix($0) }
            }
        }
    }

    /// Roles with generated names, each for the targets of one range of digests (TAP 15).
    private struct Bins: Sendable {
        let keys: RoleKeys
        let bits: Int
        let prefix: String

        /// Returns the name of the role for a digest of a target's path.
        func name(for digest: [UInt8]) -> String {
            let number = digest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } >> UInt32(32 - bits)
            let digits = String(number, radix: 16)
            return "\(prefix)-\(String(repeating: "0", count: (bits + 3) / 4 - digits.count))\(digits)"
        }
    }

    private var keys: [ByteText: PublicKey] = [:]
    private var roles: [(role: Role, scope: Scope)] = []
    private var bins: Bins?

    /// - Throws: `JSONError` or ``TrustError`` with code `badMetadata`.
    init(_ scanner: inout JSONScanner) throws {
        var names: Set<ByteText> = []
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "keys") {
                keys = try scanner.readKeys()
            } else if scanner.equals(name, "roles") {
                try scanner.readArray { scanner in
                    let (role, scope) = try Self.readRole(&scanner)
                    guard names.insert(ByteText(role.name)).inserted else {
                        throw TrustError(.badMetadata, "two delegations to one role")
                    }
                    roles.append((role, scope))
                }
            } else if scanner.equals(name, "succinct_roles") {
                bins = try Self.readBins(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
        guard bins == nil || roles.isEmpty else {
            throw TrustError(.badMetadata, "delegations to roles and to hash bins")
        }
    }

    private static func readRole(_ scanner: inout JSONScanner) throws -> (Role, Scope) {
        var (roleName, isTerminating) = (String?.none, Bool?.none)
        var (paths, prefixes, releaseScope) = ([String]?.none, [String]?.none, String?.none)
        let keys = try RoleKeys(&scanner) { scanner, name in
            if scanner.equals(name, "name") {
                roleName = try readName(&scanner)
            } else if scanner.equals(name, "terminating") {
                isTerminating = try scanner.readFlag("terminating")
            } else if scanner.equals(name, "paths") {
                paths = try readList("a path", &scanner)
            } else if scanner.equals(name, "path_hash_prefixes") {
                prefixes = try readList("a prefix", &scanner)
            } else if scanner.equals(name, "scope") {
                releaseScope = try scanner.readText("the scope of a delegation")
            } else {
                try scanner.skipValue()
            }
        }
        guard let roleName, let isTerminating else {
            throw TrustError(.badMetadata, "a delegation without a name or without terminating")
        }
        let scope: Scope
        switch (paths, prefixes) {
        case (let paths?, nil): scope = .paths(paths)
        case (nil, let prefixes?): scope = .hashPrefixes(prefixes)
        default: throw TrustError(.badMetadata, "a delegation with neither or both of paths and path_hash_prefixes")
        }
        let role = Role(
            name: roleName, isTerminating: isTerminating, scope: releaseScope, paths: paths ?? [], keys: keys)
        return (role, scope)
    }

    private static func readBins(_ scanner: inout JSONScanner) throws -> Bins {
        var (bits, prefix) = (Int64?.none, String?.none)
        let keys = try RoleKeys(&scanner) { scanner, name in
            if scanner.equals(name, "bit_length") {
                bits = try scanner.readNumber("bit_length", from: 1)
            } else if scanner.equals(name, "name_prefix") {
                prefix = try scanner.readText("name_prefix")
            } else {
                try scanner.skipValue()
            }
        }
        guard let bits, bits <= 32, let prefix else {
            throw TrustError(.badMetadata, "hash bins without a prefix or without a length of 1 to 32 bits")
        }
        return Bins(keys: keys, bits: Int(bits), prefix: prefix)
    }

    private static func readList(_ what: StaticString, _ scanner: inout JSONScanner) throws -> [String] {
        var list: [String] = []
        try scanner.readArray { scanner in list.append(try scanner.readText(what)) }
        return list
    }

    /// Reads the name of a role. The name of a top-level role is refused, also in other case, because the metadata
    /// would replace that of the top-level role in the folder.
    private static func readName(_ scanner: inout JSONScanner) throws -> String {
        let name = try scanner.readText("the name of a role")
        guard !name.isEmpty, TopLevelRole(rawValue: name.lowercased()) == nil else {
            throw TrustError(.badMetadata, "a role with an empty name or the name of a top-level role")
        }
        return name
    }

    /// All roles, without hash bins.
    var allRoles: [Role] { roles.map(\.role) }

    /// Returns the roles that are trusted for a target, in their order of priority, up to the first terminating role.
    /// - Parameters:
    ///   - path: the path of the target.
    ///   - digest: the SHA-256 digest of the path.
    func roles(for path: String, digest: [UInt8]) -> [Role] {
        if let bins {
            let name = bins.name(for: digest)
            return [Role(name: name, isTerminating: true, scope: nil, paths: [], keys: bins.keys)]
        }
        let digits = HexText.digits(of: digest)
        var found: [Role] = []
        for (role, scope) in roles where scope.contains(path, digest: digits) {
            found.append(role)
            if role.isTerminating { break }
        }
        return found
    }

    /// Verifies that a document is signed by the keys of a role.
    /// - Throws: ``TrustError`` with code `unsigned`.
    func verify(_ document: SignedDocument, as role: Role) throws(TrustError) {
        try document.verify(by: role.keys, of: keys)
    }
}
