// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import PackageFormat
import ProgramTesting
import Testing
import TrustedPublishing
import TrustedUpdate

/// `h5 keys`, `publish`, `promote`, `rollback`, `withdraw`, `status` and `explain`. `h5 trust` verifies the repository
/// over real connections.
@Suite("h5 publish", .timeLimit(.minutes(2)))
struct PublishCommandTests {
    private static let keys = ["root0", "root1", "root2", "targets", "online"]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("site/index.html", "<!doctype html>".utf8)
        try FileManager.default.createDirectory(atPath: folder.path + "/trusted", withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: folder.path + "/files", withIntermediateDirectories: false)
    }

    // MARK: Helpers

    /// Runs a command, and expects that no output has a private key.
    private func run(
        _ arguments: [String], environment: [String: String?] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Program.Outcome {
        let outcome = try await Program("h5").run(arguments, in: folder.path, environment: environment)
        for name in try folder.files() where FileManager.default.fileExists(atPath: "\(folder.path)/\(name).pub") {
            for line in try folder.text(of: name).split(separator: "\n") {
                let isPrinted = (outcome.output + outcome.errors).contains(line)
                #expect(!isPrinted, "\(name)", sourceLocation: sourceLocation)
            }
        }
        return outcome
    }

    /// Runs a command that succeeds, and returns its output.
    @discardableResult
    private func h5(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let outcome = try await run(arguments, sourceLocation: sourceLocation)
        try #require(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        return outcome.output
    }

    private func fails(
        _ status: Int32, _ code: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await run(arguments, sourceLocation: sourceLocation)
        #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.errors.hasPrefix("error: \(code): "), "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.errorLines.count == 1 && outcome.output.isEmpty, sourceLocation: sourceLocation)
    }

    /// Creates a repository with two of three root keys.
    private func createRepository() async throws {
        for name in Self.keys { try await h5("keys", "create", name, "--type", name == "targets" ? "p256" : "ed25519") }
        try await h5(
            "keys", "init", "repository", "--root", "root0", "root1", "root2.pub", "--threshold", "2", "--targets",
            "targets", "--online", "online")
        try await h5("trust", "--metadata-dir", "trusted", "init", "repository/metadata/1.root.json")
    }

    @discardableResult
    private func publish(
        _ version: String, _ options: String..., keys: [String] = ["targets", "online"],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let arguments = [
            "publish", "site", "--repository", "repository", "--id", "shop", "--version", version, "--base-url",
            "https://shop.example/", "--key",
        ]
        let outcome = try await run(arguments + keys + options, sourceLocation: sourceLocation)
        try #require(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        return outcome.output
    }

    /// Returns the version that a device gets.
    private func explain(_ options: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> String
    {
        let outcome = try await run(["explain", "repository", "shop"] + options, sourceLocation: sourceLocation)
        try #require(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        return String(outcome.output.prefix { $0 != "\n" })
    }

    /// Downloads the manifest of a version like a device that has seen all former metadata, and compares the archive
    /// beside it.
    private func verify(_ version: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let origin = try await OriginServer.start(OriginServer.Configuration(folder: folder.path + "/repository"))
        let outcome = try await run([
            "trust", "--metadata-dir", "trusted", "--metadata-url", origin.url + "/metadata", "--target-base-url",
            origin.url + "/targets", "--target-dir", "files", "--target-name", "shop/\(version).json", "download",
        ])
        await origin.stop()
        try #require(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        let manifest = try PackageManifest(path: "\(folder.path)/files/shop%2F\(version).json")
        #expect("\(manifest.version)" == version, sourceLocation: sourceLocation)
        let archive = "repository/targets/shop/shop-\(version).zip"
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(archive)"))
        #expect(manifest.archive?.size == Int64(data.count), sourceLocation: sourceLocation)
        try await h5("verify", archive, "files/shop%2F\(version).json", sourceLocation: sourceLocation)
    }

    private struct Status: Decodable {
        struct Role: Decodable {
            var role: String
            var version: Int
            var expiring: Bool
        }

        struct Release: Decodable {
            var version: String
            var sequence: Int
            var channels: [String]
            var share: Int
            var stopped: Bool
            var role: String
        }

        var roles: [Role]
        var releases: [Release]
        var waitingRoot: Int?
    }

    private func status(_ options: String...) async throws -> Status {
        let outcome = try await run(["status", "repository", "--json"] + options)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try JSONDecoder().decode(Status.self, from: Data(outcome.output.utf8))
    }

    // MARK: Tests

    /// The device `device-0` has number 49 for version 1.1, and the device `device-1` has number 431.
    @Test("A release is published, shared, promoted, withdrawn, rolled back, and survives new keys")
    func walk() async throws {
        try await createRepository()
        try await publish("1.0")
        try await verify("1.0")
        #expect(try await explain() == "1.0")

        try folder.write("site/index.html", "<!doctype html><p>1.1".utf8)
        try await publish("1.1", "--share", "100")
        try await verify("1.1")
        let (inside, outside) = ("device-0", "device-1")
        #expect(try await explain("--seed", inside) == "1.1")
        #expect(try await explain("--seed", outside) == "1.0")
        #expect(try await explain("--seed", inside, "--failed", "1.1") == "1.0")
        #expect(try await explain("--channel", "beta") == "none")

        try await h5("promote", "repository", "shop", "1.1", "--key", "targets", "online")
        #expect(try await explain("--seed", outside) == "1.1")
        try await h5("withdraw", "repository", "shop", "1.1", "--key", "targets", "online")
        #expect(try await explain("--seed", inside) == "1.0")
        try await h5("promote", "repository", "shop", "1.1", "--channel", "beta", "--key", "targets", "online")
        #expect(try await explain() == "1.0")
        #expect(try await explain("--channel", "beta") == "1.1")

        try await h5("rollback", "repository", "shop", "--to", "1.0", "--key", "targets", "online")
        var releases = try await status().releases
        let back = try #require(releases.first)
        #expect(back.version == "1.0-r\(back.sequence)" && back.sequence > releases[1].sequence)
        #expect(back.channels == ["production", "beta"] && back.share == 1_000)
        #expect(try await explain("--channel", "beta") == back.version)
        try await verify(back.version)
        try await h5("rollback", "repository", "shop", "--to", back.version, "--key", "targets", "online")
        releases = try await status().releases
        #expect(releases.first?.version == "1.0-r\(releases[0].sequence)")

        try await rotate()
        try await publish("2.0", keys: ["targets2", "online"])
        try await verify("2.0")
        try await delegate()
    }

    /// Replaces a root key, and then the key of targets, whose owner is another one than that of the root keys.
    private func rotate() async throws {
        for name in ["root3", "targets2"] { try await h5("keys", "create", name) }
        func id(_ name: String) throws -> String { try KeyFile.read("\(folder.path)/\(name)").publicKey.id }
        try await h5(
            "keys", "rotate", "repository", "--role", "root", "--add", "root3.pub", "--remove", id("root0"), "--key",
            "root0", "root1", "root3")
        #expect(try await status().waitingRoot == nil)

        let arguments = ["--role", "targets", "--add", "targets2.pub", "--remove", try id("targets")]
        let waiting = try await run(["keys", "rotate", "repository"] + arguments + ["--key", "root1", "--json"])
        #expect(waiting.status == 0 && waiting.output.contains(#""published":false"#), "\(waiting.errors)")
        #expect(try await status().waitingRoot == 3)
        try await fails(65, "exists", "keys", "rotate", "repository", "--role", "root", "--key", "root1", "root2")
        try await publish("1.2")
        // The root is not published without metadata that its new key has signed.
        let signed = try await h5("keys", "sign", "repository", "--key", "root2", "--json")
        #expect(signed.contains(#""published":false"#) && signed.contains("targets"))
        let published = try await h5("keys", "sign", "repository", "--key", "root2", "targets2", "online", "--json")
        #expect(published.contains(#""published":true"#) && published.contains(#""obstacle":null"#))
        try await verify("1.2")
        try await fails(77, "unsigned", "promote", "repository", "shop", "1.2", "--key", "targets", "online")
        let list = try await h5("keys", "list", "repository")
        let (removed, added) = (try id("root0"), try id("targets2"))
        #expect(list.contains("root: 2 of 3\n") && !list.contains(removed) && list.contains(added))
    }

    /// Delegates the package to a team.
    private func delegate() async throws {
        try await h5("keys", "create", "team", "--type", "p384")
        try await h5(
            "keys", "delegate", "repository", "--package", "shop", "--scope", "https://shop.example", "--public",
            "team.pub", "--key", "targets2", "online")
        let refused = [
            "publish", "site", "--repository", "repository", "--id", "shop", "--version", "3.0", "--key", "team",
            "online", "--base-url", "https://other.example/",
        ]
        let outcome = try await run(refused)
        #expect(outcome.status == 65 && outcome.errors.hasPrefix("error: bad-value: "), "\(outcome.errors)")
        try await publish("3.0", keys: ["team", "online"])
        try await verify("3.0")
        #expect(try await explain() == "3.0")
        #expect(try await status().releases.first?.role == "shop")
        try await h5("withdraw", "repository", "shop", "--all", "--key", "team", "targets2", "online")
        #expect(try await status().releases.isEmpty)
        #expect(try folder.files(in: "repository/targets/shop").isEmpty)
        try await fails(66, "not-found", "explain", "repository", "shop")
        try await publish("4.0", keys: ["team", "online"])
        try await verify("4.0")
        try await replaceTeam()
    }

    /// Replaces the key of the team.
    private func replaceTeam() async throws {
        let delegate = [
            "keys", "delegate", "repository", "--package", "shop", "--public", "team2.pub", "--key", "targets2",
            "online", "--scope",
        ]
        try await h5("keys", "create", "team2")
        var outcome = try await run(delegate + ["https://shop.example/b/"])
        #expect(outcome.status == 0 && outcome.errors.contains("warning: shop 4.0 "), "\(outcome.errors)")
        outcome = try await run(delegate + ["https://shop.example/"])
        #expect(outcome.status == 0 && !outcome.errors.contains("warning: "), "\(outcome.errors)")
        try await fails(77, "unsigned", "withdraw", "repository", "shop", "--all", "--key", "team2", "online")
        outcome = try await run(["status", "repository"])
        #expect(!outcome.output.contains("shop 4.0") && outcome.errors.contains("warning: the metadata of shop "))
        try await fails(66, "not-found", "keys", "renew", "repository", "--package", "blog", "--key", "team2", "online")
        let renewed = try await h5("keys", "renew", "repository", "--package", "shop", "--key", "team2", "online")
        #expect(renewed.hasPrefix("shop 4.0: number ") && renewed.hasSuffix("metadata/timestamp.json\n"))
        let again = try await h5(
            "keys", "renew", "repository", "--package", "shop", "--key", "team2", "online", "--json")
        #expect(again.contains(#""releases":[{"#) && again.contains(#""metadata/timestamp.json"]"#))
        try await verify("4.0")
    }

    @Test("Rollback publishes no archive that was changed, and --keep removes no release of another role")
    func foreignFiles() async throws {
        try await createRepository()
        for version in ["1", "2"] { try await publish(version) }
        let archive = "repository/targets/shop/shop-1.zip"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(archive)"))
        try folder.write(archive, bytes.reversed())
        let before = try folder.names(below: "repository")
        try await fails(65, "bad-metadata", "rollback", "repository", "shop", "--to", "1", "--key", "targets", "online")
        #expect(try folder.names(below: "repository") == before)

        try await h5("keys", "create", "team")
        try await h5(
            "keys", "delegate", "repository", "--package", "shop", "--scope", "https://shop.example/", "--public",
            "team.pub", "--key", "targets", "online")
        let output = try await publish("3", "--keep", "1", "--json", keys: ["team", "online"])
        #expect(output.contains("shop 1 stays") && output.contains("shop 2 stays"))
        #expect(try await status().releases.map(\.version) == ["3", "2", "1"])
    }

    @Test("h5.json has defaults, which the environment and options override")
    func settings() async throws {
        try await createRepository()
        let settings = """
            {"repository": "repository", "id": "shop", "baseURL": "https://shop.example", "channel": "beta",
             "keys": ["targets", "online"], "expiry": {"timestamp": 3}}
            """
        try folder.write("h5.json", settings.utf8)
        let output = try await h5("publish", "site", "--version", "auto", "--json")
        #expect(output.contains(#""channels":["beta"]"#) && output.contains(#""baseURL":"https://shop.example/""#))
        var releases = try await status().releases
        #expect(releases.map(\.version) == releases.map { "\($0.sequence)" })

        let environment = try await run(
            ["publish", "site", "--version", "auto"],
            environment: ["H5_CHANNEL": "nightly", "H5_KEYS": "targets,online", "H5_EXPIRY_TIMESTAMP": "1"])
        #expect(environment.status == 0, "\(environment.errors)")
        releases = try await status().releases
        #expect(releases.map(\.channels) == [["nightly"], ["beta"]])
        try await h5("publish", "site", "--version", "named", "--channel", "a", "--channel", "b", "--share", "5")
        #expect(try await status().releases.first?.channels == ["a", "b"])

        for (text, place) in [
            (#"{"id": "a/b"}"#, "id"), (#"{"expiry": {"root": 0}}"#, "expiry.root"), ("{", "h5.json"),
        ] {
            try folder.write("h5.json", text.utf8)
            let outcome = try await run(["status", "repository"])
            #expect(outcome.status == 65 && outcome.errors.hasSuffix("(\(place))\n"), "\(outcome.errors)")
        }
        try FileManager.default.removeItem(atPath: folder.path + "/h5.json")
        try await fails(64, "usage", "status")
    }

    @Test("Only the newest releases remain, and the newest one of each channel for all devices")
    func pruning() async throws {
        try await createRepository()
        for version in ["1", "2"] { try await publish(version) }
        try await publish("3", "--channel", "beta")
        for version in ["4", "5"] { try await publish(version, "--share", "10", "--keep", "2") }
        #expect(try await status().releases.map(\.version) == ["5", "4", "3", "2"])
        #expect(try folder.files(in: "repository/targets/shop").count == 8)
        #expect(try await explain("--channel", "beta") == "3")
        let removed = try await publish("6", "--keep", "1")
        #expect(removed.contains("removed targets/shop/shop-5.zip\n") && removed.contains("removed metadata/"))
        #expect(try await status().releases.map(\.version) == ["6", "3"])
        let metadata = try folder.files(in: "repository/metadata")
        #expect(metadata.count(where: { $0.hasSuffix(".snapshot.json") }) == 2 && metadata.contains("1.root.json"))
        try await verify("6")
        // A file that cannot be removed does not make the publication fail.
        try FileManager.default.removeItem(atPath: "\(folder.path)/repository/targets/shop/shop-6.zip")
        try folder.write("repository/targets/shop/shop-6.zip/file", "".utf8)
        let output = try await publish("7", "--keep", "1", "--json")
        #expect(output.contains("shop-6.zip cannot be removed: ") && output.contains(".6.json"))
    }

    @Test("Large files and absolute URLs outside of the base URL cause warnings")
    func warnings() async throws {
        try await createRepository()
        // Zeros would exceed the ratio of an archive.
        var generator = SeededGenerator(seed: 1)
        let bytes = (0...1 << 20).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        try folder.write("site/large.bin", bytes)
        try folder.write("site/small.bin", bytes.dropLast())
        try folder.write(
            "site/index.html",
            #"<script src="https://cdn.example/a.js"></script><a href="https://shop.example/b">"#.utf8)
        try folder.write("site/a.css", "@import url(http://cdn.example/b.css);".utf8)
        try folder.write("site/a.js", "const ns = 'http://www.w3.org/2000/svg'; load(`https://shop.example/c`)".utf8)
        try folder.write("site/a.txt", "https://text.example/".utf8)
        try folder.write(
            "site/b.html",
            #"<script src="//shop.example/a.js"></script><script src='//cdn.example/d.js'></script>"#.utf8)
        try folder.write("site/b.css", "@import url(//cdn.example/e.css);".utf8)
        try folder.write("site/c.html", "<img src=//cdn.example/f.png>".utf8)
        try folder.write("site/b.js", "f(); //cdn.example\nlet a = '//', b = '//comment';// end".utf8)
        let outcome = try await run([
            "publish", "site", "--repository", "repository", "--id", "shop", "--version", "1", "--base-url",
            "https://shop.example/", "--key", "targets", "online",
        ])
        #expect(outcome.status == 0)
        let lines = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
        #expect(lines.count == 6, "\(outcome.errors)")
        for text in [
            "large.bin has 1048577 bytes", "such as https://cdn.example/a.js", "such as http://cdn.example/b.css",
            "b.html has an absolute URL outside of the base URL, such as //cdn.example/d.js",
            "such as //cdn.example/e.css", "such as //cdn.example/f.png",
        ] {
            #expect(lines.contains { $0.contains(text) }, "\(text)")
        }
    }

    @Test("Roles that expire soon cause warnings, and expired metadata is explained to no device")
    func expiry() async throws {
        try await createRepository()
        try await publish("1", "--expiry", "timestamp=1")
        let soon = try await status()
        #expect(soon.roles.filter(\.expiring).map(\.role) == ["timestamp"])
        try await h5("keys", "renew", "repository", "--key", "online")
        #expect(try await status().roles.allSatisfy { !$0.expiring })
        let later = try await run(["status", "repository", "--now", "2999-01-01T00:00:00Z"])
        #expect(later.status == 0 && later.errors.split(separator: "\n").count == 4, "\(later.errors)")
        let outcome = try await run(["explain", "repository", "shop", "--now", "2999-01-01T00:00:00Z"])
        #expect(outcome.status == 77 && outcome.errors.hasPrefix("error: expired: "), "\(outcome.errors)")
    }

    @Test("With a trusted root, keys sign no metadata of a repository with another root")
    func trustedRoot() async throws {
        try await createRepository()
        let publish = [
            "publish", "site", "--repository", "repository", "--id", "shop", "--base-url", "https://shop.example/",
            "--trusted-root", "root.json", "--key", "targets", "online", "--version",
        ]
        let root = "\(folder.path)/root.json"
        try FileManager.default.copyItem(atPath: folder.path + "/repository/metadata/1.root.json", toPath: root)
        for version in ["1", "2"] {
            let outcome = try await run(publish + [version])
            #expect(outcome.status == 0, "\(outcome.errors)")
            try await h5("keys", "rotate", "repository", "--role", "root", "--key", "root0", "root1")
        }
        // A server replaces the repository by one with a root key of its own, and with the same other keys.
        try FileManager.default.removeItem(atPath: folder.path + "/repository")
        try await h5("keys", "create", "thief")
        try await h5(
            "keys", "init", "repository", "--root", "thief", "--targets", "targets", "--online", "online")
        var outcome = try await run(publish + ["3"])
        #expect(outcome.status == 77 && outcome.errors.contains("error: unsigned: "), "\(outcome.errors)")
        try await h5("keys", "rotate", "repository", "--role", "root", "--key", "thief")
        outcome = try await run(publish + ["3"])
        #expect(outcome.status == 77 && outcome.errors.contains("error: unsigned: "), "\(outcome.errors)")
    }

    @Test("Failures have the exit status of their kind, and change nothing")
    func failures() async throws {
        try await fails(66, "no-input", "status", "repository")
        try await createRepository()
        try await fails(65, "exists", "keys", "create", "root0")
        try await fails(
            65, "exists", "keys", "init", "repository", "--root", "root0", "--targets", "targets", "--online", "online")
        try await publish("1")
        let before = try folder.names(below: "repository")
        let site = [
            "publish", "site", "--repository", "repository", "--id", "shop", "--base-url", "https://a.example/",
        ]
        for (status, code, options) in [
            (65, "exists", ["--version", "1", "--key", "targets", "online"]),
            (77, "unsigned", ["--version", "2", "--key", "online"]),
            (77, "unsigned", ["--version", "2", "--key", "root0", "root1", "online"]),
            (65, "bad-key", ["--version", "2", "--key", "targets.pub", "online"]),
            (66, "no-input", ["--version", "2", "--key", "none"]),
            (64, "usage", ["--version", "2", "--share", "1001"]),
            (64, "usage", ["--version", "2", "--start", "tomorrow"]),
        ] as [(Int32, String, [String])] {
            let outcome = try await run(site + options)
            #expect(outcome.status == status && outcome.errorLines.count == 1, "\(outcome.errors)")
            #expect(outcome.errors.contains("error: \(code): "), "\(outcome.errors)")
        }
        try await fails(66, "not-found", "promote", "repository", "shop", "2", "--key", "targets", "online")
        try await fails(66, "not-found", "rollback", "repository", "shop", "--to", "2", "--key", "targets", "online")
        try await fails(66, "not-found", "withdraw", "repository", "blog", "--all", "--key", "targets", "online")
        try await fails(66, "not-found", "keys", "sign", "repository", "--key", "root0")
        try await fails(65, "bad-value", "keys", "rotate", "repository", "--role", "root", "--threshold", "4")
        let lock = try RepositoryFolder(changing: folder.path + "/repository")
        try await fails(69, "in-use", "withdraw", "repository", "shop", "1", "--key", "targets", "online")
        withExtendedLifetime(lock) {}
        #expect(try folder.names(below: "repository") == before)
    }

    private func key(_ name: String) throws -> SigningKey {
        let content = try KeyFile.read("\(folder.path)/\(name)")
        return try #require(content.signingKey)
    }

    @Test("A device accepts the repository after each step of a publication and of a rotation that is killed")
    func interruption() async throws {
        try await createRepository()
        try await publish("1")
        let path = folder.path + "/repository"
        func refresh() async throws -> TrustedTargets {
            let client = TrustedRepository(
                folder: folder.path + "/trusted", metadataURL: "https://repository.invalid/metadata/"
            ) { url, _ in
                let name = url.split(separator: "/").last ?? ""
                return FileManager.default.contents(atPath: "\(path)/metadata/\(name)")
            }
            return try await client.refresh(now: Date())
        }
        struct Kill: Error {}
        func apply(_ steps: [RepositoryStep], until end: Int) throws {
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
        func update(_ keys: [SigningKey]) throws -> RepositoryUpdate {
            RepositoryUpdate(
                try RepositoryFolder(reading: path).state(), keys: keys, now: Date(), lifetimes: Lifetimes())
        }
        for end in 0...3 {
            var change = try update([key("targets"), key("online")])
            var listed = try change.state.release(PackageID("shop"), PackageVersion("1"))
            listed.release.share = 500
            change.insert(listed.release, in: listed.role)
            try apply(change.steps(), until: end)
            let target = try await refresh().target("shop/1.json")
            let isNew = target?.custom.map { String(decoding: $0, as: UTF8.self).contains("500") }
            #expect(isNew == (end == 3), "\(end)")
        }
        // The former and the next key of targets sign, so that the timestamp comes before the root.
        let next = SigningKey(generating: .ed25519)
        for end in 0...5 {
            var change = try update([key("root0"), key("root1"), key("targets"), next, key("online")])
            try change.stageRoot([TopRole.targets: RoleKeys([next.publicKey], threshold: 1, of: TopRole.targets)])
            try change.signRoot()
            try apply(change.rootSteps().steps, until: end)
            #expect(try await refresh().target("shop/1.json") != nil)
            guard try RepositoryFolder(reading: path).state().root?.version == 1 else { break }
        }
        #expect(try RepositoryFolder(reading: path).state().root?.version == 2)
    }
}
