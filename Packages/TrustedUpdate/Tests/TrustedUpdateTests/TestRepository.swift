// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A TUF repository in memory.
///
/// A test changes the metadata and the signers of a role and then publishes it. The server keeps all versions.
struct TestRepository {
    /// The reference time of the tests: 2025-01-01T00:00:00Z. All metadata expires in 2030 unless a test changes it.
    static let now = Date(timeIntervalSince1970: 1_735_689_600)
    static let topLevelRoles = ["root", "timestamp", "snapshot", "targets"]

    let server = TestServer()
    /// The keys that sign the metadata of a role, by its name.
    var signers: [String: [TestKey]] = [:]
    /// The digest algorithms of announcements of metadata. With one, the length is announced, too.
    var announcedDigests: [String] = []
    /// The white space around all values of the served metadata. It does not change the signed canonical form.
    var space = ""
    private var signed: [String: JSONValue] = [:]

    /// Creates and publishes version 1 of all four top-level roles, each with a key of its own.
    init(consistentSnapshot: Bool = true) throws {
        for role in Self.topLevelRoles {
            signed[role] = Self.metadata(ofType: role)
        }
        self["root"]["consistent_snapshot"] = .bool(consistentSnapshot)
        self["timestamp"]["meta"]["snapshot.json"] = ["version": 1]
        self["snapshot"]["meta"]["targets.json"] = ["version": 1]
        self["targets"]["targets"] = [:]
        for role in Self.topLevelRoles { setKeys([.ed25519()], of: role) }
        try publish("targets", "snapshot", "timestamp", "root")
    }

    private static func metadata(ofType type: String) -> JSONValue {
        ["_type": .string(type), "spec_version": "1.0.31", "version": 1, "expires": "2030-01-01T00:00:00Z"]
    }

    /// The signed part of the metadata of a role.
    subscript(_ role: String) -> JSONValue {
        get { signed[role] ?? .missing }
        set { signed[role] = newValue }
    }

    // MARK: Keys

    /// Replaces the keys of a top-level role in the root metadata, and its signers.
    mutating func setKeys(_ keys: [TestKey], threshold: Int = 1, of role: String) {
        for key in keys { self["root"]["keys"][key.id] = key.metadata }
        self["root"]["roles"][role] = [
            "keyids": .array(keys.map { .string($0.id) }), "threshold": .number(threshold),
        ]
        signers[role] = keys
    }

    // MARK: Targets and delegations

    /// Adds a target to a role. If it has both digests, `sha256` is listed first.
    mutating func addTarget(
        _ path: String, _ content: String, to role: String = "targets", digests: [String] = ["sha256"],
        custom: JSONValue = .missing
    ) {
        let data = Data(content.utf8)
        var target: JSONValue = ["length": .number(data.count), "hashes": [:]]
        for algorithm in digests { target["hashes"][algorithm] = .string(digest(algorithm, of: data)) }
        target["custom"] = custom
        self[role]["targets"][path] = target
    }

    /// Adds a delegation. Creates the role, with a new key, if it does not exist.
    /// - Parameter fields: the members of the delegation that differ from `paths` = `["*"]`, `terminating` = `false`.
    mutating func delegate(_ role: String, from delegator: String = "targets", _ fields: JSONValue = [:]) {
        let keys = addDelegate(role, from: delegator)
        var delegation: JSONValue = [
            "name": .string(role), "threshold": 1, "terminating": false, "paths": ["*"],
            "keyids": .array(keys.map { .string($0.id) }),
        ]
        for (name, value) in fields.members { delegation[name] = value }
        if fields["path_hash_prefixes"] != .missing { delegation["paths"] = .missing }
        self[delegator]["delegations"]["roles"].elements.append(delegation)
    }

    /// Delegates to hash bins (TAP 15) and creates one of them. All bins have the same key.
    mutating func delegateBins(_ prefix: String, bitLength: Int, bin: String, from delegator: String = "targets") {
        let keys = addDelegate(bin, from: delegator)
        self[delegator]["delegations"]["succinct_roles"] = [
            "name_prefix": .string(prefix), "bit_length": .number(bitLength), "threshold": 1,
            "keyids": .array(keys.map { .string($0.id) }),
        ]
    }

    private mutating func addDelegate(_ role: String, from delegator: String) -> [TestKey] {
        if signed[role] == nil {
            signed[role] = Self.metadata(ofType: "targets")
            self[role]["targets"] = [:]
        }
        let keys = signers[role] ?? [.ed25519()]
        signers[role] = keys
        for key in keys { self[delegator]["delegations"]["keys"][key.id] = key.metadata }
        return keys
    }

    // MARK: Publishing

    /// Increments the versions of roles and publishes them.
    mutating func update(_ roles: String...) throws {
        for role in roles {
            self[role]["version"].integer += 1
            try publish(role)
        }
    }

    /// Signs the metadata of roles, serves it, and announces it in the snapshot or in the timestamp.
    mutating func publish(_ roles: String...) throws {
        for role in roles {
            let data = try document(role)
            server.documents[url(of: role)] = data
            switch role {
            case "root", "timestamp": break
            case "snapshot": self["timestamp"]["meta"]["snapshot.json"] = announcement(of: role, data)
            default: self["snapshot"]["meta"][role + ".json"] = announcement(of: role, data)
            }
        }
    }

    /// Returns the signed metadata of a role.
    /// - Parameter content: the content to sign; `nil` for the content of the role.
    func document(_ role: String, content: JSONValue? = nil) throws -> Data {
        let content = content ?? self[role]
        let canonical = content.canonical
        let signatures = try (signers[role] ?? []).map { key -> JSONValue in
            ["keyid": .string(key.id), "sig": .string(try key.sign(canonical).hex)]
        }
        return envelope(content, signatures)
    }

    /// Returns metadata with any signatures.
    func envelope(_ content: JSONValue, _ signatures: [JSONValue]) -> Data {
        let document: JSONValue = ["signed": content, "signatures": .array(signatures)]
        return Data((document.text(space: space) + space).utf8)
    }

    /// Returns the name of the document with the present version of a role, relative to the URL of the metadata.
    func url(of role: String) -> String {
        let name = Self.fileName(of: role)
        let isConsistent = self["root"]["consistent_snapshot"] == true
        return role == "root" || isConsistent && role != "timestamp" ? "\(self[role]["version"].integer).\(name)" : name
    }

    /// Returns the name of a stored file of a role.
    static func fileName(of role: String) -> String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let name = role.utf8.map { byte in
            unreserved.contains(byte) ? String(UnicodeScalar(byte)) : "%" + [byte].hex.uppercased()
        }
        return name.joined() + ".json"
    }

    private func announcement(of role: String, _ data: Data) -> JSONValue {
        var announcement: JSONValue = ["version": self[role]["version"]]
        for algorithm in announcedDigests {
            announcement["length"] = .number(data.count)
            announcement["hashes"][algorithm] = .string(digest(algorithm, of: data))
        }
        return announcement
    }
}
