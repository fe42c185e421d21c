// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import PackageFormat
import Testing
import WebSyntax

@testable import TrustedPublishing

/// Repositories that others have changed: what they have written is not signed.
struct HostileRepositoryTests {
    let publisher: TestPublisher
    let team = SigningKey(generating: .ed25519)
    let thief = SigningKey(generating: .ed25519)

    init() throws {
        publisher = try TestPublisher()
    }

    private func code<Value>(
        _ body: () throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
    ) -> PublishingError.Code? {
        #expect(throws: PublishingError.self, sourceLocation: sourceLocation) { _ = try body() }?.code
    }

    /// Returns a target that is a release of a package.
    private func target(_ version: String, of package: String = "shop", sequence: Int64 = 99) throws -> JSONValue {
        try publisher.release(version, of: package, sequence: sequence).0.value
    }

    // MARK: Roots

    /// Writes a changed root as the one that waits, signed by the keys.
    private func plant(_ root: MetadataDocument, after version: Int64 = 1, by keys: [SigningKey]) throws {
        var root = root
        root.signed["x-thief"] = .bool(true)
        try root.renew(until: TestPublisher.now, after: version)
        for key in keys { try root.sign(by: key) }
        try publisher.apply([.write(path: "metadata/root.next.json", bytes: root.bytes)])
    }

    private func rotate(_ roles: [String: RoleKeys], by keys: [SigningKey]) throws {
        var update = try publisher.update(publisher.root + keys)
        try update.stageRoot(roles)
        try update.signRoot()
        let (steps, obstacle) = try update.rootSteps()
        #expect(obstacle == nil)
        try publisher.apply(steps)
    }

    @Test("A waiting root that no key of the current root has signed is refused")
    func plantedRoot() throws {
        let root = try publisher.state().publishedRoot
        for keys in [[], [thief], [publisher.targets, publisher.online]] {
            try plant(root, by: keys)
            let error = #expect(throws: PublishingError.self) { try publisher.state() }
            #expect(error?.code == .unsigned && error?.location?.hasSuffix("metadata/root.next.json") == true)
            #expect(code { try RepositoryFolder(reading: publisher.path).state(trusting: root.bytes) } == .unsigned)
        }
        // Clients ask for the next version only.
        try plant(root, after: 2, by: [publisher.root[0]])
        #expect(code { try publisher.state() } == .badMetadata)

        try plant(root, by: [publisher.root[0]])
        var update = try publisher.update(publisher.root)
        #expect(update.state.stagedRoot?.version == 2)
        // The next root does not continue one that waits.
        #expect(code { try update.stageRoot([:]) } == .exists)
    }

    @Test("Keys of the next root alone begin no root")
    func keysOfNextRoot() throws {
        var update = try publisher.update([thief])
        try update.stageRoot(["root": RoleKeys([thief.publicKey], threshold: 1, of: "root")])
        #expect(code { try update.signRoot() } == .unsigned)
    }

    @Test("A waiting root that is not newer than the published one is ignored, and removed by the next one")
    func staleRoot() throws {
        for version in [Int64(0), 1] {
            if version == 1 { try rotate([:], by: []) }
            try plant(publisher.state().publishedRoot, after: version, by: [publisher.root[0]])
            let state = try publisher.state()
            #expect(state.root?.version == version + 1 && state.stagedRoot == nil)
            var update = try publisher.update(publisher.root)
            #expect(code { try update.signRoot() } == .notFound)
        }
        try rotate([:], by: [])
        #expect(try publisher.state().root?.version == 3)
        #expect(try !publisher.folder.files(in: "repository/metadata").contains("root.next.json"))
    }

    @Test("With a trusted root, metadata of the former online key is refused")
    func formerOnlineKey() throws {
        let trusted = try publisher.state().publishedRoot.bytes
        let keys = try RoleKeys([thief.publicKey], threshold: 1, of: "online")
        try rotate(["snapshot": keys, "timestamp": keys], by: [thief])
        let folder = try RepositoryFolder(reading: publisher.path)
        #expect(try folder.state(trusting: trusted).root?.version == 2)
        // The key that was replaced signs.
        try publisher.forge("targets", by: [publisher.targets]) { _ in }
        #expect(code { try folder.state(trusting: trusted) } == .unsigned)
        // A local folder can be in this state after a kill.
        #expect(try folder.state().targets["targets"]?.version == 2)
    }

    // MARK: Delegated roles

