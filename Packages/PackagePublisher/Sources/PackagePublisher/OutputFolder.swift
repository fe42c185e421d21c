// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat

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

/// The folder that a package is written into.
struct OutputFolder {
    private let path: String
    private let token = String(UInt64.random(in: .min ... .max), radix: 36)
    /// Folders that did not exist, the outermost first.
    private let made: [String]

    /// - Throws: `PackageError` with code `occupied` where the folder lies inside of `site`: the package would find
    ///   its way into the next one.
    init(_ path: String, outside site: String) throws {
        self.path = path.isEmpty ? "." : path
        // The part that exists decides where the rest will lie; nothing is made before that is known.
        var missing: [String] = []
        var existing = self.path
        while access(existing, F_OK) != 0, errno == ENOENT {
            missing.insert(existing, at: 0)
            existing = Self.parent(of: existing)
        }
        var status = stat()
        guard stat(existing, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR else {
            throw PackageError(.io, "the output is to be a folder, and this is none", at: existing)
        }
        let output = try Self.real(existing)
        let root = try Self.real(site)
        guard output != root, !output.hasPrefix(root == "/" ? "/" : root + "/") else {
            throw PackageError(.occupied, "the output folder lies inside of the site", at: path)
        }
        made = missing
        for folder in missing where mkdir(folder, 0o755) != 0 && errno != EEXIST {
            let error = PackageError(.io, "make folder: \(String(cString: strerror(errno)))", at: folder)
            removeFolders()
            throw error
        }
    }

    private func removeFolders() {
        // Only where they are empty: someone else may have put something there.
        for folder in made.reversed() { rmdir(folder) }
    }

    func temporary(for name: String) -> String { "\(path)/.\(name).\(token).partial" }

    /// Writes a small file and forces it to the disk.
    func write(_ data: Data, to file: String) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw PackageError(errno: errno, "create", at: file) }
        defer { close(descriptor) }
        try data.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                #if canImport(Glibc)
                    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                #elseif canImport(Musl)
                    let count = Musl.write(descriptor, rest.baseAddress, rest.count)
                #else
                    let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
                #endif
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw PackageError(errno: errno, "write", at: file) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        guard fsync(descriptor) == 0 else { throw PackageError(errno: errno, "sync", at: file) }
    }

    /// Gives the temporary files their names, in this order, and returns the paths.
    func commit(_ files: [(temporary: String, name: String)]) throws -> [String] {
        let places = files.map { "\(path)/\($0.name)" }
        // What would fail is found before the first rename.
        for place in places {
            var status = stat()
            guard lstat(place, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
                throw PackageError(.occupied, "something other than a file has the package's name", at: place)
            }
        }
        for (file, place) in zip(files, places) where rename(file.temporary, place) != 0 {
            throw PackageError(errno: errno, "rename", at: place)
        }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 {
            // The names are there already: a folder that cannot be synced must not turn that into an error.
            fsync(descriptor)
            close(descriptor)
        }
        return places
    }

    func discard(_ files: [String]) {
        for file in files { unlink(file) }
        removeFolders()
    }

    private static func parent(of path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func real(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else { throw PackageError(errno: errno, "resolve", at: path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
