// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import PackageFormat
import Testing

@testable import TrustedPublishing

/// The removal of metadata that no client needs.
struct PruningTests {
    let publisher: TestPublisher
    let team = SigningKey(generating: .ed25519)

    init() throws {
        publisher = try TestPublisher()
        var update = try publisher.update(publisher.root + [publisher.targets, publisher.online])
        try update.stageRoot([:])
        try update.signRoot()
        try publisher.apply(update.rootSteps().steps)
        try publisher.delegate(to: [team])
        for version in ["1.0", "2.0", "3.0"] {
            try publisher.publish(version, in: "shop", by: [team, publisher.online])
        }
    }

    private var names: Set<String> {
        get throws { Set(try publisher.folder.files(in: "repository/metadata")) }
    }

    private func path(_ name: String) -> String { "\(publisher.path)/metadata/\(name)" }

    private func prune(since former: RepositoryState) throws -> [String] {
        try RepositoryFolder(changing: publisher.path).removeSupersededMetadata(since: former)
    }

    @Test("All roots, and the metadata of the current and of the former timestamp remain")
    func generations() throws {
        let former = try publisher.state()
        #expect(former.snapshot?.version == 5 && former.targets["targets"]?.version == 2)
        try publisher.publish("4.0", in: "shop", by: [team, publisher.online])
        let before = try names
        let removed = try prune(since: former)
        let remaining: Set = [
            "1.root.json", "2.root.json", "timestamp.json", "5.snapshot.json", "6.snapshot.json", "2.targets.json",
            "3.shop.json", "4.shop.json",
        ]
        #expect(try names == remaining)
        #expect(removed == before.subtracting(remaining).sorted().map { "metadata/\($0)" } && removed.count == 7)
        #expect(try publisher.state().releases().count == 4)
        // The chain of roots leads to the present one.
        let root = try Data(contentsOf: URL(fileURLWithPath: path("1.root.json")))
        #expect(try RepositoryFolder(reading: publisher.path).state(trusting: root).root?.version == 2)
        #expect(try prune(since: former).isEmpty)
    }

    @Test("Without a later timestamp, the metadata that it announces remains")
    func unchanged() throws {
        let former = try publisher.state()
        // A change that is killed before the timestamp.
        let (release, files) = try publisher.release("4.0", sequence: 9)
        var update = try publisher.update([team, publisher.online])
        update.insert(release, in: "shop")
        let steps = try files + update.steps()
        try publisher.apply(steps, until: steps.count - 1)
        _ = try prune(since: former)
        #expect(
            try names == [
                "1.root.json", "2.root.json", "timestamp.json", "5.snapshot.json", "6.snapshot.json",
                "2.targets.json", "3.shop.json", "4.shop.json",
            ])
        #expect(try publisher.state().snapshot?.version == 5)
    }

    @Test("All versions of a role whose metadata is damaged remain")
    func damagedRole() throws {
        try publisher.apply([.write(path: "metadata/3.shop.json", bytes: Data("{".utf8))])
        let former = try publisher.state()
        #expect(former.damagedRoles.keys.sorted() == ["shop"])
        let (release, files) = try publisher.release("1.0", of: "blog", sequence: 9)
        var update = try publisher.update()
        update.insert(release, in: "targets")
        try publisher.apply(files + update.steps())
        let snapshots = (1...4).map { "metadata/\($0).snapshot.json" }
        #expect(try prune(since: former) == (snapshots + ["metadata/1.targets.json"]).sorted())
        #expect(try names.isSuperset(of: ["1.shop.json", "2.shop.json", "3.shop.json"]))
    }

    @Test("Files that are no signed metadata of the role and the version in their name remain")
    func foreignFiles() throws {
        let manager = FileManager.default
        func copy(_ name: String, to other: String) throws {
            try? manager.removeItem(atPath: path(other))
            try manager.copyItem(atPath: path(name), toPath: path(other))
        }
        // Other names: a number in another form, a role that is not announced, and later versions.
        try copy("2.shop.json", to: "02.shop.json")
        try copy("2.shop.json", to: "+2.shop.json")
        try copy("2.shop.json", to: "2.pay.json")
        try copy("2.shop.json", to: "2.shop.json.bak")
        try copy("4.snapshot.json", to: "9.snapshot.json")
        // Other content: no metadata, another version, another role, no signatures, and a link.
        try copy("1.snapshot.json", to: "1.shop.json")
        try publisher.apply([.write(path: "metadata/1.snapshot.json", bytes: Data("{}".utf8))])
        try copy("3.snapshot.json", to: "2.snapshot.json")
        var unsigned = try MetadataDocument(
            decoding: Data(contentsOf: URL(fileURLWithPath: path("4.snapshot.json"))), of: "snapshot")
        unsigned.signed["x"] = .null
        try publisher.apply([.write(path: "metadata/4.snapshot.json", bytes: unsigned.bytes)])
        try manager.moveItem(atPath: path("2.shop.json"), toPath: publisher.folder.path + "/shop")
        try manager.createSymbolicLink(
            atPath: path("2.shop.json"), withDestinationPath: publisher.folder.path + "/shop")

        let former = try publisher.state()
        let before = try names
        #expect(try prune(since: former) == ["metadata/1.targets.json", "metadata/3.snapshot.json"])
        #expect(try names == before.subtracting(["1.targets.json", "3.snapshot.json"]))
    }
}
