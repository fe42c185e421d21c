// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import PackageFormat
import Testing

@testable import TrustedPublishing

/// A repository in a temporary folder with its keys: two of three for root.
struct TestPublisher {
    /// The start of 2030.
    static let now = Date(timeIntervalSince1970: 1_893_456_000)

    let folder: TemporaryFolder
    let root = (0..<3).map { _ in SigningKey(generating: .ed25519) }
    let targets = SigningKey(generating: .p256)
    let online = SigningKey(generating: .ed25519)

    /// The path of the repository.
    var path: String { folder.path + "/repository" }

    /// Creates the repository.
    init() throws {
        folder = try TemporaryFolder()
        let repository = try RepositoryFolder(changing: path, creates: true)
        var update = RepositoryUpdate(
            RepositoryState(), keys: root + [targets, online], now: Self.now, lifetimes: Lifetimes())
        let keys = try RoleKeys([online.publicKey], threshold: 1, of: "online")
        try update.stageRoot([
            "root": RoleKeys(root.map(\.publicKey), threshold: 2, of: "root"),
            "targets": RoleKeys([targets.publicKey], threshold: 1, of: "targets"), "snapshot": keys, "timestamp": keys,
        ])
        try update.signRoot()
        let (steps, obstacle) = try update.rootSteps()
        #expect(obstacle == nil)
        try repository.apply(steps)
    }

    func state() throws -> RepositoryState { try RepositoryFolder(reading: path).state() }

    /// Begins a change by the keys of targets, snapshot and timestamp, or by others.
    func update(_ keys: [SigningKey]? = nil, lifetimes: Lifetimes = Lifetimes()) throws -> RepositoryUpdate {
        RepositoryUpdate(try state(), keys: keys ?? [targets, online], now: Self.now, lifetimes: lifetimes)
    }

    /// Applies steps, in a process that ends before the step with the number.
    func apply(_ steps: [RepositoryStep], until end: Int = .max) throws {
        struct Kill: Error {}
        var count = 0
        do {
            try RepositoryFolder(changing: path).apply(steps) { _ in
                if count == end { throw Kill() }
                count += 1
            }
        } catch is Kill {
            // The rest stays undone.
        }
    }

    /// Delegates the package `shop` to keys.
    func delegate(to keys: [SigningKey], scope: String? = nil) throws {
        var update = try update()
        try update.insert(
            PackageDelegation(
                of: PackageID("shop"), to: RoleKeys(keys.map(\.publicKey), threshold: 1, of: "shop"),
                scope: scope.map { try PackageBaseURL($0) }))
        try apply(update.steps())
    }

    /// Publishes a release of `shop`.
    @discardableResult
    func publish(_ version: String, in role: String, by keys: [SigningKey]) throws -> ReleaseRecord {
        let (release, files) = try release(version, sequence: state().nextSequence(of: PackageID("shop")))
        var update = try update(keys)
        update.insert(release, in: role)
        try apply(files + update.steps())
        return release
    }

    /// Writes changed metadata of targets or of a delegated role that the keys have signed, and announces it, like
    /// someone who has the online key.
    func forge(
        _ role: String, by keys: [SigningKey], online: SigningKey? = nil, _ edit: (inout JSONValue) -> Void
    ) throws {
        let state = try state()
        var document = try #require(state.targets[role])
        var snapshot = try #require(state.snapshot)
        var timestamp = try #require(state.timestamp)
        func sign(_ document: inout MetadataDocument, _ keys: [SigningKey]) throws {
            try document.renew(until: Self.now.addingTimeInterval(86_400))
            for key in keys { try document.sign(by: key) }
        }
        edit(&document.signed)
        try sign(&document, keys)
        snapshot.signed["meta"]?["\(role).json"] = RepositoryUpdate.announcement(of: document)
        try sign(&snapshot, [online ?? self.online])
        timestamp.signed["meta"]?["snapshot.json"] = RepositoryUpdate.announcement(of: snapshot)
        try sign(&timestamp, [online ?? self.online])
        try apply([.write(document), .write(snapshot), .write(timestamp)])
    }

    /// Returns the files of a release, and its record.
    func release(
        _ version: String, of package: String = "shop", sequence: Int64
    ) throws -> (ReleaseRecord, [RepositoryStep]) {
        let manifest = Data("manifest \(version)".utf8)
        let release = ReleaseRecord(
            try PackageID(package), try PackageVersion(version), sequence: sequence,
            scope: try PackageBaseURL("https://shop.example/"), channels: ["production"], share: 1_000, minHost: nil,
            start: nil, manifest: manifest)
        let archive = try folder.write("archive", "archive \(version)".utf8)
        return (
            release,
            [.move(from: archive, path: release.archivePath), .write(path: release.manifestPath, bytes: manifest)]
        )
    }
}
