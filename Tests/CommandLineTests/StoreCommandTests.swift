// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
import OfflinePackage
import ProgramTesting
import ResourceStore
import SystemSupport
import Testing

/// `h5 store` end to end, on sound and damaged stores.
@Suite("h5 store", .timeLimit(.minutes(2)))
struct StoreCommandTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/store" }
    /// A blob that is stored as a file. The store stores small blobs as rows of a database.
    private let large = Data(repeating: 7, count: 100_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Creates a store with two generations, one of them retired, a resource, a document and an orphan.
    private func makeStore() throws {
        let store = try BlobStore(directory: path, configuration: .init(today: { 20_000 }))
        for version in ["1", "2"] {
            let batch = store.makeBatch()
            let small = Data("version \(version)".utf8)
            let entries = [
                StoredEntry(path: "a.js", blob: try batch.add(small), size: 9, mediaType: "text/javascript"),
                StoredEntry(path: "b.bin", blob: try batch.add(large), size: 100_000, mediaType: "a/b"),
            ]
            let generation = try store.stage(
                package: "shop", version: version, metadata: Data(), entries: entries, from: batch)
            try store.activate(generation.number)
        }
        try store.putResource(Data("style".utf8), for: "https://cdn.example/s.css", mediaType: "", validator: "md5")
        try store.putDocument(Data("text".utf8), as: "table")
    }

    private func run(_ arguments: String...) async throws -> Program.Outcome {
        try await Program("h5").run(["store"] + arguments, in: folder.path)
    }

    private func object(_ arguments: String..., status: Int32 = 0) async throws -> [String: Any] {
        let outcome = try await Program("h5").run(["store"] + arguments + ["--json"], in: folder.path)
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").count == 1)
        return try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }

    @Test("ls lists generations and resources")
    func list() async throws {
        try makeStore()
        let outcome = try await run("ls", "store")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(
            outcome.output == """
                generation 1 retired: shop 1, 2 files, 100009 bytes
                generation 2 active: shop 2, 2 files, 100009 bytes
                resource https://cdn.example/s.css: 5 bytes, md5, used 2024-10-04

                """)
        let json = try await object("ls", "store")
        #expect(json.keys.sorted() == ["generations", "resources"])
        let generations = try #require(json["generations"] as? [[String: Any]])
        #expect(generations.map { $0["state"] as? String } == ["retired", "active"])
        #expect(generations.first?.keys.sorted() == ["bytes", "files", "number", "package", "state", "version"])
        let resource = try #require((json["resources"] as? [[String: Any]])?.first)
        #expect(resource["bytes"] as? Int == 5 && resource["lastUse"] as? String == "2024-10-04")
    }

    @Test("stat counts, and gc removes unused data")
    func statAndSweep() async throws {
        try makeStore()
        let before = try await object("stat", "store")
        #expect(before.keys.sorted() == ["blobs", "documents", "generations", "packages", "resources"])
        let blobs = try #require(before["blobs"] as? [String: [String: Int]])
        #expect(blobs["rows"] == ["count": 3, "bytes": 23] && blobs["files"] == ["count": 1, "bytes": 100_000])
        #expect(before["generations"] as? [String: Int] == ["active": 1, "retired": 1, "staged": 0])
        #expect(before["resources"] as? [String: Int] == ["count": 1, "bytes": 5])
        let text = try await run("stat", "store")
        #expect(text.output.contains("blobs in files: 1, 100000 bytes\n") && text.errors.isEmpty)

        let swept = try await object("gc", "store")
        #expect(swept["generations"] as? [Int] == [1])
        #expect(swept["blobs"] as? Int == 1 && swept["bytes"] as? Int == 9)
        #expect(try await run("gc", "store").output == "0 generations, 0 blobs, 0 bytes removed\n")
        #expect(try await object("stat", "store")["packages"] as? [String: Int] == ["count": 2, "bytes": 100_009])
    }

    /// The pins of the app exist only while the app runs. Its record of trials is in the store.
    @Test("gc does not remove the former generation of a version on trial")
    func trialSurvivesSweep() async throws {
        try makeStore()
        let trial = TrialPeriod(of: 2, version: "2", over: 1)
        let record = try #require(String(data: JSONEncoder().encode(["shop": trial]), encoding: .utf8))
        func put(_ record: String) throws {
            try BlobStore(directory: path).putDocument(Data(record.utf8), as: HealthDocument.name)
        }
        try put(#"{"quarantine": {}, "trials": \#(record)}"#)
        do { #expect(try HealthDocument(BlobStore(directory: path)).load().trials == ["shop": trial]) }
        #expect(try await object("gc", "store")["generations"] as? [Int] == [])
        #expect(
            try await object("stat", "store")["generations"] as? [String: Int] == [
                "active": 1, "retired": 1, "staged": 0,
            ])
        // Without a trial, gc removes the generation.
        try put(#"{"quarantine": {}, "trials": {}}"#)
        #expect(try await object("gc", "store")["generations"] as? [Int] == [1])
    }

    @Test("gc removes nothing if the record of trials cannot be read")
    func unreadableTrials() async throws {
        func expectRefusal(_ what: String) async throws {
            let outcome = try await run("gc", "store")
            #expect(outcome.status == 65 && outcome.output.isEmpty)
            #expect(outcome.errors == "error: damaged: the record of trials \(what); nothing was removed (store)\n")
            #expect((try await object("stat", "store")["generations"] as? [String: Int])?["retired"] == 1)
        }
        try makeStore()
        do { try BlobStore(directory: path).putDocument(Data("{}".utf8), as: HealthDocument.name) }
        try await expectRefusal("has an unknown format")
        try Data("{}".utf8).write(to: URL(filePath: "\(path)/documents/\(HealthDocument.name)"))
        try await expectRefusal("was damaged, and dropped")
        // After the refusal the damaged record is removed, and the app has no fallback either.
        #expect(try await object("gc", "store")["generations"] as? [Int] == [1])
    }

    @Test("check finds damage, and --repair removes it")
    func check() async throws {
        try makeStore()
        let sound = try await run("check", "store")
        #expect(sound.status == 0 && sound.errors.isEmpty)
        #expect(sound.output == "4 blobs of 100023 bytes are right, 0 of them unnamed\n")

        let digest = SHA256Digest(of: large).description
        let file = "\(path)/blobs/\(digest.prefix(2))/\(digest.dropFirst(2))"
        var bytes = large
        bytes[5] = 8
        try bytes.write(to: URL(filePath: file))
        let document = path + "/documents/table"
        try Data("text".utf8).write(to: URL(filePath: document))
        let broken = try await run("check", "store")
        #expect(broken.status == 65)
        #expect(
            broken.output == """
                damaged blob: \(digest)
                no bytes: b.bin, generation 1
                no bytes: b.bin, generation 2
                damaged document: table
                3 blobs of 23 bytes are right, 0 of them unnamed

                """)
        #expect(broken.errors == "error: damaged: the store is damaged (store)\n")
        #expect(FileManager.default.fileExists(atPath: file))

        let repaired = try await object("check", "store", "--repair", status: 65)
        #expect(repaired["damagedBlobs"] as? [String] == [digest] && repaired["repaired"] as? Bool == true)
        #expect(repaired["damagedDocuments"] as? [String] == ["table"] && repaired["missingCount"] as? Int == 2)
        #expect(!FileManager.default.fileExists(atPath: file) && !FileManager.default.fileExists(atPath: document))
        let after = try await object("check", "store", status: 65)
        #expect(after["damagedBlobs"] as? [String] == [] && after["missingCount"] as? Int == 2)
    }

    @Test("--repair restores a store in which only resources are damaged")
    func repair() async throws {
        try makeStore()
        do {
            let store = try BlobStore(directory: path, configuration: .init(smallBlobLimit: 0))
            try store.putResource(Data("tile".utf8), for: "https://cdn.example/t.css", mediaType: "", validator: "md5")
        }
        let tile = SHA256Digest(of: Data("tile".utf8)).description
        try FileManager.default.removeItem(atPath: "\(path)/blobs/\(tile.prefix(2))/\(tile.dropFirst(2))")
        #expect(try await run("check", "store").status == 65)
        #expect(try await run("check", "store", "--repair").status == 0)
        #expect(try await run("check", "store").status == 0)
        #expect((try await object("ls", "store")["resources"] as? [Any])?.count == 1)
    }

    @Test("An open, a missing, a broken and a newer store are refused")
    func refusals() async throws {
        func expect(_ status: Int32, _ code: String, _ arguments: String...) async throws {
            let outcome = try await Program("h5").run(["store"] + arguments, in: folder.path)
            #expect(outcome.status == status && outcome.output.isEmpty, "\(arguments): \(outcome)")
            let lines = outcome.errors.split(separator: "\n")
            #expect(lines.count == 1 && lines[0].hasPrefix("error: \(code): ") && lines[0].hasSuffix(")"), "\(lines)")
        }
        for command in ["ls", "stat", "gc", "check"] {
            try await expect(66, "no-input", command, "nowhere")
            try await expect(64, "usage", command)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/nowhere"))
        try makeStore()
        do {
            let store = try BlobStore(directory: path)
            for command in ["ls", "stat", "gc", "check"] { try await expect(69, "in-use", command, "store") }
            withExtendedLifetime(store) {}
        }
        try Data(repeating: 0x55, count: 8_192).write(to: URL(filePath: path + "/index.sqlite"))
        try await expect(65, "damaged", "check", "store")
        try await expect(64, "usage", "frob")
    }

    @Test("A broken database of small blobs is reported, and only --repair repairs it")
    func lostRows() async throws {
        try makeStore()
        try Data(repeating: 0x55, count: 65_536).write(to: URL(filePath: path + "/blobs.sqlite"))
        for arguments in [["check", "store"], ["check", "store"], ["check", "store", "--repair"]] {
            let outcome = try await Program("h5").run(["store"] + arguments + ["--json"], in: folder.path)
            #expect(outcome.status == 65, "\(outcome.errors)")
            let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            let check = try #require(json)
            #expect((check["brokenDatabases"] as? [String])?.count == 1 && check["missingCount"] as? Int == 3)
        }
        #expect((try await object("check", "store", status: 65)["brokenDatabases"] as? [String])?.isEmpty == true)
    }

    /// Returns the names, modes, times and sizes of all entries in a folder.
    private func picture(_ folder: String) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder) + ["."]
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let status = try FileStatus(path: "\(folder)/\(name)", followsLinks: false)
                let mode = "\(status.kind) \(status.permissions)"
                return (name, "\(mode) \(status.size) \(status.modificationTime)")
            })
    }

    @Test("ls, stat and check change nothing and create no lock", arguments: [false, true])
    func readOnly(_ hasLock: Bool) async throws {
        try makeStore()
        if !hasLock { try FileManager.default.removeItem(atPath: path + "/lock") }
        try Data("half".utf8).write(to: URL(filePath: path + "/staging/7"))
        let before = try picture(path)
        for command in ["ls", "stat", "check"] { #expect(try await run(command, "store").status == 0) }
        #expect(try picture(path) == before)
    }

    @Test(
        "A symbolic link is refused, and its target is unchanged",
        arguments: ["staging", "blobs", "index.sqlite", "index.sqlite-wal", "blobs.sqlite", "lock", "documents"])
    func symbolicLinks(_ name: String) async throws {
        try makeStore()
        let outside = folder.path + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        let target = "\(outside)/\(name)"
        if FileManager.default.fileExists(atPath: "\(path)/\(name)") {
            try FileManager.default.moveItem(atPath: "\(path)/\(name)", toPath: target)
        } else {
            try Data("log".utf8).write(to: URL(filePath: target))
        }
        if !name.contains("."), name != "lock" { try Data("mine".utf8).write(to: URL(filePath: target + "/mine")) }
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
        let before = try picture(outside)
        for command in [["ls"], ["stat"], ["check"], ["gc"], ["check", "--repair"]] {
            let outcome = try await Program("h5").run(["store"] + command + ["store"], in: folder.path)
            #expect(outcome.status == 65, "\(command): \(outcome.errors)")
            #expect(outcome.errors.hasPrefix("error: untrusted: is a symbolic link ("), "\(outcome.errors)")
            #expect(outcome.errors.split(separator: "\n").count == 1 && outcome.output.isEmpty)
            #expect(try picture(outside) == before, "\(command)")
        }
    }
}
