// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import PackageFormat
import Testing

@testable import TrustedUpdate

/// The list of the targets of all packages.
@Suite("List of targets", .timeLimit(.minutes(1)))
struct TargetListTests {
    private var repository: TestRepository
    private let client: TestClient
    /// The time at which the metadata of the team of ``addTeams()`` expires: 2026-01-01T00:00:00Z.
    private static let later = Date(timeIntervalSince1970: 1_767_225_600)

    init() throws {
        repository = try TestRepository()
        client = try TestClient(repository)
    }

    /// The content of a listed package.
    private enum Content: Equatable {
        case paths([String])
        /// A failure with the code of a `TrustError`, or another one.
        case failure(TrustError.Code?)
    }

    /// Returns the listed packages after a refresh.
    private func listed(
        at now: Date = TestRepository.now, by other: TestClient? = nil
    ) async throws -> [String: Content] {
        let list = try await (other ?? client).refresh(now: now).list()
        return Dictionary(
            uniqueKeysWithValues: list.map { package, listed in
                let paths = listed.targets.map(\.target.path).sorted()
                return ("\(package)", listed.failure.map { .failure(($0 as? TrustError)?.code) } ?? .paths(paths))
            })
    }

    // MARK: Roles

    @Test("The targets of a package are those of the top-level role and of the role to which it is delegated")
    mutating func roles() async throws {
        repository.delegate("team", ["paths": ["shop/*", "blog/*"], "scope": "https://shop.example/"])
        for path in ["shop/1", "shop/2", "blog/1", "help/1", "shop/a/b", "shop", "top"] {
            repository.addTarget(path, "team \(path)", to: "team")
        }
        for path in ["shop/1", "help/2", ".hidden/1", "top", "help/", "/help"] {
            repository.addTarget(path, "top \(path)")
        }
        try repository.publishReleases("team")
        #expect(
            try await listed() == [
                "shop": .paths(["shop/1", "shop/2"]), "blog": .paths(["blog/1"]), "help": .paths(["help/2"]),
            ])
        let list = try await client.refresh().list()
        let shop = try #require(list[PackageID("shop")])
        // A target of the top-level role has priority, and has no scope.
        for (target, scope) in shop.targets {
            let isOfTeam = target.path == "shop/2"
            #expect(scope == (isOfTeam ? "https://shop.example/" : nil))
            try target.verify(Data("\(isOfTeam ? "team" : "top") \(target.path)".utf8))
        }
    }

    @Test("The first delegation of a package counts, and a search finds the same targets")
    mutating func firstRole() async throws {
        for role in ["B", "A"] {
            repository.delegate(role, ["paths": ["shop/*"]])
            repository.addTarget("shop/1", role, to: role)
        }
        repository.addTarget("shop/2", "A", to: "A")
        repository.delegate("A", from: "B", ["paths": ["shop/*"]])
        try repository.publishReleases("A", "B")
        let targets = try await client.refresh()
        let list = try await targets.list()
        let (target, _) = try #require(list[PackageID("shop")]?.targets.first)
        #expect(list[try PackageID("shop")]?.targets.count == 1)
        #expect(try await targets.target("shop/1")?.location == target.location)
        try target.verify(Data("B".utf8))
    }

    @Test("Other patterns, prefixes of digests, hash bins and further delegations are not requested")
    mutating func otherDelegations() async throws {
        repository.delegate("A", ["paths": ["*/*"]])
        repository.delegate("B", ["paths": ["sho?/*"]])
        repository.delegate("C", ["path_hash_prefixes": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]])
        repository.delegate("team", ["paths": ["shop/*"]])
        repository.delegate("D", from: "team", ["paths": ["shop/*"]])
        for role in ["A", "B", "C", "D"] { repository.addTarget("shop/1", role, to: role) }
        repository.addTarget("shop/2", "team", to: "team")
        try repository.publishReleases("A", "B", "C", "D", "team")
        #expect(try await listed() == ["shop": .paths(["shop/2"])])
        let names = repository.server.takeNames()
        #expect(!names.contains { name in ["A", "B", "C", "D"].contains { name == repository.url(of: $0) } })
    }

    // MARK: Failures

    /// Adds targets of the packages `a` and `b` of two teams, of `c`, and of `a` in the top-level role.
    private mutating func addTeams() {
        repository.delegate("A", ["paths": ["a/*"]])
        repository.delegate("B", ["paths": ["b/*"]])
        for (path, role) in [("a/2", "A"), ("b/1", "B"), ("a/1", "targets"), ("c/1", "targets")] {
            repository.addTarget(path, path, to: role)
        }
        repository["A"]["expires"] = "2026-01-01T00:00:00Z"
    }

    private static let all = [
        "a": Content.paths(["a/1", "a/2"]), "b": .paths(["b/1"]), "c": .paths(["c/1"]),
    ]

    private static func refused(_ code: TrustError.Code) -> [String: Content] {
        all.merging(["a": .failure(code)]) { $1 }
    }

    /// A fault of the metadata that one team publishes.
    enum Fault: CaseIterable { case unsigned, missing, damaged, long, largeTarget }

    @Test(
        "If the metadata of a team is refused, no target of its package is listed, and others are",
        arguments: Fault.allCases)
    mutating func refused(fault: Fault) async throws {
        addTeams()
        try repository.publishReleases("A", "B")
        #expect(try await listed() == Self.all)
        repository.addTarget("a/3", "new", to: "A")
        var client = self.client
        var code = TrustError.Code.unsigned
        switch fault {
        case .unsigned: repository.signers["A"] = [.ed25519()]
        case .long:
            repository["A"]["custom"] = .string(String(repeating: "x", count: 100_000))
            client.limits.targetsBytes = 50_000
            code = .tooLarge
        case .largeTarget:
            repository["A"]["targets"]["a/3"]["length"] = .number(1 << 40)
            code = .tooLarge
        case .missing: code = .notFound
        case .damaged: code = .badMetadata
        }
        try repository.publishReleases("A")
        let url = repository.url(of: "A")
        if fault == .missing { repository.server.documents[url] = nil }
        if fault == .damaged { repository.server.documents[url] = Data("{".utf8) }
        #expect(try await listed(by: client) == Self.refused(code))
    }

    @Test("A delegation whose role has published nothing changes nothing") mutating func newRole() async throws {
        addTeams()
        for (role, package) in [("new", "c"), ("other", "d")] {
            repository.delegate(role, ["paths": [.string("\(package)/*")]])
        }
        try repository.publishReleases("A", "B")
        #expect(try await listed() == Self.all)
    }

    @Test("If the metadata of a team has expired, no target of its package is listed until it is renewed")
    mutating func expired() async throws {
        addTeams()
        try repository.publishReleases("A", "B")
        #expect(try await listed(at: Self.later - 1) == Self.all)
        #expect(try await listed(at: Self.later) == Self.refused(.expired))
        repository["A"]["expires"] = "2030-01-01T00:00:00Z"
        try repository.publishReleases("A")
        #expect(try await listed(at: Self.later) == Self.all)
    }

    @Test("Of more delegated roles than the limit, the packages of the last ones are refused")
    mutating func limit() async throws {
        #expect(client.limits.delegations == 32)
        for index in 1...33 {
            repository.delegate("role\(index)", ["paths": [.string("p\(index)/*")]])
            repository.addTarget("p\(index)/1", "\(index)", to: "role\(index)")
            try repository.update("role\(index)")
        }
        // A delegation that names no package does not count.
        repository.delegate("other", ["paths": ["*"]])
        try repository.publishReleases("other")
        let list = try await listed()
        #expect(list.count == 33 && list["p32"] == .paths(["p32/1"]) && list["p33"] == .failure(.tooLarge))
    }

    @Test("A request for the metadata of a team that fails does not affect others, and a cancellation ends the list")
    mutating func failedRequest() async throws {
        addTeams()
        try repository.publishReleases("A", "B")
        let url = repository.url(of: "A")
        struct Unreachable: Error {}
        repository.server.onRequest { if $0 == url { throw Unreachable() } }
        #expect(try await listed() == Self.all.merging(["a": .failure(nil)]) { $1 })
        repository.server.onRequest { if $0 == url { throw CancellationError() } }
        await #expect(throws: CancellationError.self) { try await listed() }
        repository.server.onRequest { _ in }
        #expect(try await listed() == Self.all)
    }

    // MARK: Refused targets

    @Test("Targets that are not valid releases are refused, those of other packages are ignored, and others are not")
    mutating func refusals() async throws {
        repository.delegate("shop", ["paths": ["shop/*"], "scope": "https://shop.example/"])
        repository.delegate("help", ["paths": ["help/*"]])
        repository.addRelease("1", 1, to: "shop")
        repository.addRelease("2", 2, to: "shop", ["scope": "https://other.example/"])
        repository.addRelease("3", 3, to: "shop", ["share": 1_001])
        repository.addRelease("4", 4, of: "pay", to: "shop")
        repository.addTarget("shop/a/5.json", "deep", to: "shop")
        // A target without conditions is no release, and not refused.
        repository.addTarget("shop/text", "text", to: "shop")
        repository.addRelease("6", 6, of: "blog", ["version": "a/b"])
        repository.addRelease("7", 7, of: "help", to: "help")
        repository.addRelease("8", 8, of: "home")
        repository.signers["help"] = [.ed25519()]
        try repository.publishReleases("shop", "help")
        let refused = try await client.refresh().refusals()
        let expected = [
            ("help", "help/*", "help"), ("shop", "pay/4.json", nil), ("shop", "shop/2.json", "shop"),
            ("shop", "shop/3.json", "shop"), ("shop", "shop/a/5.json", nil), ("targets", "blog/6.json", "blog"),
        ]
        #expect(refused.map(\.role) == expected.map(\.0) && refused.map(\.path) == expected.map(\.1))
        #expect(try refused.map(\.package) == expected.map { try $0.2.map { try PackageID($0) } })
        #expect(refused[2].reason.contains("https://other.example/") && refused[3].reason.contains("share"))

        // The refused packages are those that devices do not update.
        let list = try await repository.releaseList()
        for (package, result) in list.packages {
            let isRefused = refused.contains { $0.package == package }
            #expect(((try? result.get()) == nil) == isRefused, "\(package)")
        }
        #expect(list.packages.count == 4)
    }
}
