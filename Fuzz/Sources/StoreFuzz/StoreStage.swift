// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import FuzzSupport
@_spi(Facade) internal import ResourceStore
internal import SystemSupport

/// A directory with the same store at the start of each input, and a folder outside that must not change.
///
/// A process runs one input at a time.
struct StoreStage: Sendable {
    static let shared = Result { try StoreStage() }

    /// The names that an input can change. The fuzzer reaches the first ones more often than the last ones.
    static let names = [
        "index.sqlite", "blobs.sqlite", "documents/table", "blobs/\(folder)/\(file)", "index.sqlite-wal",
        "blobs.sqlite-wal", "index.sqlite-journal", "blobs.sqlite-journal", "index.sqlite-shm", "blobs.broken", "clean",
        "lock", "staging/7", "blobs/\(folder)", "blobs", "staging", "documents",
    ]
    private static let large = Data(repeating: 7, count: 300)
    private static let digits = SHA256Digest(of: large).description
    private static let folder = digits.prefix(2)
    private static let file = digits.dropFirst(2)
    private static let configuration = BlobStore.Configuration(smallBlobLimit: 100, today: { 20_000 })

    private let directory: String
    private let outside: String
    /// The contents of the store's files by name.
    private let template: [String: Data]

    private init() throws {
        let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        directory = "\(root)/containerkit-fuzz-\(getpid())-store"
        outside = "\(root)/containerkit-fuzz-\(getpid())-outside"
        for folder in [directory, outside] { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try Self.fill(directory)
        var template: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            if let data = FileManager.default.contents(atPath: "\(directory)/\(name)") { template[name] = data }
        }
        self.template = template
    }

    private static func fill(_ directory: String) throws {
        let store = try BlobStore(directory: directory, configuration: configuration)
        for version in ["1", "2"] {
            let batch = store.makeBatch()
            let small = Data("version \(version)".utf8)
            let entries = [
                StoredEntry(path: "a.js", blob: try batch.add(small), size: 9, mediaType: "text/javascript"),
                StoredEntry(path: "b.bin", blob: try batch.add(large), size: 300, mediaType: "a/b"),
            ]
            let generation = try store.stage(
                package: "shop", version: version, metadata: Data("{}".utf8), entries: entries, from: batch)
            try store.activate(generation.number)
        }
        try store.putResource(Data("style".utf8), for: "https://cdn.example/s.css", mediaType: "", validator: "md5")
        try store.putDocument(Data("text".utf8), as: "table")
    }

    /// Restores the directory and the folder outside to their initial state.
    func reset() throws {
        let manager = FileManager.default
        for folder in [directory, outside] { try? manager.removeItem(atPath: folder) }
        for folder in ["", "/blobs/\(Self.folder)", "/staging", "/documents"] {
            try manager.createDirectory(atPath: directory + folder, withIntermediateDirectories: true)
        }
        for (name, data) in template { try data.write(to: URL(fileURLWithPath: "\(directory)/\(name)")) }
        try manager.createDirectory(atPath: outside + "/folder", withIntermediateDirectories: true)
        for name in ["file", "folder/7", "folder/table", "folder/\(Self.file)"] {
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(outside)/\(name)"))
        }
    }

    /// Applies a change to the directory. A change that is not possible is skipped.
    func apply(_ change: Change) throws {
        let manager = FileManager.default
        func path(_ name: String) -> String? {
            let path = "\(directory)/\(name)"
            // A link from an earlier change must not be followed.
            return isBelow(path) ? path : nil
        }
        switch change {
        case .patch(let name, let offset, let bytes):
            guard let path = path(name), var data = manager.contents(atPath: path), !data.isEmpty else { return }
            for (index, byte) in bytes.enumerated() { data[(offset + index) % data.count] = byte }
            try data.write(to: URL(fileURLWithPath: path))
        case .truncate(let name, let size):
            guard let path = path(name), let data = manager.contents(atPath: path) else { return }
            try data.prefix(size % (data.count + 1)).write(to: URL(fileURLWithPath: path))
        case .write(let name, let bytes):
            guard let path = path(name) else { return }
            try? Data(bytes).write(to: URL(fileURLWithPath: path))
        case .exchange(let name, let kind):
            guard let path = path(name) else { return }
            try? manager.removeItem(atPath: path)
            switch kind % 5 {
            case 0: symlink(outside + "/file", path)
            case 1: symlink(outside + "/folder", path)
            case 2: symlink(outside + "/new", path)
            case 3: mkdir(path, 0o777)
            default: mkfifo(path, 0o666)
            }
        case .remove(let name):
            guard let path = path(name) else { return }
            try? manager.removeItem(atPath: path)
        }
    }

