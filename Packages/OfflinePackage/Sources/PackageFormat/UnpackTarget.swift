// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CArchive

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The folder that an archive is unpacked into, and its temporary stand-in.
struct UnpackTarget {
    /// Absolute or relative, without a slash at the end.
    let directory: String
    /// Filled first, then renamed.
    let temporary: String
    private let parent: String
    /// Folders above the target that did not exist, the outermost first.
    private let made: [String]

    /// Checks the target and makes the temporary folder.
    init(_ path: String) throws {
        var directory = path
        while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
        var status = stat()
        if stat(directory, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw PackageError(.occupied, "the target exists and is no folder", at: path)
            }
            guard try Self.isEmpty(directory) else {
                throw PackageError(.occupied, "the target folder is not empty", at: path)
            }
            // `.`, or a link to a folder: the folder itself is what gets replaced.
            guard let real = realpath(directory, nil) else {
                throw PackageError(errno: errno, "resolve", at: path)
            }
            directory = String(cString: real)
            free(real)
        } else {
            var link = stat()
            guard errno == ENOENT, lstat(directory, &link) != 0 else {
                throw PackageError(.io, "the target cannot be reached", at: path)
            }
        }
        let slash = directory.lastIndex(of: "/")
        let name = slash.map { String(directory[directory.index(after: $0)...]) } ?? directory
        guard !name.isEmpty, name != ".", name != ".." else {
            throw PackageError(.occupied, "not a folder that can be made", at: path)
        }
        parent = slash.map { $0 == directory.startIndex ? "/" : String(directory[..<$0]) } ?? "."
        self.directory = directory
        made = try Self.make(parent)
        let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
        temporary = "\(parent)/.\(name).\(suffix).partial"
        guard mkdir(temporary, 0o755) == 0 else {
            // Above it all is there: some file systems say that it is not where nothing can be made.
            let error = PackageError(.io, "make folder: \(String(cString: strerror(errno)))", at: path)
            Self.remove(made)
            throw error
        }
    }

    /// Makes the folders of one entry; `known` holds those made already.
    func makeFolders(_ parts: some Collection<Substring>, known: inout Set<String>) throws {
        var folder = ""
        for part in parts {
            folder += "/\(part)"
            guard !known.contains(folder) else { continue }
            guard mkdir(temporary + folder, 0o755) == 0 || errno == EEXIST else {
                throw PackageError(errno: errno, "make folder", at: temporary + folder)
            }
            known.insert(folder)
        }
    }

    /// Whether ``syncContent()`` covers the files too.
    static var syncsAsWhole: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Forces the content to the disk.
    func syncContent() throws {
        #if os(Linux)
            try withFolder(temporary) { syncfs($0) }
        #else
            try withFolder(temporary) { fsync($0) }
        #endif
    }

    /// Gives the content its name. Replaces an empty folder; one that was filled meanwhile is left alone.
    func commit(durable: Bool) throws {
        guard rename(temporary, directory) == 0 else {
            let isFilled = errno == ENOTEMPTY || errno == EEXIST
            throw isFilled
                ? PackageError(.occupied, "the target folder is not empty", at: directory)
                : PackageError(errno: errno, "rename", at: directory)
        }
        // The content has its name already: a folder that cannot be synced must not turn that into an error.
        if durable { try? withFolder(parent) { fsync($0) } }
    }

    /// Removes what was made.
    func discard() {
        try? FileManager.default.removeItem(atPath: temporary)
        Self.remove(made)
    }

    private func withFolder(_ path: String, _ body: (CInt) -> CInt) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PackageError(errno: errno, "open", at: path) }
        defer { close(descriptor) }
        guard body(descriptor) == 0 else { throw PackageError(errno: errno, "sync", at: path) }
    }

    private static func isEmpty(_ directory: String) throws -> Bool {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty
        } catch {
            throw PackageError(.io, "the target folder cannot be listed", at: directory, cause: error)
        }
    }

    /// Makes a folder and those above it.
    /// - Returns: the ones that did not exist, the outermost first.
    private static func make(_ folder: String) throws -> [String] {
        var missing: [String] = []
        var path = folder
        while access(path, F_OK) != 0, errno == ENOENT, !path.isEmpty {
            missing.insert(path, at: 0)
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { break }
            path = String(path[..<slash])
        }
        for (index, path) in missing.enumerated() where mkdir(path, 0o755) != 0 && errno != EEXIST {
            let error = PackageError(.io, "make folder: \(String(cString: strerror(errno)))", at: path)
            remove(Array(missing[..<index]))
            throw error
        }
        return missing
    }

    private static func remove(_ folders: [String]) {
        // Only where they are empty: someone else may have put something there.
        for folder in folders.reversed() { rmdir(folder) }
    }
}
