// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import TrustedUpdate

/// The list of all targets of a repository.
@Suite("List of targets", .timeLimit(.minutes(1)))
struct TargetListTests {
    private var repository: TestRepository
    private let client: TestClient
    /// The time at which the metadata of ``addTeams()`` expires: 2026-01-01T00:00:00Z.
    private static let later = Date(timeIntervalSince1970: 1_767_225_600)

    init() throws {
        repository = try TestRepository()
        client = try TestClient(repository)
    }

    /// Returns the paths of the listed targets after a refresh, each with a Boolean value that indicates whether it is
    /// current.
    private func listed(at now: Date = TestRepository.now, by other: TestClient? = nil) async throws -> [String: Bool] {
        let list = try await (other ?? client).refresh(now: now).list().targets
        return try Dictionary(list.map { ($0.target.path, $0.isCurrent) }) { _, _ in
            throw CocoaError(.coderInvalidValue)
        }
    }

    // MARK: Delegations

    @Test("A list has exactly the targets that a search finds", arguments: DelegationTests.graphs)
    mutating func search(graph: DelegationTests.Graph) async throws {
        var roles: Set<String> = []
        for edge in graph.edges {
            let names = edge.split(separator: ">")
            let role = String(names[1].prefix { $0 != "!" })
            repository.delegate(role, from: String(names[0]), ["terminating": .bool(names[1].hasSuffix("!"))])
            roles.insert(role)
        }
        for role in roles {
            repository.addTarget("all", role, to: role)
            repository.addTarget(role, role, to: role)
            try repository.publish(role)
        }
        try repository.publishReleases()
        let targets = try await client.refresh()
        let list = try await targets.list().targets
        for path in roles.union(["all"]) {
            let found = try await targets.target(path)
            // The location has the digest of the content, which is the name of the role.
            let locations = list.filter { $0.target.path == path }.map(\.target.location)
            #expect(locations == [found?.location].compactMap(\.self), "\(path)")
        }
        #expect(list.allSatisfy { $0.isCurrent && $0.scopes == [] })
    }

    @Test("The top-level role and the first delegation have priority") mutating func firstRole() async throws {
        for role in ["B", "A"] {
            repository.delegate(role)
            for path in ["one", "two"] { repository.addTarget(path, "\(role) \(path)", to: role) }
        }
        repository.addTarget("one", "top")
        try repository.publishReleases("A", "B")
        let list = try await client.refresh().list().targets
        #expect(list.map(\.target.path) == ["one", "two"])
        try list[0].target.verify(Data("top".utf8))
        try list[1].target.verify(Data("B two".utf8))
    }

    @Test("A target outside of the paths of its role is not listed") mutating func outsidePaths() async throws {
        repository.delegate("A", ["paths": ["a/*"]])
        repository.delegate("sub", from: "A", ["paths": ["*/*"]])
        for role in ["A", "sub"] {
            for path in ["a/\(role)", "b/\(role)", "a", "a/b/c"] { repository.addTarget(path, role, to: role) }
        }
        try repository.publishReleases("sub", "A")
        #expect(try await listed() == ["a/A": true, "a/sub": true])
    }

    @Test("The scopes of all delegations are listed from the first one on") mutating func scopes() async throws {
        repository.delegate("A", ["scope": "https://a.example/"])
        repository.delegate("B", from: "A")
        repository.delegate("C", from: "B", ["scope": "https://c.example/"])
        for role in ["A", "B", "C"] { repository.addTarget(role, role, to: role) }
        repository.addTarget("top", "top")
        try repository.publishReleases("C", "B", "A")
        let scopes = try await client.refresh().list().targets.map(\.scopes)
        let outer = "https://a.example/"
        #expect(scopes == [[], [outer], [outer], [outer, "https://c.example/"]])
    }

    @Test("A cycle of delegations ends, and each role is requested once") mutating func cycle() async throws {
        repository.delegate("A")
        repository.delegate("B", from: "A")
        repository.delegate("A", from: "B")
        for role in ["A", "B"] { repository.addTarget(role, role, to: role) }
        try repository.publishReleases("B", "A")
        let targets = try await client.refresh()
        _ = repository.server.takeNames()
        #expect(try await targets.list().targets.map(\.target.path) == ["A", "B"])
        #expect(repository.server.takeNames() == [repository.url(of: "A"), repository.url(of: "B")])
    }

