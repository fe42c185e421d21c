// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The output folder of a package.
struct OutputFolder {
    private let path: String
    private let token = RandomToken.hex(byteCount: 8)
    /// The folders that were created, from the outermost to the innermost.
    private let createdFolders: [String]

    /// Creates missing folders of a path.
    /// - Throws: `PackageError` with code `occupied` if the folder lies inside `site`, because the next package would
    ///   contain this package.
    init(_ path: String, outside site: String) throws {
        self.path = path.isEmpty ? "." : path
        // The existing part determines the location of the rest, so it is checked before any folder is created.
        var missing: [String] = []
        var existing = self.path
        while access(existing, F_OK) != 0, errno == ENOENT {
            missing.insert(existing, at: 0)
            existing = Self.parent(of: existing)
        }
        let status = try? FileStatus(path: existing, followsLinks: true)
        guard status == nil || status?.kind == .directory else {
            throw PackageError(.io, "the output path is not a folder", at: existing)
        }
        let output = try Self.real(existing)
        let root = try Self.real(site)
        // The paths are compared by bytes: a slash and the scalars after it can be one `Character`.
        guard !"\(output)/".utf8.starts(with: (root == "/" ? "/" : root + "/").utf8) else {
            throw PackageError(.occupied, "the output folder lies inside the site", at: path)
        }
        createdFolders = missing
        for folder in missing where mkdir(folder, 0o755) != 0 && errno != EEXIST {
            let error = PackageError(.io, "create folder: \(SystemError.lastReason)", at: folder)
            removeFolders()
            throw error
        }
    }

    private func removeFolders() {
        // `rmdir` removes only empty folders, because other processes may have added items.
        for folder in createdFolders.reversed() { rmdir(folder) }
    }

    func temporary(for name: String) -> String { "\(path)/.\(name).\(token).partial" }

    /// Writes a small file and syncs it to disk.
    func write(_ data: Data, to file: String) throws {
        try SystemError.mapping {
            let descriptor = try FileIO.open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
            defer { close(descriptor) }
            try data.withUnsafeBytes { try FileIO.write($0, to: descriptor) }
            try FileIO.sync(descriptor)
        } to: {
            PackageError($0, ["open": "create", "fsync": "sync"][$0.call], at: file)
        }
    }

    /// Renames the temporary files in the given order and returns their paths.
    func commit(_ files: [(temporary: String, name: String)]) throws -> [String] {
        let places = files.map { "\(path)/\($0.name)" }
        // Obstacles are detected before the first rename.
        for place in places {
            let status = try? FileStatus(path: place, followsLinks: false)
            guard status == nil || status?.kind == .file else {
                throw PackageError(.occupied, "an item that is not a file has the package's name", at: place)
            }
        }
        for (file, place) in zip(files, places) {
            try SystemError.mapping {
                try FileSystem.rename(file.temporary, to: place)
            } to: {
                PackageError($0)
            }
        }
        // The renames have succeeded, so a failure to sync the folder is not an error.
        try? DirectoryDescriptor(path: path).sync()
        return places
    }

    func discard(_ files: [String]) {
        for file in files { unlink(file) }
        removeFolders()
    }

    private static func parent(of path: String) -> String {
        var path = path[...]
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path = Substring(path.utf8.dropLast()) }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func real(_ path: String) throws -> String {
        try SystemError.mapping {
            try FileSystem.resolve(path)
        } to: {
            PackageError($0, "resolve")
        }
    }
}
