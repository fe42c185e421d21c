// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation
import PackageFormat
import Testing

@testable import TrustedUpdate

/// The member `containerkit` of targets.
@Suite("Releases", .timeLimit(.minutes(1)))
struct ReleaseTests {
    private static let required: JSONValue = [
        "version": "1.2", "sequence": 7, "scope": "https://shop.example/app/",
    ]

    /// Returns the release of a target that the top-level role lists.
    private func release(custom: JSONValue, at path: String = "shop/1.json") async throws -> Release? {
        var repository = try TestRepository()
        repository.addTarget(path, "manifest", custom: custom)
        try repository.update("targets", "snapshot", "timestamp")
        let client = try TestClient(repository)
        let target = try await client.refresh().target(path)
        return try Release(try #require(target), of: PackageID("shop"), below: nil)
    }

    private func release(_ members: JSONValue, at path: String = "shop/1.json") async throws -> Release? {
        try await release(custom: ["other": 1, "containerkit": members], at: path)
    }

    // MARK: Members

    @Test("A release has the members of its target")
    func allMembers() async throws {
        var members = Self.required
        for (name, value) in [
            "channels": ["beta", "production"], "share": 250, "stopped": true, "minHost": "3.1",
            "start": "2025-01-01T00:00:01Z", "unknown": [1],
        ] as [String: JSONValue] {
            members[name] = value
        }
        let release = try #require(try await release(members))
        #expect(release.package.description == "shop" && release.version.description == "1.2")
        #expect(release.sequence == 7 && release.scope.description == "https://shop.example/app/")
        #expect(release.channels == ["beta", "production"] && release.share == 250 && release.isStopped)
        #expect(release.minHost?.description == "3.1")
        #expect(release.start == TestRepository.now + 1)
        #expect(release.target.path == "shop/1.json" && release.target.length == 8)
        #expect(release.sha256 == SHA256Digest(of: Data("manifest".utf8)))
    }

    @Test("Without optional members, all devices of the channel `production` get a release")
    func defaults() async throws {
        let release = try #require(try await release(Self.required))
        #expect(release.channels == ["production"] && release.share == 1_000 && !release.isStopped)
        #expect(release.minHost == nil && release.start == nil)
    }

    @Test("Numbers and shares at their limits are accepted", arguments: [0, 1_000])
    func limits(share: Int) async throws {
        var members = Self.required
        members["share"] = .number(share)
        members["sequence"] = share == 0 ? 0 : .number(.max)
        let release = try #require(try await release(members))
        #expect(release.share == Int64(share) && release.sequence == (share == 0 ? 0 : .max))
    }

    @Test("A list of no channels is for no device")
    func noChannels() async throws {
        var members = Self.required
        members["channels"] = []
        let release = try await release(members)
        #expect(release?.channels == [])
    }

    static let wrongMembers: [(String, JSONValue)] = [
        ("version", .missing), ("version", 1), ("version", ""), ("version", "1 2"), ("sequence", .missing),
        ("sequence", -1), ("sequence", "1"), ("scope", .missing), ("scope", "shop"), ("scope", "https://a.example/b"),
        ("scope", 1), ("channels", "beta"), ("channels", [1]), ("share", 1_001), ("share", -1), ("share", "1"),
        ("stopped", 1), ("minHost", 1), ("minHost", "1 2"), ("start", 1), ("start", "2025-01-01"),
        ("start", "2025-01-01T00:00:00+00:00"),
    ]

    @Test("A release with a missing or a wrong member is refused", arguments: wrongMembers)
    func wrongMember(name: String, value: JSONValue) async throws {
        var members = Self.required
        members[name] = value
        #expect(try await failure { try await release(members) } == .badMetadata)
    }

    @Test(
        "A target without the member is no release",
        arguments: [.missing, [:], ["version": "1"], "text", [1]] as [JSONValue])
    func noRelease(custom: JSONValue) async throws {
        #expect(try await release(custom: custom) == nil)
    }

    @Test("A member that is no object is refused", arguments: [[], 1, "text", true] as [JSONValue])
    func noObject(member: JSONValue) async throws {
        #expect(try await failure { try await release(member) } == .badMetadata)
    }

    // MARK: Scopes

    @Test("The scope of a release lies below the scope of the delegation that leads to its role")
    func scopes() async throws {
        let limit = "https://shop.example/team/"
        for (scope, isBelow) in [
            (limit, true), (limit + "app/", true), ("https://shop.example/", false),
            ("https://shop.example/teams/", false), ("http://shop.example/team/", false),
            ("https://bank.example/team/", false),
        ] {
            var repository = try TestRepository()
            repository.delegate("team", ["paths": ["shop/*"], "scope": .string(limit)])
            repository.addRelease("1", 1, to: "team", ["scope": .string(scope)])
            repository.addRelease("1", 1, of: "help", ["scope": .string(scope)])
            try repository.publishReleases("team")
            let list = try await repository.releaseList()
            let code = try await failure { try list.releases(of: PackageID("shop")) }
            #expect(code == (isBelow ? nil : .badMetadata), "\(scope)")
            #expect(try list.releases(of: PackageID("help")).count == 1)
        }
    }

    @Test("A delegation whose scope is no base URL allows no release")
    func wrongScope() async throws {
        var repository = try TestRepository()
        repository.delegate("team", ["paths": ["shop/*"], "scope": "shop"])
        repository.addRelease("1", 1, to: "team")
        try repository.publishReleases("team")
        let list = try await repository.releaseList()
        #expect(try await failure { try list.releases(of: PackageID("shop")) } == .badMetadata)
    }
}

extension TestRepository {
    /// Adds a release to a role. Its path is `PACKAGE/SEQUENCE.json`, and its scope `https://PACKAGE.example/`.
    /// - Parameter members: the other members of the release, and those that differ.
    mutating func addRelease(
        _ version: String, _ sequence: Int, of package: String = "shop", to role: String = "targets",
        digests: [String] = ["sha256"], _ members: JSONValue = [:]
    ) {
        var release: JSONValue = [
            "version": .string(version), "sequence": .number(sequence),
            "scope": .string("https://\(package).example/"),
        ]
        for (name, value) in members.members { release[name] = value }
        addTarget(
            "\(package)/\(sequence).json", "\(package) \(version)", to: role, digests: digests,
            custom: ["containerkit": release])
    }

    /// Publishes new versions of delegated roles and of the top-level roles that announce them.
    mutating func publishReleases(_ roles: String...) throws {
        for role in roles { try update(role) }
        try update("targets", "snapshot", "timestamp")
    }

    /// Returns the releases as a new client reads them.
    func releaseList() async throws -> ReleaseList {
        let targets = try await TestClient(self).refresh()
        return try await ReleaseList(targets.list(), number: targets.number, time: Self.now)
    }
}