    /// Returns a Boolean value that indicates whether a path leads to a file or folder in the directory, or does not
    /// exist.
    private func isBelow(_ path: String) -> Bool {
        do {
            let status = try FileStatus(path: path, followsLinks: false)
            return [.file, .directory].contains(status.kind) && realFolder(of: path)
        } catch {
            return error.number == ENOENT && realFolder(of: path)
        }
    }

    private func realFolder(of path: String) -> Bool {
        let folder = (path as NSString).deletingLastPathComponent
        return URL(fileURLWithPath: folder).resolvingSymlinksInPath().path == folder
    }

    /// Reads the store, and if that succeeds also writes it, as `h5` does.
    func run() throws {
        let before = try picture(directory)
        var isReadable = false
        tolerating {
            let store = try BlobStore(inspecting: directory, configuration: Self.configuration)
            for generation in try [.active, .staged, .retired].flatMap(store.generations) {
                tolerating { _ = try store.entries(of: generation.number) }
            }
            _ = try store.resources()
            _ = try store.statistics()
            _ = try store.check()
            isReadable = true
        }
        Fuzz.expect(try picture(directory) == before, "reading changed the directory")
        // A damaged database can take seconds to open for writing, so only a readable one is written.
        if isReadable { tolerating { try write() } }
        try expectUntouched()
        tolerating {
            try BlobStore.reset(directory: directory)
            let store = try BlobStore(directory: directory, configuration: Self.configuration)
            Fuzz.expect(try store.statistics().generations.isEmpty, "a reset store has generations")
        }
        try expectUntouched()
    }

    private func write() throws {
        let store = try BlobStore(directory: directory, configuration: Self.configuration)
        for generation in try store.activeGenerations() {
            tolerating {
                for entry in try store.entries(of: generation.number) {
                    tolerating { _ = try store.blob(entry.blob, size: entry.size) }
                }
            }
        }
        tolerating { _ = try store.document("table") }
        tolerating { try store.putResource(Data(repeating: 1, count: 200), for: "k", mediaType: "", validator: "v") }
        tolerating { try store.ensureSpace(for: 1_000) }
        tolerating { _ = try store.evictResources(to: 0) }
        tolerating { _ = try store.check(repairs: true) }
        tolerating { try store.sweep() }
        tolerating { try store.checkpoint() }
    }

    private func tolerating(_ body: () throws -> Void) {
        do {
            try body()
        } catch let error as StoreError {
            Fuzz.expectOneLine(error)
        } catch {
            Fuzz.expect(false, "untyped error: \(error)")
        }
    }

    private func expectUntouched() throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: outside).sorted()
        Fuzz.expect(
            names == ["file", "folder", "folder/7", "folder/\(Self.file)", "folder/table"].sorted(),
            "files outside were added or removed: \(names)")
        for name in names where name != "folder" {
            Fuzz.expect(
                FileManager.default.contents(atPath: "\(outside)/\(name)") == Data("mine".utf8), "\(name) was changed")
        }
    }

    /// Returns the names in a folder with their kinds, modes, sizes and times.
    private func picture(_ folder: String) throws -> [String: String] {
        var picture: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            guard let status = try? FileStatus(path: "\(folder)/\(name)", followsLinks: false) else { continue }
            let mode = "\(status.kind) \(status.permissions)"
            picture[name] = "\(mode) \(status.size) \(status.modificationTime)"
        }
        return picture
    }
}
