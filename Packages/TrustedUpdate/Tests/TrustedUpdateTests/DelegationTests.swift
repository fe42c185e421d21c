// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing

@testable import TrustedUpdate

/// The search of targets in delegated roles (TUF 1.0.34, section 5.6.7; TAP 15).
@Suite(.timeLimit(.minutes(1)))
struct DelegationTests {
    var repository: TestRepository
    let client: TestClient

    init() throws {
        repository = try TestRepository()
        client = try TestClient(repository)
    }

    /// Publishes delegated roles and the top-level roles that announce them.
    private mutating func publish(_ roles: String...) throws {
        for role in roles { try repository.publish(role) }
        try repository.update("targets", "snapshot", "timestamp")
    }

    /// Searches a target after a refresh.
    /// - Returns: the names of the delegated roles that were requested, in their order.
    private func requestedRoles(_ path: String = "app.zip", by other: TestClient? = nil) async throws -> [String] {
        let targets = try await (other ?? client).refresh()
        _ = repository.server.takeNames()
        _ = try await targets.target(path)
        return repository.server.takeNames().map { String($0.dropLast(".json".count)) }
    }

    // MARK: Order

    /// A graph of delegations, and the order in which a search without a result visits the roles.
    struct Graph: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Texts like `targets>A` or `A>B!`, in which an exclamation mark stands for a terminating role.
        let edges: [String]
        let order: String

