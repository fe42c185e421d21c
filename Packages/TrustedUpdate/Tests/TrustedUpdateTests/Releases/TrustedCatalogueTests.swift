// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContentDigest
import Foundation
import PackageFormat
import Testing

@testable import TrustedUpdate

/// The catalogue whose releases the publisher has signed.
@Suite("Signed catalogue", .timeLimit(.minutes(1)))
struct TrustedCatalogueTests {
    private static let targetsURL = "https://updates.example/targets"
    private var repository: TestRepository
    private let folder: TemporaryFolder
    private let root: Data
    private let time = Time()
    private let shop: PackageID

    /// The date of the device.
    private final class Time: Sendable {
        private let date = Mutex(TestRepository.now)

        var now: Date { date.withLock(\.self) }

        func advance(by seconds: TimeInterval) { date.withLock { $0 += seconds } }
    }

    private struct Unreachable: Error, Equatable { var name = "" }

    init() throws {
        let repository = try TestRepository()
        root = try #require(repository.server.documents["1.root.json"])
        self.repository = repository
        folder = try TemporaryFolder()
        shop = try PackageID("shop")
    }

    /// Returns a catalogue as a new process would create it, in the folder that all processes of a test use.
    private func makeCatalogue(
        root other: Data? = nil, targetsURL: String = Self.targetsURL, in name: String = "app/trust"
    ) -> TrustedCatalogue {
        var catalogue = TrustedCatalogue(
            root: other ?? root, metadataURL: TestServer.url, targetsURL: targetsURL,
            directory: "\(folder.path)/\(name)")
        let time = self.time
        catalogue.now = { time.now }
        return catalogue
    }

    private var load: DocumentLoading {
        let server = repository.server
        return { url, maxBytes in try server.load(url, maxBytes) }
    }

    private func manifest(
        _ catalogue: TrustedCatalogue, of package: String = "shop", excluding failed: [String] = [], host: String? = nil
    ) async throws -> SignedManifest? {
        let versions = DeviceVersions(
            failed: Set(try failed.map { try PackageVersion($0) }), host: try host.map { try PackageVersion($0) })
        return try await catalogue.manifest(of: PackageID(package), for: versions, load: load)
    }

    private func stored(_ name: String) -> Data? {
        FileManager.default.contents(atPath: "\(folder.path)/app/trust/\(name)")
    }