    @Test("Of more delegated roles than the limit, the last ones are hidden, in any depth", arguments: [3, 32])
    mutating func limit(limit: Int) async throws {
        var client = self.client
        if limit == 32 { #expect(client.limits.delegations == limit) }
        client.limits.delegations = limit
        for index in 1...limit {
            let role = "role\(index)"
            repository.delegate(role, from: index.isMultiple(of: 2) ? "role\(index - 1)" : "targets")
            repository.addTarget(role, role, to: role)
        }
        for index in 1...limit { try repository.update("role\(index)") }
        try repository.publishReleases()
        #expect(try await listed(by: client).count == limit)
        repository.delegate("last", from: "role\(limit)")
        try repository.publishReleases("last", "role\(limit)")
        #expect(try await listed(by: client).count == limit)
        // One team cannot use up the limit of the others.
        repository.delegate("next", ["paths": ["next/*"]])
        repository.addTarget("next/1", "next", to: "next")
        try repository.publishReleases("next")
        #expect(try await listed(by: client)["next/1"] == true)
    }

    @Test("Hidden are the targets of roles that are not known, and too large ones, but no targets of other roles")
    mutating func hidden() async throws {
        addTeams()
        // The team is trusted for its own paths only.
        repository.delegate("other", from: "A", ["paths": ["b/*", "c/*"]])
        for path in ["b/2", "c/1"] { repository.addTarget(path, path, to: "A") }
        repository["A"]["targets"]["a/1"]["length"] = .number(1 << 40)
        repository.delegate("absent", ["paths": ["d/*"]])
        try repository.publishReleases("sub", "A", "B")
        let list = try await client.refresh().list()
        #expect(list.targets.map(\.target.path) == ["top", "a/2", "b/1"])
        #expect(Set(list.hidden) == ["a/1", "a/*", "d/*"])
    }

    @Test("Roles of hash bins are neither requested nor listed") mutating func hashBins() async throws {
        repository.delegate("A", ["paths": ["a/*"]])
        repository.addTarget("a/1", "a", to: "A")
        repository.addTarget("top", "top")
        // SHA-256 of `abc` begins with a bit that is set.
        repository.delegateBins("bin", bitLength: 1, bin: "bin-1", from: "A")
        repository.addTarget("abc", "bin", to: "bin-1")
        try repository.publishReleases("bin-1", "A")
        #expect(try await listed() == ["a/1": true, "top": true])
        #expect(!repository.server.takeNames().contains(repository.url(of: "bin-1")))
    }

    // MARK: Refused roles

    /// Adds the targets `a/1` of a team, `a/2` of its delegate, `b/1` of another team and `top`. The metadata of the
    /// first team expires at ``later``.
    private mutating func addTeams() {
        repository.delegate("A", ["paths": ["a/*"]])
        repository.delegate("sub", from: "A", ["paths": ["a/*"]])
        repository.delegate("B", ["paths": ["b/*"]])
        for (path, role) in [("a/1", "A"), ("a/2", "sub"), ("b/1", "B"), ("top", "targets")] {
            repository.addTarget(path, path, to: role)
        }
        repository["A"]["expires"] = "2026-01-01T00:00:00Z"
    }

    private static let all = ["a/1": true, "a/2": true, "b/1": true, "top": true]
    private static let outdated = ["a/1": false, "a/2": false, "b/1": true, "top": true]
    private static let others = ["b/1": true, "top": true]

    @Test("The stored metadata of a team that has expired is listed as not current, with that of its delegates")
    mutating func expired() async throws {
        addTeams()
        try repository.publishReleases("sub", "A", "B")
        // Metadata that was never current on the device is not listed.
        #expect(try await listed(at: Self.later) == Self.others)
        #expect(try await listed(at: Self.later - 1) == Self.all)
        #expect(try await listed(at: Self.later) == Self.outdated)
        repository["A"]["expires"] = "2030-01-01T00:00:00Z"
        try repository.publishReleases("A")
        #expect(try await listed(at: Self.later) == Self.all)
    }

    /// A fault of the metadata that one team publishes.
    enum Fault: CaseIterable { case unsigned, missing, damaged, long }

    @Test("If the new metadata of a team is refused, that before is listed as not current", arguments: Fault.allCases)
    mutating func refused(fault: Fault) async throws {
        addTeams()
        try repository.publishReleases("sub", "A", "B")
        #expect(try await listed() == Self.all)
        if fault == .unsigned { repository.signers["A"] = [.ed25519()] }
        if fault == .long { repository["A"]["custom"] = .string(String(repeating: "x", count: 100_000)) }
        repository.addTarget("a/3", "new", to: "A")
        try repository.publishReleases("A")
        let url = repository.url(of: "A")
        if fault == .missing { repository.server.documents[url] = nil }
        if fault == .damaged { repository.server.documents[url] = Data("{".utf8) }
        var client = self.client
        if fault == .long { client.limits.targetsBytes = 50_000 }
        #expect(try await listed(by: client) == Self.outdated)
        // A device without the metadata before does not know the packages of the team.
        var other = try TestClient(repository)
        other.limits = client.limits
        #expect(try await listed(by: other) == Self.others)
    }

    @Test("Stored metadata that is signed by former keys of a team is not listed")
    mutating func formerKeys() async throws {
        addTeams()
        try repository.publishReleases("sub", "A", "B")
        #expect(try await listed() == Self.all)
        repository["targets"]["delegations"]["roles"].elements.removeFirst()
        repository.signers["A"] = [.ed25519()]
        repository.delegate("A", ["paths": ["a/*"]])
        try repository.publishReleases("A")
        let url = repository.url(of: "A")
        let document = repository.server.documents[url]
        repository.server.documents[url] = nil
        #expect(try await listed() == Self.others)
        repository.server.documents[url] = document
        #expect(try await listed() == Self.all)
    }

    @Test("A request that fails ends the list with its error") mutating func failedRequest() async throws {
        addTeams()
        try repository.publishReleases("sub", "A", "B")
        let url = repository.url(of: "B")
        struct Unreachable: Error {}
        repository.server.onRequest { if $0 == url { throw Unreachable() } }
        await #expect(throws: Unreachable.self) { try await listed() }
    }
}