        init(_ description: String, _ edges: String, order: String) {
            testDescription = description
            self.edges = edges.split(separator: " ").map(String.init)
            self.order = order
        }
    }

    static let graphs = [
        Graph("one role", "targets>A", order: "A"),
        Graph("two roles", "targets>A targets>B", order: "AB"),
        Graph("order of the metadata and not of the names", "targets>B targets>A", order: "BA"),
        Graph("children before siblings", "targets>A targets>B A>C A>D", order: "ACDB"),
        Graph("grandchildren before siblings", "targets>A targets>B A>C A>D C>E C>F", order: "ACEFDB"),
        Graph("a terminating role ends the search", "targets>A! targets>B", order: "A"),
        Graph("a terminating role has delegates", "targets>A targets>B A>C! A>D C>E", order: "ACE"),
        Graph("a role before a terminating one is searched", "targets>A targets>B! targets>C A>D", order: "ADB"),
        Graph("a cycle", "targets>A A>B B>A targets>C", order: "ABC"),
        Graph("a role that delegates to itself", "targets>A A>A targets>B", order: "AB"),
        Graph("a role with two delegators is visited once", "targets>A targets>B A>C B>C", order: "ACB"),
    ]

    @Test("A search visits a role before its delegates and these in order", arguments: graphs)
    mutating func order(graph: Graph) async throws {
        var roles: [String] = []
        for edge in graph.edges {
            let names = edge.split(separator: ">")
            let role = String(names[1].prefix { $0 != "!" })
            repository.delegate(role, from: String(names[0]), ["terminating": .bool(names[1].hasSuffix("!"))])
            roles.append(role)
        }
        for role in roles { try repository.publish(role) }
        try publish()
        #expect(try await requestedRoles() == graph.order.map { "1.\($0)" })
        // The metadata of all visited roles is stored, so another process requests nothing.
        #expect(try await requestedRoles() == [])
    }

    @Test("The first role that lists a target ends the search") mutating func firstRoleWins() async throws {
        for role in ["A", "B"] {
            repository.delegate(role)
            repository.addTarget("app.zip", role, to: role)
        }
        repository.delegate("C", from: "A")
        repository.addTarget("app.zip", "C", to: "C")
        try publish("C", "A", "B")
        #expect(try await requestedRoles() == ["1.A"])
        let target = try #require(try await client.target("app.zip"))
        try target.verify(Data("A".utf8))
    }

    @Test("A target of a delegate is found before that of a later sibling") mutating func depthFirst() async throws {
        repository.delegate("A")
        repository.delegate("B")
        repository.delegate("C", from: "A")
        repository.addTarget("app.zip", "B", to: "B")
        repository.addTarget("app.zip", "C", to: "C")
        try publish("C", "A", "B")
        let target = try #require(try await client.target("app.zip"))
        try target.verify(Data("C".utf8))
    }

    @Test("One search visits a limited number of delegated roles", arguments: [3, 32])
    mutating func visitLimit(limit: Int) async throws {
        var client = self.client
        if limit == 32 { #expect(client.limits.delegations == limit) }
        client.limits.delegations = limit
        let roles = (1...limit + 1).map { "role\($0)" }
        var delegator = "targets"
        for role in roles {
            repository.delegate(role, from: delegator)
            repository.addTarget(role, role, to: role)
            delegator = role
        }
        for role in roles { try repository.publish(role) }
        try publish()
        let targets = try await client.refresh()
        #expect(try await targets.target("role\(limit)") != nil)
        _ = repository.server.takeNames()
        #expect(try await targets.target("role\(limit + 1)") == nil)
        // Only the last role was not loaded yet, and it is not requested.
        #expect(repository.server.takeNames() == [])
    }

    // MARK: Authority

    @Test("A role that two roles delegate to is verified with the keys of each delegator")
    mutating func twoDelegators() async throws {
        repository.delegate("A", ["paths": ["a/*"]])
        repository.delegate("B", ["paths": ["b/*"]])
        repository.delegate("C", from: "A", ["paths": ["a/*"]])
        let keysOfA = repository.signers["C"]
        repository.signers["C"] = [.ed25519()]
        repository.delegate("C", from: "B", ["paths": ["b/*"]])
        repository.signers["C"] = keysOfA
        repository.addTarget("a/app.zip", "good", to: "C")
        repository.addTarget("b/app.zip", "evil", to: "C")
        try publish("C", "A", "B")

        let targets = try await client.refresh()
        #expect(try await targets.target("a/app.zip") != nil)
        #expect(try await failure { try await targets.target("b/app.zip") } == .unsigned)
        // The refused search does not change the result of the other path, and the other order has the same result.
        #expect(try await targets.target("a/app.zip") != nil)
        #expect(try await failure { try await client.target("b/app.zip") } == .unsigned)
        let other = try TestClient(repository)
        #expect(try await failure { try await other.target("b/app.zip") } == .unsigned)
        #expect(try await other.target("a/app.zip") != nil)
    }

    @Test("Two documents of a delegator are separate authorities")
    mutating func twoDocumentsOfDelegator() async throws {
        repository.delegate("A", ["paths": ["a/*"]])
        repository.delegate("B", ["paths": ["b/*"]])
        repository.delegate("C", from: "A", ["paths": ["*/*"]])
        let (keysOfA, keysOfC) = (repository.signers["A"], repository.signers["C"])
        repository.signers["A"] = [.ed25519()]
        repository.delegate("A", from: "B", ["paths": ["b/*"]])
        let otherKeysOfA = repository.signers["A"]
        repository.signers["A"] = keysOfA
        for path in ["a/app.zip", "b/app.zip"] { repository.addTarget(path, "good", to: "C") }
        try publish("C", "A", "B")
        let targets = try await client.refresh()
        #expect(try await targets.target("a/app.zip") != nil)

        // The document of the same version that B trusts names another key for C.
        repository["A"]["delegations"] = .missing
        repository.signers["C"] = [.ed25519()]
        repository.delegate("C", from: "A", ["paths": ["*/*"]])
        repository.signers["C"] = keysOfC
        repository.signers["A"] = otherKeysOfA
        repository.server.documents["1.A.json"] = try repository.document("A")
        #expect(try await failure { try await targets.target("b/app.zip") } == .unsigned)
    }

    @Test("A delegated role needs the threshold of its own keys") mutating func thresholdOfRole() async throws {
        let keys = [TestKey.ed25519(), .p256()]
        repository.signers["role"] = keys
        repository.delegate("role", ["threshold": 2])
        repository.signers["role"] = [keys[0], .ed25519()]
        try publish("role")
        #expect(try await failure { try await client.target("app.zip") } == .unsigned)
        #expect(client.stored("role") == nil)
        repository.signers["role"] = keys
        try repository.publish("role")
        #expect(try await failure { try await client.target("app.zip") } == nil)
    }

    @Test("A delegated role that the snapshot does not list is refused without a request")
    mutating func roleMissingFromSnapshot() async throws {
        repository.delegate("role")
        try publish("role")
        repository["snapshot"]["meta"]["role.json"] = .missing
        try repository.update("snapshot", "timestamp")
        let targets = try await client.refresh()
        _ = repository.server.takeNames()
        #expect(try await failure { try await targets.target("app.zip") } == .unknownRole)
        #expect(repository.server.takeNames() == [])
    }

    @Test("A delegated role without a document, or with a long or a bad one, is refused")
    mutating func badDelegate() async throws {
        repository.delegate("role")
        try publish("role")
        var client = self.client
        let document = repository.server.documents["1.role.json"]
        repository.server.documents["1.role.json"] = nil
        #expect(try await failure { try await client.target("app.zip") } == .notFound)
        var content = repository["role"]
        content["_type"] = "snapshot"
        repository.server.documents["1.role.json"] = try repository.document("role", content: content)
        #expect(try await failure { try await client.target("app.zip") } == .badMetadata)
        repository.server.documents["1.role.json"] = document
        #expect(try await failure { try await client.target("app.zip") } == nil)

        let padded = try #require(document) + Data(repeating: 0x20, count: 10_000)
        repository.server.documents["2.role.json"] = padded
        repository["snapshot"]["meta"]["role.json"]["version"] = 2
        try repository.update("snapshot", "timestamp")
        client.limits.targetsBytes = padded.count - 1
        #expect(try await failure { try await client.target("app.zip") } == .tooLarge)
    }

    @Test("A damaged stored role is fetched again") mutating func damagedRole() async throws {
        repository.delegate("role")
        repository.addTarget("app.zip", "good", to: "role")
        try publish("role")
        #expect(try await client.target("app.zip") != nil)
        let document = client.stored("role")
        try client.folder.write("role.json", "{".utf8)
        #expect(try await client.target("app.zip") != nil)
        #expect(client.stored("role") == document)
    }

    // MARK: Paths

    @Test(
        "Patterns of paths match whole segments, in exact case",
        arguments: [
            ("*", "app.zip", true), ("*", "", true), ("*", "a/app.zip", false), ("*.zip", "app.zip", true),
            ("*.zip", "app.ZIP", false), ("*.zip", ".zip", true), ("*.zip", "app.zip.sig", false),
            ("app.zip", "app.zip", true), ("app.zip", "App.zip", false), ("app.zip", "appxzip", false),
            ("a?c", "abc", true), ("a?c", "ac", false), ("a?c", "abbc", false), ("a?c", "a/c", false),
            ("a?c", "a\u{1F600}c", true), ("???", "abc", true), ("a/*", "a/b", true), ("a/*", "a/b/c", false),
            ("a/*", "a", false), ("a/*", "b/a", false), ("a/*", "a/", true), ("a*", "a/b", false),
            ("*/*", "a/b", true), ("*/b", "a/b", true), ("*/b", "/b", true), ("*/b", "x/a/b", false),
            ("a/*/c-*.zip", "a/b/c-1.zip", true), ("a/*/c-*.zip", "a/b/d-1.zip", false), ("/a", "a", false),
            ("*a*b*", "xaxxbx", true), ("*a*b*", "xbxxax", false), ("a**b", "ab", true), ("", "a", false),
            ("[ab]", "a", false), ("[ab]", "[ab]", true), ("\\*", "a", false), ("\\*", "\\x", true),
            ("a.b", "a.b", true), ("caf\u{e9}", "cafe\u{301}", false), ("a/*", "a/b/\u{301}c", false),
            ("*", "a/\u{301}b", false), ("a??b", "a/\u{301}b", false),
        ])
    func patterns(pattern: String, path: String, isMatch: Bool) {
        #expect(PathPattern.matches(pattern, path) == isMatch, "\(pattern) \(path)")
    }

    @Test("A pattern with many asterisks takes no exponential time") func manyAsterisks() {
        let pattern = String(repeating: "*a", count: 50) + "b"
        #expect(!PathPattern.matches(pattern, String(repeating: "a", count: 500)))
    }

    @Test("A search visits only roles with a matching path") mutating func pathsOfRoles() async throws {
        repository.delegate("A", ["paths": ["*.doc", "app-?.zip"]])
        repository.delegate("B", ["paths": ["releases/*/*"]])
        repository.delegate("C", from: "B", ["paths": ["releases/x/*"]])
        repository.delegate("D", from: "B", ["paths": ["*/y/*.zip"]])
        repository.delegate("E", ["paths": []])
        try publish("A", "C", "D", "B", "E")
        for (path, roles) in [
            "a.doc": "A", "app-1.zip": "A", "app-10.zip": "", "a.DOC": "", "releases/a.doc": "", "releases/x/1": "BC",
            "releases/y/1.zip": "BD", "releases/y/1.tar": "B", "releases/z/1.zip": "B",
        ] {
            let client = try TestClient(repository)
            #expect(try await requestedRoles(path, by: client) == roles.map { "1.\($0)" }, "\(path)")
        }
    }

    @Test("Prefixes of digests select roles") mutating func hashPrefixes() async throws {
        let digits = digest("sha256", of: Data("a/app.zip".utf8))
        let other = digits.hasPrefix("0") ? "1" : "0"
        repository.delegate("A", ["path_hash_prefixes": [.string(other), .string(String(digits.dropFirst()))]])
        repository.delegate("B", ["path_hash_prefixes": [.string(other), .string(String(digits.prefix(3)))]])
        repository.delegate("C", ["path_hash_prefixes": [.string(digits)]])
        repository.delegate("D", ["path_hash_prefixes": []])
        try publish("A", "B", "C", "D")
        #expect(try await requestedRoles("a/app.zip") == ["1.B", "1.C"])
    }

    @Test(
        "Hash bins are named by the first bits of the digest of the path", arguments: [1, 3, 4, 5, 8, 10, 16, 31, 32])
    mutating func hashBins(bits: Int) async throws {
        let digits = digest("sha256", of: Data("a/app.zip".utf8)).prefix(8)
        let number = try #require(UInt32(digits, radix: 16)) >> UInt32(32 - bits)
        let hex = String(number, radix: 16)
        let bin = "bin-" + String(repeating: "0", count: (bits + 3) / 4 - hex.count) + hex
        repository.delegateBins("bin", bitLength: bits, bin: bin)
        repository.addTarget("a/app.zip", "good", to: bin)
        try publish(bin)
        #expect(try await requestedRoles("a/app.zip") == ["1.\(bin)"])
        #expect(try await client.target("a/app.zip") != nil)
    }

    @Test("The bins of known paths") mutating func knownBins() async throws {
        // SHA-256 of `abc`: ba7816bf…; of the empty path: e3b0c442….
        for (path, bits, bin) in [
            ("abc", 1, "b-1"), ("abc", 5, "b-17"), ("abc", 10, "b-2e9"), ("abc", 32, "b-ba7816bf"), ("", 3, "b-7"),
        ] {
            var repository = try TestRepository()
            repository.delegateBins("b", bitLength: bits, bin: bin)
            repository.addTarget(path, "good", to: bin)
            try repository.publish(bin)
            try repository.update("targets", "snapshot", "timestamp")
            #expect(try await TestClient(repository).target(path) != nil, "\(bin)")
        }
    }

    @Test("The prefix of hash bins can be the name of a top-level role") mutating func binsOfTopLevelName() async throws
    {
        repository.delegateBins("targets", bitLength: 1, bin: "targets-1")
        repository.addTarget("abc", "good", to: "targets-1")
        try publish("targets-1")
        #expect(try await client.target("abc") != nil)
    }

    @Test("A delegated role whose name is too long for a file is fetched for each refresh")
    mutating func longName() async throws {
        let name = String(repeating: "\u{65E5}", count: 40)
        repository.delegate(name)
        repository.addTarget("app.zip", "good", to: name)
        try publish(name)
        for _ in 1...2 {
            _ = repository.server.takeNames()
            #expect(try await client.target("app.zip") != nil)
            #expect(repository.server.takeNames().last == repository.url(of: name))
        }
    }

    @Test("Hash bins of another form are refused", arguments: [0, 33, -1])
    mutating func badBitLength(bits: Int) async throws {
        repository.delegateBins("bin", bitLength: bits, bin: "bin-0")
        try publish("bin-0")
        #expect(try await client.refreshFailure() == .badMetadata)
    }

    @Test(
        "A delegation of another form is refused",
        arguments: [
            ["path_hash_prefixes": ["00"], "paths": ["*"]], ["terminating": .missing], ["paths": .missing],
            ["threshold": 0], ["keyids": .missing], ["name": .missing], ["name": 1], ["terminating": 1], ["paths": "*"],
            ["paths": [1]],
        ] as [[String: JSONValue]])
    mutating func badDelegation(fields: [String: JSONValue]) async throws {
        repository.delegate("role")
        for (name, value) in fields {
            var delegations = repository["targets"]["delegations"]["roles"].elements
            delegations[0][name] = value
            repository["targets"]["delegations"]["roles"].elements = delegations
        }
        try publish("role")
        #expect(try await client.refreshFailure() == .badMetadata)
    }

    // MARK: Names

    @Test(
        "A delegated role cannot have the name of a top-level role",
        arguments: ["root", "timestamp", "snapshot", "targets", "Root", "TIMESTAMP", "snapShot", "tARGETS"])
    mutating func reservedName(name: String) async throws {
        repository.delegate("role")
        var delegations = repository["targets"]["delegations"]["roles"].elements
        delegations[0]["name"] = .string(name)
        repository["targets"]["delegations"]["roles"].elements = delegations
        repository["snapshot"]["meta"][name + ".json"] = ["version": 1]
        try publish()
        #expect(try await client.refreshFailure() == .badMetadata)
    }

    @Test(
        "Names of roles are percent-encoded in URLs and in file names",
        arguments: [
            ("?", "%3F"), ("#", "%23"), ("/role", "%2Frole"), ("../role", "..%2Frole"), ("..", ".."), ("a b", "a%20b"),
            ("%2e", "%252e"), ("..\\role", "..%5Crole"), ("caf\u{e9}", "caf%C3%A9"), ("a:b", "a%3Ab"),
            ("../../../../role", "..%2F..%2F..%2F..%2Frole"), ("A-z_0.~", "A-z_0.~"),
        ])
    mutating func encodedName(role: String, encoded: String) async throws {
        repository.delegate(role)
        repository.addTarget("app.zip", "good", to: role)
        try publish(role)
        #expect(try await requestedRoles() == ["1.\(encoded)"])
        let files = ["root.json", "snapshot.json", "targets.json", "timestamp.json", encoded + ".json"]
        #expect(try client.folder.names() == files.sorted())
        #expect(client.stored(role) == repository.server.documents["1.\(encoded).json"])
    }
}
