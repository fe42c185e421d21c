// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import PackageFormat
import Testing

@testable import TrustedPublishing

/// The metadata of a repository, and the order in which it is written.
struct RepositoryTests {
    let publisher: TestPublisher

    init() throws {
        publisher = try TestPublisher()
    }

    private func code<Value>(
        _ body: () throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
    ) -> PublishingError.Code? {
        #expect(throws: PublishingError.self, sourceLocation: sourceLocation) { _ = try body() }?.code
    }

    @Test("A new repository has all roles with their default lifetimes, and files that all users can read")
    func first() throws {
        let files = ["1.root.json", "1.snapshot.json", "1.targets.json", "timestamp.json"]
        #expect(try publisher.folder.files(in: "repository/metadata") == files)
        for name in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(publisher.path)/metadata/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o644, "\(name)")
        }
        let state = try publisher.state()
        let documents = [try state.publishedRoot, state.timestamp, state.snapshot, state.targets["targets"]]
            .compactMap(\.self)
        #expect(documents.map(\.name) == ["root", "timestamp", "snapshot", "targets"])
        #expect(documents.map { $0.expires.timeIntervalSince(TestPublisher.now) / 86_400 } == [365, 7, 30, 90])
        #expect(try state.keys(of: "root").threshold == 2)
    }

    @Test("A release is read as it was written, and unknown members stay")
    func release() throws {
        let (release, files) = try publisher.release("1.0", sequence: 2)
        var update = try publisher.update()
        update.insert(release, in: "targets")
        try publisher.apply(files + update.steps())
        var listed = try #require(try publisher.state().releases().first)
        #expect(listed.role == "targets" && listed.release.path == "shop/1.0.json")
        #expect(listed.release.manifestSHA256 == release.manifestSHA256)
        #expect(try publisher.state().nextSequence(of: release.package) == 3)

        // Another program adds members.
        var state = try publisher.state()
        var document = try #require(state.targets["targets"])
        document.signed["x-team"] = .string("web")
        var targets = document.signed["targets"] ?? .null
        targets["shop/1.0.json"]?["custom"]?["x-note"] = .integer(7)
        document.signed["targets"] = targets
        state.targets["targets"] = document
        listed = try #require(try state.releases().first)
        listed.release.share = 100
        update = RepositoryUpdate(
            state, keys: [publisher.targets, publisher.online], now: TestPublisher.now, lifetimes: Lifetimes())
        update.insert(listed.release, in: "targets")
        try publisher.apply(update.steps())
        let signed = try #require(try publisher.state().targets["targets"]?.signed)
        #expect(signed["x-team"] == .string("web"))
        let target = signed["targets"]?["shop/1.0.json"]
        #expect(target?["custom"]?["x-note"] == .integer(7))
        #expect(target?["custom"]?["containerkit"]?["share"] == .integer(100))
        #expect(signed["version"] == .integer(3))
    }

    @Test("Numbers of releases rise, also after the removal of all releases")
    func sequences() throws {
        var last: Int64 = 0
        for version in ["1", "2"] {
            let number = try publisher.state().nextSequence(of: PackageID("shop"))
            #expect(number > last)
            last = number
            let (release, files) = try publisher.release(version, sequence: number)
            var update = try publisher.update()
            update.insert(release, in: "targets")
            try publisher.apply(files + update.steps())
            update = try publisher.update()
            for listed in try publisher.state().releases() { update.remove(listed) }
            try publisher.apply(update.steps())
            #expect(try publisher.state().releases().isEmpty)
        }
    }

    @Test("A publication that is killed before any step leaves the old repository, and the next one succeeds")
    func interruption() throws {
        let (first, _) = try publisher.release("1.0", sequence: 2)
        var update = try publisher.update()
        update.insert(first, in: "targets")
        let count = try update.steps().count + 2
        #expect(count == 5)
        for end in 0..<count {
            let (release, files) = try publisher.release("1.\(end)", sequence: 2)
            var update = try publisher.update()
            update.insert(release, in: "targets")
            let steps = try files + update.steps()
            #expect(steps.last?.path == "metadata/timestamp.json")
            try publisher.apply(steps, until: end)
            #expect(try publisher.state().releases().isEmpty)
            #expect(try publisher.state().timestamp?.version == 1)
        }
        let (release, files) = try publisher.release("2.0", sequence: 2)
        update = try publisher.update()
        update.insert(release, in: "targets")
        try publisher.apply(files + update.steps())
        #expect(try publisher.state().releases().map(\.release.path) == ["shop/2.0.json"])
    }

    @Test("A rotation that is killed at any step leaves a repository that the next command continues")
    func interruptedRotation() throws {
        let new = SigningKey(generating: .ed25519)
        // Without the former key, the root is before the timestamp; with it, after the timestamp.
        for (former, last) in [([], "metadata/timestamp.json"), ([publisher.targets], "metadata/2.root.json")] {
            let publisher = try TestPublisher()
            let keys = publisher.root.prefix(2) + [new, publisher.online] + (former.isEmpty ? [] : [publisher.targets])
            func steps() throws -> [RepositoryStep] {
                var update = try publisher.update(Array(keys))
                try update.stageRoot(["targets": RoleKeys([new.publicKey], threshold: 1, of: "targets")])
                try update.signRoot()
                let (steps, obstacle) = try update.rootSteps()
                #expect(obstacle == nil)
                return steps
            }
            let count = try steps().count
            #expect(try steps().dropLast().last?.path == last)
            for end in 0..<count where try publisher.state().root?.version == 1 {
                try publisher.apply(try steps(), until: end)
            }
            // The root is there. Metadata that was not written yet is written by a renewal.
            var update = try publisher.update([new, publisher.online])
            update.renew()
            try publisher.apply(update.steps())
            let state = try publisher.state()
            #expect(try state.targets["targets"]?.isSigned(by: state.keys(of: "targets")) == true)
        }
    }

    @Test("A root waits until its own threshold and that of the former root are met")
    func stagedRoot() throws {
        let new = SigningKey(generating: .ed25519)
        let keys = try RoleKeys(
            [publisher.root[1].publicKey, publisher.root[2].publicKey, new.publicKey], threshold: 3, of: "root")
        var update = try publisher.update([publisher.root[1]])
        try update.stageRoot(["root": keys])
        try update.signRoot()
        var result = try update.rootSteps()
        #expect(result.steps.map(\.path) == ["metadata/root.next.json"] && result.obstacle != nil)
        try publisher.apply(result.steps)
        #expect(try publisher.state().root?.version == 1)

        // The former threshold is met, and the new one is not.
        update = try publisher.update([publisher.root[2]])
        try update.signRoot()
        result = try update.rootSteps()
        #expect(result.obstacle != nil)
        try publisher.apply(result.steps)

        // Keys that are in neither root cannot sign.
        update = try publisher.update([SigningKey(generating: .ed25519)])
        #expect(code { try update.signRoot() } == .unsigned)

        update = try publisher.update([new])
        try update.signRoot()
        result = try update.rootSteps()
        #expect(result.obstacle == nil)
        try publisher.apply(result.steps)
        let state = try publisher.state()
        #expect(state.root?.version == 2 && state.stagedRoot == nil)
        #expect(try state.keys(of: "root") == keys)
        #expect(state.root?.signed["keys"]?.members.count == 5)
    }

    @Test("A root with new keys of a role waits until they can sign the metadata of the role")
    func rootWithoutMetadata() throws {
        let new = SigningKey(generating: .ed25519)
        var update = try publisher.update(publisher.root)
        try update.stageRoot(["targets": RoleKeys([new.publicKey], threshold: 1, of: "targets")])
        try update.signRoot()
        let result = try update.rootSteps()
        #expect(result.obstacle?.contains("targets") == true)
        try publisher.apply(result.steps)
        update = try publisher.update([publisher.root[0], new, publisher.online])
        try update.signRoot()
        #expect(try update.rootSteps().obstacle == nil)
    }

    @Test("Without the keys of a role nothing is written")
    func missingKeys() throws {
        let (release, _) = try publisher.release("1.0", sequence: 2)
        for keys in [[publisher.online], [publisher.targets], publisher.root] {
            var update = try publisher.update(keys)
            update.insert(release, in: "targets")
            #expect(code { try update.steps() } == .unsigned)
        }
        var update = try publisher.update(publisher.root)
        update.renew()
        #expect(code { try update.steps() } == .unsigned)
    }

    @Test("A renewal signs the roles of the keys only")
    func renewal() throws {
        var lifetimes = Lifetimes()
        lifetimes.set(1, for: "timestamp")
        var update = try publisher.update([publisher.online], lifetimes: lifetimes)
        update.renew()
        try publisher.apply(update.steps())
        let state = try publisher.state()
        #expect(state.timestamp?.version == 2 && state.snapshot?.version == 2)
        #expect(state.targets["targets"]?.version == 1)
        #expect(state.timestamp?.expires == TestPublisher.now.addingTimeInterval(86_400))
    }

    @Test("A team signs the releases of its package, and others cannot")
    func delegation() throws {
        let team = SigningKey(generating: .p384)
        let package = try PackageID("shop")
        let keys = try RoleKeys([team.publicKey], threshold: 1, of: "shop")
        let scope = try PackageBaseURL("https://shop.example/")
        var update = try publisher.update()
        try update.insert(PackageDelegation(of: package, to: keys, scope: scope))
        try publisher.apply(update.steps())
        var state = try publisher.state()
        #expect(state.role(of: package) == "shop" && state.scope(of: "shop") == "https://shop.example/")
        #expect(try state.role(of: PackageID("shop2")) == "targets")

        let (release, files) = try publisher.release("1.0", sequence: 3)
        update = try publisher.update()
        update.insert(release, in: "shop")
        #expect(code { try update.steps() } == .unsigned)
        update = try publisher.update([team, publisher.online])
        update.insert(release, in: "shop")
        try publisher.apply(files + update.steps())
        state = try publisher.state()
        #expect(try state.releases().map(\.role) == ["shop"])
        #expect(state.targets["targets"]?.version == 2 && state.targets["shop"]?.version == 1)

        // Other keys replace those of the team. Its metadata waits for a signature, and others publish meanwhile.
        let next = SigningKey(generating: .ed25519)
        update = try publisher.update()
        try update.insert(
            PackageDelegation(of: package, to: RoleKeys([next.publicKey], threshold: 1, of: "shop"), scope: nil))
        try publisher.apply(update.steps())
        state = try publisher.state()
        #expect(state.scope(of: "shop") == nil && state.delegatedRoles == ["shop"])
        #expect(try state.targets["shop"]?.isSigned(by: state.keys(of: "shop")) == false)
        #expect(state.unverifiedRoles == ["shop"])
        update = try publisher.update([next, publisher.online])
        #expect(try update.resign("shop").isEmpty)
        try publisher.apply(update.steps())
        state = try publisher.state()
        #expect(try state.targets["shop"]?.isSigned(by: state.keys(of: "shop")) == true)
        #expect(try state.unverifiedRoles.isEmpty && state.releases().map(\.role) == ["shop"])
        #expect(state.targets["targets"]?.signed["delegations"]?["keys"]?.members.count == 1)
    }

    @Test("Names of top-level roles and more delegations than clients accept are refused")
    func delegationLimits() throws {
        let keys = try RoleKeys([publisher.targets.publicKey], threshold: 1, of: "team")
        for name in ["root", "Targets"] {
            #expect(code { try PackageDelegation(of: PackageID(name), to: keys, scope: nil) } == .badValue)
        }
        var update = try publisher.update()
        for number in 0..<RepositoryUpdate.maxDelegations {
            try update.insert(PackageDelegation(of: PackageID("p\(number)"), to: keys, scope: nil))
        }
        try update.insert(PackageDelegation(of: PackageID("p0"), to: keys, scope: nil))
        #expect(code { try update.insert(PackageDelegation(of: PackageID("q"), to: keys, scope: nil)) } == .badValue)
    }

    @Test("Thresholds that cannot be reached, and keys that are listed twice, are refused")
    func roleKeys() {
        let key = publisher.targets.publicKey
        #expect(code { try RoleKeys([key], threshold: 2, of: "role") } == .badValue)
        #expect(code { try RoleKeys([key], threshold: 0, of: "role") } == .badValue)
        #expect(code { try RoleKeys([key, key], threshold: 1, of: "role") } == .badValue)
    }

    @Test("Metadata that other keys have signed, or that is not announced, is refused")
    func verification() throws {
        func change(_ name: String, _ body: (inout MetadataDocument) throws -> Void) throws -> TestPublisher {
            let publisher = try TestPublisher()
            let path = "metadata/\(name)"
            let bytes = try RepositoryFolder(reading: publisher.path).bytes(of: path, maxBytes: 1 << 20)
            var document = try MetadataDocument(
                decoding: bytes, of: String(name.split(separator: ".").dropLast().last ?? ""))
            try body(&document)
            try publisher.apply([.write(path: path, bytes: document.bytes)])
            return publisher
        }
        let key = SigningKey(generating: .ed25519)
        #expect(try change("timestamp.json") { try $0.sign(by: key) }.state().timestamp?.version == 1)
        for name in ["timestamp.json", "1.root.json"] {
            let changed = try change(name) { document in
                document.signed["x"] = .null
                try document.sign(by: key)
            }
            #expect(code { try changed.state() } == .unsigned)
        }
        for name in ["1.snapshot.json", "1.targets.json"] {
            let changed = try change(name) { try $0.sign(by: key) }
            #expect(code { try changed.state() } == .badMetadata)
        }
    }

    @Test("One process at a time changes a repository, and others read it")
    func lock() throws {
        var folder: RepositoryFolder? = try RepositoryFolder(changing: publisher.path)
        #expect(folder != nil)
        #expect(code { try RepositoryFolder(changing: publisher.path) } == .inUse)
        #expect(try publisher.state().root != nil)
        folder = nil
        _ = try RepositoryFolder(changing: publisher.path)
        #expect(code { try RepositoryFolder(changing: publisher.folder.path + "/none") } == .noInput)
        #expect(code { try RepositoryFolder(reading: publisher.folder.path) } == .noInput)
    }
}
