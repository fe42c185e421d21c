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

    /// Returns the files of a release, and its record.
    func release(_ version: String, sequence: Int64) throws -> (ReleaseRecord, [RepositoryStep]) {
        let manifest = Data("manifest \(version)".utf8)
        let release = ReleaseRecord(
            try PackageID("shop"), try PackageVersion(version), sequence: sequence,
            scope: try PackageBaseURL("https://shop.example/"), channels: ["production"], share: 1_000, minHost: nil,
            start: nil, manifest: manifest)
        let archive = try folder.write("archive", "archive \(version)".utf8)
        return (
            release,
            [.move(from: archive, path: release.archivePath), .write(path: release.manifestPath, bytes: manifest)]
        )
    }
}