    private static func signedVersion(of document: Data?) throws -> Int? {
        let object = try JSONSerialization.jsonObject(with: #require(document)) as? [String: Any]
        return (object?["signed"] as? [String: Any])?["version"] as? Int
    }

    // MARK: Root

    @Test("The trust begins from the root of the app, in a folder that is created")
    mutating func firstRoot() async throws {
        repository.addRelease("1", 1)
        try repository.publishReleases()
        #expect(try await manifest(makeCatalogue()) != nil)
        #expect(stored("root.json") == root)
        #expect(repository.server.takeNames().first == "2.root.json")
    }

    @Test("A newer root of the app replaces the stored one, also if the stored one does not trust it")
    mutating func newerRoot() async throws {
        repository.addRelease("1", 1)
        try repository.publishReleases()
        #expect(try await manifest(makeCatalogue()) != nil)
        // All keys are new, and the repository has no root that leads to them.
        for role in TestRepository.topLevelRoles { repository.setKeys([.ed25519()], of: role) }
        repository["root"]["version"] = 2
        let next = try repository.document("root")
        try repository.publishReleases()
        #expect(try await failure { try await manifest(makeCatalogue()) } == .unsigned)
        #expect(try await manifest(makeCatalogue(root: next)) != nil)
        #expect(stored("root.json") == next)
        // An app with the former root, for example after a downgrade, uses the stored one.
        #expect(try await manifest(makeCatalogue()) != nil)
        #expect(stored("root.json") == next)
    }

    @Test("An older root of the same repository, which the device never had, does not replace the stored one")
    mutating func olderUnknownRoot() async throws {
        try repository.update("root")
        let second = try #require(repository.server.documents["2.root.json"])
        repository.addRelease("1", 1)
        try repository.publishReleases()
        #expect(try await manifest(makeCatalogue(root: second)) != nil)
        #expect(try await manifest(makeCatalogue()) != nil)
        #expect(stored("root.json") == second)
    }

    @Test("A newer root of the app of the same repository keeps the protection against a rollback")
    mutating func newerKnownRoot() async throws {
        repository.addRelease("1", 1)
        try repository.publishReleases()
        let former = repository.server.documents["timestamp.json"]
        try repository.publishReleases()
        #expect(try await manifest(makeCatalogue()) != nil)
        try repository.update("root")
        let second = try #require(repository.server.documents["2.root.json"])
        repository.server.documents["timestamp.json"] = former
        #expect(try await failure { try await manifest(makeCatalogue(root: second)) } == .rollback)
        #expect(stored("root.json") == second)
    }

    @Test("Requests that failed are repeated at once") mutating func failedRole() async throws {
        repository.delegate("team", ["paths": ["shop/*"]])
        repository.addRelease("1", 1, to: "team")
        repository.addRelease("1", 1, of: "help")
        try repository.publishReleases("team")
        let (catalogue, url) = (makeCatalogue(), repository.url(of: "team"))
        repository.server.onRequest { if $0 == url { throw Unreachable(name: $0) } }
        #expect(try await manifest(catalogue, of: "help") != nil)
        await #expect(throws: Unreachable(name: url)) { try await manifest(catalogue) }
        repository.server.onRequest { _ in }
        #expect(try await manifest(catalogue) != nil)
    }

    @Test("The root of a new repository replaces the stored one once, whatever its version")
    mutating func newRepository() async throws {
        try repository.update("root")
        repository.addRelease("1", 1)
        try repository.publishReleases()
        #expect(try await manifest(makeCatalogue()) != nil)
        let former = repository.server.documents
        var other = try TestRepository()
        other.addRelease("2", 2)
        try other.publishReleases()
        repository.server.documents = other.server.documents
        #expect(try await failure { try await manifest(makeCatalogue()) } != nil)
        let next = try #require(other.server.documents["1.root.json"])
        #expect(try await manifest(makeCatalogue(root: next)) != nil)
        // The keys of the former repository are not trusted any more, and its root does not come back.
        repository.server.documents = former
        #expect(try await failure { try await manifest(makeCatalogue(root: next)) } != nil)
        #expect(try await failure { try await manifest(makeCatalogue(root: root)) } != nil)
        #expect(stored("root.json") == next)
    }

    @Test("An older or the same root of the app does not replace the stored one, which still protects the rest")
    mutating func olderRoot() async throws {
        repository.addRelease("1", 1)
        try repository.update("root")
        try repository.publishReleases()
        let former = repository.server.documents["timestamp.json"]
        try repository.publishReleases()
        #expect(try await manifest(makeCatalogue()) != nil)
        let next = try #require(repository.server.documents["2.root.json"])
        #expect(stored("root.json") == next)
        for bundled in [root, next] {
            _ = repository.server.takeNames()
            #expect(try await manifest(makeCatalogue(root: bundled)) != nil)
            #expect(repository.server.takeNames() == ["3.root.json", "timestamp.json"])
        }
        repository.server.documents["timestamp.json"] = former
        for bundled in [root, next] {
            #expect(try await failure { try await manifest(makeCatalogue(root: bundled)) } == .rollback)
        }
    }

    @Test("A damaged stored root is replaced by that of the app", arguments: [true, false])
    mutating func damagedRoot(isJSON: Bool) async throws {
        repository.addRelease("1", 1)
        try repository.publishReleases()
        #expect(try await manifest(makeCatalogue()) != nil)
        // A root of a later version that its own keys have not signed is damaged, too.
        var content = repository["root"]
        content["version"] = 9
        let damaged = isJSON ? repository.envelope(content, []) : Data("{".utf8)
        try folder.write("app/trust/root.json", damaged)
        #expect(try await manifest(makeCatalogue()) != nil)
        #expect(stored("root.json") == root)
    }

    @Test("A damaged root of the app is refused without a request")
    func damagedBundledRoot() async throws {
        let unsigned = repository.envelope(repository["root"], [])
        for (damaged, code) in [(Data("{".utf8), TrustError.Code.badMetadata), (unsigned, .unsigned)] {
            #expect(try await failure { try await manifest(makeCatalogue(root: damaged)) } == code)
        }
        #expect(repository.server.takeNames() == [] && stored("root.json") == nil)
    }

    // MARK: Requests

    @Test("The releases of a refresh are used for 300 seconds; then a refresh without news makes two requests")
    mutating func freshness() async throws {
        repository.addRelease("1", 1)
        try repository.publishReleases()
        let catalogue = makeCatalogue()
        #expect(try await manifest(catalogue) != nil)
        #expect(repository.server.takeNames().count == 4)
        time.advance(by: 299)
        #expect(try await manifest(catalogue) != nil)
        #expect(try await manifest(catalogue, of: "other") == nil)
        #expect(repository.server.takeNames() == [])
        // A clock that was set back does not extend the time.
        for seconds in [1, -1, 300] as [TimeInterval] {
            time.advance(by: seconds)
            #expect(try await manifest(catalogue) != nil)
            #expect(repository.server.takeNames() == ["2.root.json", "timestamp.json"], "\(seconds)")
        }
        // A check of the catalogue always refreshes, and its releases are used, too.
        _ = try await catalogue.catalogue(at: TestServer.url, load: load)
        #expect(repository.server.takeNames() == ["2.root.json", "timestamp.json"])
        #expect(try await manifest(catalogue) != nil)
        #expect(repository.server.takeNames() == [])
    }

    @Test("A new release is found after 300 seconds") mutating func newRelease() async throws {
        repository.addRelease("1", 1)
        try repository.publishReleases()
        let catalogue = makeCatalogue()
        let first = try await manifest(catalogue)
        repository.addRelease("2", 2)
        try repository.publishReleases()
        #expect(try await manifest(catalogue) == first)
        time.advance(by: 300)
        #expect(try await manifest(catalogue)?.sha256 == SHA256Digest(of: Data("shop 2".utf8)))
    }

    @Test("If the metadata cannot be fetched or is refused, that of the mirror is used", arguments: [true, false])
    mutating func mirror(isReachable: Bool) async throws {
        repository.addRelease("1", 1)
        try repository.publishReleases()
        for (name, document) in repository.server.documents {
            repository.server.documents["mirror/" + name] = document
        }
        if isReachable {
            repository.server.documents["timestamp.json"] = repository.envelope(repository["timestamp"], [])
        } else {
            repository.server.onRequest { if !$0.hasPrefix("mirror/") { throw Unreachable(name: $0) } }
        }
        var catalogue = makeCatalogue()
        let error = await #expect(throws: (any Error).self) { try await manifest(catalogue) }
        #expect(isReachable == ((error as? TrustError)?.code == .unsigned))
        #expect(!repository.server.takeNames().contains { $0.hasPrefix("mirror/") })
        catalogue.mirrorURL = TestServer.url + "mirror/"
        #expect(try await manifest(catalogue)?.url.hasPrefix(Self.targetsURL) == true)
        #expect(repository.server.takeNames().contains("mirror/timestamp.json"))
    }

    @Test("If the mirror fails too, the error is that of the primary URL; no mirror is used after a cancellation")
    mutating func failedMirror() async throws {
        try repository.publishReleases()
        var catalogue = makeCatalogue()
        catalogue.mirrorURL = TestServer.url + "mirror/"
        repository.server.onRequest { throw Unreachable(name: $0) }
        await #expect(throws: Unreachable(name: "2.root.json")) { try await manifest(catalogue) }
        #expect(repository.server.takeNames() == ["2.root.json", "mirror/2.root.json"])
        repository.server.onRequest { _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await manifest(catalogue) }
        #expect(repository.server.takeNames() == ["2.root.json"])
    }

    @Test("Concurrent refreshes run one after the other") mutating func concurrency() async throws {
        repository.addRelease("1", 1)
        try repository.publishReleases()
        let catalogue = makeCatalogue()
        let running = Mutex((current: 0, highest: 0))
        let next = load
        let counted: DocumentLoading = { url, maxBytes in
            running.withLock { $0 = ($0.current + 1, max($0.highest, $0.current + 1)) }
            defer { running.withLock { $0.current -= 1 } }
            for _ in 0..<20 { await Task.yield() }
            return try await next(url, maxBytes)
        }
        let shop = self.shop
        let results = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<8 {
                group.addTask {
                    guard index.isMultiple(of: 2) else {
                        return try await catalogue.manifest(of: shop, for: DeviceVersions(), load: counted) != nil
                    }
                    return try await catalogue.catalogue(at: TestServer.url, load: counted).packages.count == 1
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(results == Array(repeating: true, count: 8))
        #expect(running.withLock(\.highest) == 1)
    }

    @Test("A refresh that is cancelled while it waits makes no request and delays no other")
    mutating func cancellation() async throws {
        repository.addRelease("1", 1)
        try repository.publishReleases()
        let (catalogue, shop, next, gate) = (makeCatalogue(), self.shop, load, CallGate())
        let gated: DocumentLoading = { url, maxBytes in
            await gate.pass()
            return try await next(url, maxBytes)
        }
        gate.close()
        let first = Task { try await catalogue.manifest(of: shop, for: DeviceVersions(), load: gated) }
        for await _ in gate.arrivals { break }
        let second = Task { try await catalogue.catalogue(at: TestServer.url, load: gated) }
        second.cancel()
        gate.open()
        #expect(try await first.value != nil)
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(repository.server.takeNames().count { $0 == "timestamp.json" } == 1)
        time.advance(by: 300)
        #expect(try await manifest(catalogue) != nil)
    }

    // MARK: Device

    /// Returns the reason for the only release, which the device does not get.
    private func reason(_ catalogue: TrustedCatalogue) async throws -> ReleaseReason? {
        #expect(try await manifest(catalogue) == nil)
        return try await catalogue.explain(shop, for: DeviceVersions()).verdicts.first?.reason
    }

    /// Returns the number of the release that the device gets.
    private func number(
        _ catalogue: TrustedCatalogue, excluding failed: [String] = [], host: String? = nil
    ) async throws -> String? {
        let url = try await manifest(catalogue, excluding: failed, host: host)?.url
        // The location is `DIGEST.NUMBER.json`.
        return url?.split(separator: ".").dropLast().last.map(String.init)
    }

    @Test("The random text of a device stays the same over processes, is private, and is in no request")
    mutating func seed() async throws {
        repository.addRelease("1", 1, ["share": 0])
        try repository.publishReleases()
        let first = try await reason(makeCatalogue())
        let seed = try #require(stored("device-seed"))
        #expect(seed.count == 32)
        #expect(try await reason(makeCatalogue()) == first)
        #expect(stored("device-seed") == seed)
        let text = String(decoding: seed, as: UTF8.self)
        let device = ReleaseDevice(channel: "production", seed: text, now: TestRepository.now)
        let number = device.number(for: try PackageVersion("1"), of: shop)
        #expect(first == .outsideShare(number: number, share: 0))
        let requests = repository.server.takeNames()
        #expect(!requests.isEmpty && !requests.contains { $0.contains(text) || $0.contains("seed") })
        // Another device has another text, and a text that is too long is replaced.
        _ = try await reason(makeCatalogue(in: "other"))
        #expect(try folder.text(of: "other/device-seed") != text)
        try folder.write("other/device-seed", Data(repeating: 0x61, count: 65))
        _ = try await reason(makeCatalogue(in: "other"))
        #expect(try folder.text(of: "other/device-seed").utf8.count == 32)
    }

    @Test("Channel, version of the app, date and failed versions decide on the release")
    mutating func device() async throws {
        repository.addRelease("1", 1)
        repository.addRelease("2", 2, ["minHost": "3"])
        repository.addRelease("3", 3, ["channels": ["beta"]])
        repository.addRelease("4", 4, ["start": "2025-01-01T00:05:00Z"])
        try repository.publishReleases()
        var catalogue = makeCatalogue()
        #expect(try await number(catalogue) == "1")
        #expect(try await number(catalogue, host: "3.1") == "2")
        catalogue.channel = "beta"
        #expect(try await number(catalogue) == "3")
        catalogue.channel = "production"
        time.advance(by: 299)
        #expect(try await number(catalogue, host: "3.1") == "2")
        time.advance(by: 1)
        #expect(try await number(catalogue) == "4")
        #expect(try await number(catalogue, excluding: ["4"], host: "3.1") == "2")
        #expect(try await number(catalogue, excluding: ["4", "2", "1"], host: "3.1") == nil)
    }

    @Test("An explanation is that of the last refresh and makes no request") mutating func explanation() async throws {
        repository.addRelease("1", 1)
        repository.addRelease("2", 2, ["stopped": true])
        repository.addRelease("1", 1, of: "help")
        try repository.publishReleases()
        let catalogue = makeCatalogue()
        #expect(try await failure { try await catalogue.explain(shop, for: DeviceVersions()) } == .notFound)
        _ = try await manifest(catalogue, of: "help")
        _ = repository.server.takeNames()
        time.advance(by: 1_000)
        let (first, second) = (try PackageVersion("1"), try PackageVersion("2"))
        let verdicts: [ReleaseExplanation.Verdict] = [
            .init(version: second, sequence: 2, reason: .stopped), .init(version: first, sequence: 1, reason: .chosen),
        ]
        let explanation = try await catalogue.explain(shop, for: DeviceVersions())
        #expect(explanation == ReleaseExplanation(package: shop, verdicts: verdicts))
        #expect(try await catalogue.explain(shop, for: DeviceVersions(failed: [first])).version == nil)
        #expect(try await catalogue.explain(PackageID("none"), for: DeviceVersions()).verdicts == [])
        #expect(repository.server.takeNames() == [])
    }

    // MARK: Packages

    @Test("A catalogue lists all packages, also those that the device does not get, with URLs that stay the same")
    mutating func packages() async throws {
        repository.addRelease("1", 1, ["scope": "https://shop.example/old/"])
        repository.addRelease("2", 2, ["channels": ["beta"], "scope": "https://shop.example/new/"])
        repository.addRelease("1", 1, of: "help", ["stopped": true])
        repository.addTarget("other/1.json", "no release")
        try repository.publishReleases()
        let catalogue = makeCatalogue()
        #expect(catalogue.primaryURL == TestServer.url && catalogue.mirrorURL == nil)
        #expect(catalogue.signedManifests != nil)
        let first = try await catalogue.catalogue(at: catalogue.primaryURL, load: load)
        let help = PackageCatalogue.Entry(
            package: try PackageID("help"), manifestURL: "https://updates.example/targets/help.json",
            scope: try PackageBaseURL("https://help.example/"))
        let entry = PackageCatalogue.Entry(
            package: shop, manifestURL: "https://updates.example/targets/shop.json",
            scope: try PackageBaseURL("https://shop.example/new/"))
        #expect(first.packages == [help, entry])
        #expect(first.sequence == Int64(repository["snapshot"]["version"].integer))
        repository.addRelease("3", 3, of: "help", ["channels": []])
        try repository.publishReleases()
        let second = try await catalogue.catalogue(at: catalogue.primaryURL, load: load)
        #expect(second.packages == first.packages && second.sequence == first.sequence + 1)
        // A package that is listed no more is missing.
        repository["targets"]["targets"]["help/1.json"] = .missing
        repository["targets"]["targets"]["help/3.json"] = .missing
        try repository.publishReleases()
        #expect(try await catalogue.catalogue(at: catalogue.primaryURL, load: load).packages == [entry])
    }

    /// A fault of the package `shop`.
    enum Fault: CaseIterable { case badRelease, shortDigest, largeTarget, longMetadata, otherKeys }

    @Test("A fault of one package does not block others, and does not remove the package", arguments: Fault.allCases)
    mutating func fault(of fault: Fault) async throws {
        repository.delegate("team", ["paths": ["shop/*"]])
        repository.addRelease("1", 1, to: "team")
        repository.addRelease("1", 1, of: "help")
        try repository.publishReleases("team")
        // The first catalogue of each device knows no earlier metadata of the team.
        switch fault {
        case .badRelease: repository.addRelease("1", 1, to: "team", ["share": 1_001])
        case .shortDigest: repository.addRelease("1", 1, to: "team", digests: ["sha512"])
        case .largeTarget: repository["team"]["targets"]["shop/1.json"]["length"] = .number(1 << 40)
        case .longMetadata: repository["team"]["custom"] = .string(String(repeating: "x", count: 5_000_000))
        case .otherKeys: repository.signers["team"] = [.ed25519()]
        }
        try repository.publishReleases("team")
        let catalogue = makeCatalogue()
        let limited: DocumentLoading = { [load] url, maxBytes in
            let document = try await load(url, maxBytes)
            guard document.map({ $0.count <= maxBytes }) ?? true else { throw PackageError(.tooLarge, "long", at: url) }
            return document
        }
        let list = try await catalogue.catalogue(at: TestServer.url, load: limited).packages
        #expect(list.map(\.package.description) == ["help", "shop"])
        let code: TrustError.Code =
            switch fault {
            case .badRelease, .shortDigest: .badMetadata
            case .largeTarget, .longMetadata: .tooLarge
            case .otherKeys: .unsigned
            }
        #expect(try await failure { try await manifest(catalogue) } == code)
        #expect(try await failure { try await catalogue.explain(shop, for: DeviceVersions()) } == code)
        #expect(try await manifest(catalogue, of: "help") != nil)
    }

    @Test("A package of a team whose metadata has expired stays listed, but is not updated")
    mutating func expiredTeam() async throws {
        repository.delegate("team", ["paths": ["shop/*"]])
        repository.addRelease("1", 1, to: "team")
        repository.addRelease("1", 1, of: "help")
        repository["team"]["expires"] = "2025-01-01T01:00:00Z"
        try repository.publishReleases("team")
        let catalogue = makeCatalogue()
        let list = try await catalogue.catalogue(at: TestServer.url, load: load).packages
        #expect(list.map(\.package.description) == ["help", "shop"])
        #expect(try await manifest(catalogue) != nil)
        time.advance(by: 3_600)
        for catalogue in [catalogue, makeCatalogue()] {
            let packages = try await catalogue.catalogue(at: TestServer.url, load: load).packages
            #expect(packages.map(\.package) == list.map(\.package))
            #expect(try await failure { try await manifest(catalogue) } == .expired)
            #expect(try await manifest(catalogue, of: "help") != nil)
        }
    }

    @Test("A manifest has the location, the length, the digest and the scope of its release", arguments: [true, false])
    func signedManifest(isConsistent: Bool) async throws {
        var repository = try TestRepository(consistentSnapshot: isConsistent)
        repository.addRelease("1", 7, digests: ["sha256", "sha512"], ["scope": "https://shop.example/app/"])
        try repository.publishReleases()
        let (server, content) = (repository.server, Data("shop 1".utf8))
        let root = server.documents["1.root.json"]
        let name = isConsistent ? "\(digest("sha256", of: content)).7.json" : "7.json"
        let expected = SignedManifest(
            url: "https://updates.example/targets/shop/\(name)", byteCount: 6, sha256: SHA256Digest(of: content),
            version: try PackageVersion("1"), scope: try PackageBaseURL("https://shop.example/app/"))
        for url in [Self.targetsURL, Self.targetsURL + "/"] {
            let catalogue = makeCatalogue(root: root, targetsURL: url)
            let manifest = try await catalogue.manifest(of: shop, for: DeviceVersions()) { try server.load($0, $1) }
            #expect(manifest == expected)
        }
    }
}