    @Test("Metadata that the keys of the delegation have not signed is signed again only by its name")
    func forgedRole() throws {
        try publisher.delegate(to: [team])
        try publisher.publish("1.0", in: "shop", by: [team, publisher.online])
        let (forged, invalid) = (try target("6.6"), JSONValue.members(["custom": .members(["containerkit": .null])]))
        try publisher.forge("shop", by: [thief]) { signed in
            signed["targets"]?["shop/6.6.json"] = forged
            signed["targets"]?["shop/0.json"] = invalid
            signed["delegations"] = .members(["keys": .object([:]), "roles": .array([])])
        }
        let shop = try PackageID("shop")
        var state = try publisher.state()
        #expect(try state.unverifiedRoles == ["shop"] && state.releases().isEmpty)
        #expect(code { try state.release(shop, PackageVersion("1.0")) } == .unsigned)
        #expect(code { try state.role(of: shop, publishing: PackageBaseURL("https://shop.example/")) } == .unsigned)

        let keys = [team, publisher.targets, publisher.online]
        let (release, _) = try publisher.release("2.0", sequence: 100)
        var update = try publisher.update(keys)
        update.insert(release, in: "shop")
        #expect(code { try update.steps() } == .unsigned)

        func version() throws -> Int64? { try publisher.state().targets["shop"]?.version }
        update = try publisher.update(keys)
        update.renew()
        try publisher.apply(update.steps())
        try rotate([:], by: keys)
        try publisher.delegate(to: [team], scope: "https://shop.example/")
        #expect(try version() == 2 && publisher.state().unverifiedRoles == ["shop"])
        // Without the keys of the delegation nothing is written.
        update = try publisher.update([publisher.targets, publisher.online])
        _ = try update.resign("shop")
        #expect(code { try update.steps() } == .unsigned)

        update = try publisher.update([team, publisher.online])
        #expect(code { try update.resign("targets") } == .notFound)
        #expect(code { try update.resign("other") } == .notFound)
        #expect(try update.resign("shop") == ["delegations", "shop/0.json"])
        let signed = ["6.6", "1.0"]
        #expect(try update.state.releases().map { "\($0.release.version)" } == signed)
        try publisher.apply(update.steps())
        state = try publisher.state()
        #expect(try state.unverifiedRoles.isEmpty && state.releases().map { "\($0.release.version)" } == signed)
        #expect(state.targets["shop"]?.signed["delegations"] == nil && state.targets["shop"]?.version == 3)
    }

    @Test("A team lists releases of its package only, and its invalid releases do not concern others")
    func foreignReleases() throws {
        try publisher.delegate(to: [team])
        try publisher.publish("1.0", in: "targets", by: [publisher.targets, publisher.online])
        try publisher.publish("2.0", in: "shop", by: [team, publisher.online])
        let last = PackageManifest.sequences.upperBound
        let foreign = try target("6.6", of: "pay", sequence: last)
        let deep = try target("7.7", sequence: last)
        var invalid = deep
        invalid["hashes"]?["sha256"] = .string("../x")
        try publisher.forge("shop", by: [team]) { signed in
            signed["targets"]?["pay/6.6.json"] = foreign
            signed["targets"]?["shop/a/7.7.json"] = deep
            signed["targets"]?["shop/8.8.json"] = invalid
        }
        let state = try publisher.state()
        #expect(state.unverifiedRoles.isEmpty)
        #expect(try state.releases().map { "\($0.release.version)" } == ["2.0", "1.0"])
        #expect(try state.nextSequence(of: PackageID("pay")) < 20)

        try publisher.forge("targets", by: [publisher.targets]) { $0["targets"]?["pay/8.8.json"] = invalid }
        #expect(code { try publisher.state().releases() } == .badMetadata)
    }

    @Test(
        "Metadata of a team that cannot be read stops changes of its package only",
        arguments: ["{", "{}", nil, #"{"signed":{"version":1,"expires":"2031-01-01T00:00:00Z"},"signatures":[]}"#])
    func damagedRole(text: String?) throws {
        try publisher.delegate(to: [team])
        try publisher.publish("1.0", in: "shop", by: [team, publisher.online])
        let path = "metadata/1.shop.json"
        try publisher.apply([text.map { .write(path: path, bytes: Data($0.utf8)) } ?? .remove(path: path)])
        let shop = try PackageID("shop")
        var state = try publisher.state()
        let announced = try #require(state.snapshot?.signed["meta"]?["shop.json"])
        #expect(state.damagedRoles.keys.sorted() == ["shop"])
        let error = try #require(state.damagedRoles["shop"])
        #expect(error.code == .badMetadata && error.location == "\(publisher.path)/\(path)")
        #expect(!error.message.contains("\n"))
        #expect(code { try state.release(shop, PackageVersion("1.0")) } == .badMetadata)
        #expect(code { try state.role(of: shop, publishing: PackageBaseURL("https://shop.example/")) } == .badMetadata)

        // No new first version replaces the metadata that cannot be read.
        let keys = [team, publisher.targets, publisher.online]
        var update = try publisher.update(keys)
        update.insert(try publisher.release("2.0", sequence: 99).0, in: "shop")
        #expect(code { try update.steps() } == .badMetadata)
        update = try publisher.update(keys)
        #expect(code { try update.resign("shop") } == .badMetadata)

        let (release, files) = try publisher.release("1.0", of: "blog", sequence: 5)
        update = try publisher.update(keys)
        update.insert(release, in: "targets")
        try publisher.apply(files + update.steps())
        update = try publisher.update(keys)
        update.renew()
        try publisher.apply(update.steps())
        state = try publisher.state()
        #expect(try state.releases().map { "\($0.release.package)" } == ["blog"])
        #expect(state.snapshot?.signed["meta"]?["shop.json"] == announced)
        #expect(state.snapshot?.version == 5)
    }

    @Test("Releases of a team that are not valid are removed, and its other targets stay")
    func invalidReleases() throws {
        try publisher.delegate(to: [team])
        try publisher.publish("1.0", in: "shop", by: [team, publisher.online])
        let shop = try PackageID("shop")
        var update = try publisher.update([team, publisher.online])
        #expect(update.removeInvalidReleases(of: shop).isEmpty)
        var invalid = try target("2.0")
        invalid["custom"]?["containerkit"]?["share"] = .integer(-1)
        try publisher.forge("shop", by: [team]) { signed in
            for path in ["shop/2.0.json", "pay/2.0.json"] { signed["targets"]?[path] = invalid }
            signed["targets"]?["shop/text"] = .members([:])
        }
        update = try publisher.update([team, publisher.online])
        #expect(try update.removeInvalidReleases(of: PackageID("pay")).isEmpty)
        #expect(update.removeInvalidReleases(of: shop) == ["shop/2.0.json"])
        try publisher.apply(update.steps())
        let targets = try #require(try publisher.state().targets["shop"]?.signed["targets"])
        #expect(targets.members.keys.map(\.text).sorted() == ["pay/2.0.json", "shop/1.0.json", "shop/text"])
    }

    @Test("A new release lies below the scope of the delegation")
    func scope() throws {
        try publisher.delegate(to: [team], scope: "https://shop.example/a/")
        let (state, shop) = (try publisher.state(), try PackageID("shop"))
        #expect(try state.role(of: shop, publishing: PackageBaseURL("https://shop.example/a/b/")) == "shop")
        #expect(code { try state.role(of: shop, publishing: PackageBaseURL("https://shop.example/")) } == .badValue)
        #expect(try state.role(of: PackageID("pay"), publishing: PackageBaseURL("https://pay.example/")) == "targets")
    }

    // MARK: Values

    @Test("Releases with values that clients refuse are not valid")
    func values() throws {
        try publisher.publish("1.0", in: "targets", by: [publisher.targets, publisher.online])
        var state = try publisher.state()
        let document = try #require(state.targets["targets"])
        let digest = try #require(document.signed["targets"]?["shop/1.0.json"]?["hashes"]?["sha256"]?.text)
        func releases(_ edit: (inout JSONValue) -> Void) throws -> [RepositoryState.Listed] {
            var changed = document
            var targets = document.signed["targets"] ?? .null
            var target = targets["shop/1.0.json"] ?? .null
            edit(&target)
            targets["shop/1.0.json"] = target
            changed.signed["targets"] = targets
            state.targets["targets"] = changed
            return try state.releases()
        }
        for text in ["../../x", "", String(digest.dropLast()), digest.uppercased(), digest + "0"] {
            #expect(code { try releases { $0["hashes"]?["sha256"] = .string(text) } } == .badMetadata, "\(text)")
        }
        #expect(code { try releases { $0["length"] = .integer(-1) } } == .badMetadata)
        for (name, value) in [
            ("sequence", .integer(0)), ("sequence", .integer(-1)), ("sequence", .integer(.max)),
            ("sequence", .integer(PackageManifest.sequences.upperBound + 1)), ("version", .string("../1")),
            ("share", .integer(-1)), ("share", .integer(1_001)), ("share", .string("1")), ("stopped", .integer(1)),
            ("channels", .string("beta")), ("channels", .array([.integer(1)])), ("minHost", .integer(1)),
            ("start", .string("now")), ("scope", .string("ftp://shop.example/")),
        ] as [(String, JSONValue)] {
            #expect(
                code { try releases { $0["custom"]?["containerkit"]?[name] = value } } == .badMetadata,
                "\(name) \(value)")
        }
        let last = PackageManifest.sequences.upperBound
        #expect(try releases { $0["custom"]?["containerkit"]?["sequence"] = .integer(last) }.count == 1)
        #expect(code { try state.nextSequence(of: PackageID("shop")) } == .badValue)
    }

    @Test("Versions and numbers after which none follows are refused")
    func lastNumbers() throws {
        let shop = try PackageID("shop")
        for version in [PackageManifest.sequences.upperBound, Int64.max - 1] {
            var state = try publisher.state()
            state.snapshot?.signed["version"] = .integer(version)
            #expect(code { try state.nextSequence(of: shop) } == .badValue)
        }
        var state = try publisher.state()
        state.targets["targets"]?.signed["version"] = .integer(.max - 1)
        var update = RepositoryUpdate(
            state, keys: [publisher.targets, publisher.online], now: TestPublisher.now, lifetimes: Lifetimes())
        update.renew()
        #expect(code { try update.steps() } == .badValue)
    }

    // MARK: Files

    @Test("Paths stay below the folder of the repository")
    func paths() throws {
        let first = RepositoryStep.write(path: "targets/first", bytes: Data())
        for path in ["", "/x", "metadata/", "metadata//x", "./x", "../x", "metadata/../x", "targets/.."] {
            for step in [
                .write(path: path, bytes: Data()), .remove(path: path), .link(from: "targets/first", path: path),
                .link(from: path, path: "targets/x"), .move(from: publisher.folder.path + "/none", path: path),
            ] as [RepositoryStep] {
                #expect(code { try publisher.apply([first, step]) } == .badValue, "\(step)")
            }
        }
        #expect(try publisher.folder.files(in: "repository/targets").isEmpty)
        let document = MetadataDocument(new: "../a", type: "targets", members: [:])
        #expect(RepositoryStep.write(document).path == "metadata/0...%2Fa.json")
    }

    @Test("Symbolic links below the folder are not followed")
    func links() throws {
        let manager = FileManager.default
        let outside = publisher.folder.path + "/outside"
        try manager.createDirectory(atPath: outside, withIntermediateDirectories: false)
        try publisher.folder.write("outside/kept", "kept".utf8)
        try manager.createSymbolicLink(atPath: publisher.path + "/targets/shop", withDestinationPath: outside)
        #expect(code { try publisher.apply([.write(path: "targets/shop/x", bytes: Data())]) } == .io)
        #expect(code { try publisher.apply([.link(from: "targets/shop/kept", path: "targets/y")]) } == .io)
        try publisher.apply([.remove(path: "targets/shop/kept")])
        #expect(try publisher.folder.files(in: "outside") == ["kept"])
        try manager.createSymbolicLink(atPath: publisher.path + "/targets/z", withDestinationPath: outside + "/kept")
        #expect(code { try publisher.apply([.link(from: "targets/z", path: "targets/y")]) } == .io)

        try manager.removeItem(atPath: publisher.path + "/targets")
        try manager.createSymbolicLink(atPath: publisher.path + "/targets", withDestinationPath: outside)
        #expect(code { try RepositoryFolder(changing: publisher.path) } == .io)
    }

    @Test("An archive is compared with the manifest")
    func archive() throws {
        let release = try publisher.publish("1.0", in: "targets", by: [publisher.targets, publisher.online])
        let folder = try RepositoryFolder(reading: publisher.path)
        let path = "\(publisher.path)/\(release.archivePath)"
        let bytes = try #require(FileManager.default.contents(atPath: path))
        let manifest = """
            {"archive": {"size": 11,
             "sha256": "6725e497268f49d701e776bb4e597e89501b91df4f52dbd2c0c2786ad1e87c38"},
             "baseURL": "https://shop.example/", "files": [], "format": 1, "id": "shop", "version": "1.0"}
            """
        let archive = try #require(try PackageManifest(decoding: Data(manifest.utf8)).archive)
        try folder.verifyArchive(of: release, as: archive)
        for changed in [Data(bytes.reversed()), bytes + bytes, Data()] {
            try changed.write(to: URL(fileURLWithPath: path))
            #expect(code { try folder.verifyArchive(of: release, as: archive) } == .badMetadata)
        }
        try FileManager.default.removeItem(atPath: path)
        #expect(code { try folder.verifyArchive(of: release, as: archive) } == .noInput)
        // A pipe without a writer, which would block.
        #expect(mkfifo(path, 0o600) == 0)
        #expect(code { try folder.verifyArchive(of: release, as: archive) } == .io)
    }
}
