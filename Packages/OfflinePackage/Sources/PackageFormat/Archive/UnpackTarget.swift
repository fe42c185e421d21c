// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport
internal import WebSyntax

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The folder that an archive is unpacked into, with its temporary folder.
///
/// Other users may be able to write to the parent folder. Therefore the path is resolved once, and all later operations
/// use directory descriptors. If another process has replaced a created item, the replacement is not changed.
final class UnpackTarget {
    /// The absolute path, for messages.
    let directory: String
    /// The temporary folder, which is filled and then renamed.
    private let content: DirectoryDescriptor
    /// The parent folder of the target.
    private let parent: DirectoryDescriptor
    /// The parent folders that were created, from the outermost to the innermost.
    private let createdParents: [(name: String, parent: DirectoryDescriptor)]
    private let name: String
    private let temporaryName: String
    /// The paths of the archive's folders that were created.
    private var known: Set<ByteText> = []
    /// The folder of the last file, because the next file is often in the same folder.
    private var latest: (path: String, folder: DirectoryDescriptor)?

    /// Checks the target and creates the temporary folder.
    init(_ path: String) throws {
        var directory = path
        // Paths are split and compared by bytes, because a slash and the scalars around it can be one `Character`.
        while directory.utf8.count > 1, directory.utf8.last == slash {
            directory = String(Substring(directory.utf8.dropLast()))
        }
        try Self.checkLinks(directory)
        let place = try Self.resolve(directory)
        let last = place.existing.utf8.split(separator: slash).last
        guard let name = place.missing.last ?? last.map({ String(Substring($0)) }),
            name != ".", name != "..", !place.missing.contains("..")
        else { throw PackageError(.occupied, "the target is not a folder that can be created", at: path) }
        self.name = name
        let end = place.existing.utf8.lastIndex(of: slash) ?? place.existing.startIndex
        let above = place.missing.isEmpty ? String(place.existing[...end]) : place.existing
        var parent = try SystemError.mapping {
            try DirectoryDescriptor.resolved(above)
        } to: {
            PackageError($0)
        }
        if place.missing.isEmpty { try Self.checkEmpty(name, in: parent, at: path) }
        var created: [(name: String, parent: DirectoryDescriptor)] = []
        do {
            for name in place.missing.dropLast() where name != "." {
                if try Self.make(name, in: parent) { created.append((name, parent)) }
                parent = try Self.open(name, in: parent)
            }
            self.directory = "\(parent.path)/\(name)"
            temporaryName = ".\(name).\(RandomToken.hex(byteCount: 8)).partial"
            content = try Self.makeContent(temporaryName, in: parent, at: path)
        } catch {
            Self.remove(created)
            throw error
        }
        self.parent = parent
        self.createdParents = created
    }

    private static func makeContent(
        _ name: String, in parent: DirectoryDescriptor, at path: String
    ) throws -> DirectoryDescriptor {
        let isNew: Bool
        do {
            isNew = try make(name, in: parent)
        } catch let error as PackageError {
            throw PackageError(error.code, error.message, at: path)
        }
        // If another item has replaced the new folder, it must not be filled.
        guard isNew, let content = try? parent.subdirectory(name),
            (try? content.status())?.user == geteuid()
        else {
            throw PackageError(.io, "create folder: another process has replaced it", at: path)
        }
        return content
    }

    /// Creates a folder in another one.
    /// - Returns: `true` if the folder did not exist.
    private static func make(_ name: String, in parent: DirectoryDescriptor) throws -> Bool {
        try SystemError.mapping {
            try parent.makeDirectory(name, mode: 0o755)
        } to: {
            // The code is `io` even for ENOENT, which some file systems report if they do not permit creation.
            PackageError(.io, "create folder: \($0.reason)", at: $0.path)
        }
    }

    /// Opens a folder in another one for the lookup of names.
    private static func open(_ name: String, in parent: DirectoryDescriptor) throws -> DirectoryDescriptor {
        try SystemError.mapping {
            try parent.subdirectory(name, access: .lookup)
        } to: {
            PackageError($0)
        }
    }

    /// Creates the folders and the file of an entry.
    func makeFile(_ path: ArchivePath) throws -> OutputFile {
        let parts = path.parts
        guard let name = parts.last else { throw PackageError(.io, "the entry has no name", at: directory) }
        return try OutputFile(creating: String(name), in: folder(parts.dropLast()))
    }

    private func folder(_ parts: some Collection<Substring>) throws -> DirectoryDescriptor {
        let path = parts.joined(separator: "/")
        if let latest, latest.path.hasSameBytes(as: path) { return latest.folder }
        var folder = content
        var prefix = ""
        for part in parts {
            prefix += "/\(part)"
            if known.insert(ByteText(prefix)).inserted {
                // Some file systems do not distinguish names that differ in case or Unicode form.
                guard try Self.make(String(part), in: folder) else {
                    throw PackageError(
                        .duplicateEntry, "the folder exists already, under another spelling of its name",
                        at: String(Substring(prefix.utf8.dropFirst())))
                }
            }
            folder = try Self.open(String(part), in: folder)
        }
        latest = (path, folder)
        return folder
    }

    /// A Boolean value that indicates whether ``syncContent()`` also covers the files.
    static var syncsAsWhole: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Flushes the content to the device. On Darwin each file was flushed before, and this call empties the device's
    /// cache.
    func syncContent() throws {
        try SystemError.mapping {
            try FileIO.syncFileSystem(of: content.descriptor)
        } to: {
            PackageError($0, "sync", at: content.path)
        }
    }

    /// Renames the content to the target's name. Replaces an empty folder; fails if the folder is not empty.
    func commit(durable: Bool) throws {
        try SystemError.mapping {
            try parent.rename(temporaryName, to: parent, name)
        } to: {
            [ENOTEMPTY, EEXIST].contains($0.number)
                ? PackageError(.occupied, "the target folder is not empty", at: directory)
                : PackageError($0, at: directory)
        }
        guard content.has(name, in: parent) else {
            throw PackageError(.io, "rename: another process has replaced the folder", at: directory)
        }
        // The rename has succeeded, so a failure to sync the parent folder is not an error.
        if durable { try? parent.subdirectory(".").sync() }
    }

    /// Removes everything that was created. Ignores errors.
    /// - Parameter depth: the maximum depth of the folders that were created.
    func discard(depth: Int) {
        try? content.removeContent(depth: depth)
        if content.has(temporaryName, in: parent) { try? parent.removeDirectory(temporaryName) }
        Self.remove(createdParents)
    }

    private static func remove(_ folders: [(name: String, parent: DirectoryDescriptor)]) {
        // `removeDirectory` removes only empty folders, because other processes may have added items.
        for (name, parent) in folders.reversed() { try? parent.removeDirectory(name) }
    }

    /// Rejects a path with a symbolic link of another user, because the link may lead anywhere.
    private static func checkLinks(_ path: String) throws {
        var prefix = path.utf8.first == slash ? "/" : ""
        for name in path.utf8.split(separator: slash) {
            prefix += Substring(name)
            guard let status = try? FileStatus(path: prefix, followsLinks: false) else { return }
            guard status.kind != .symbolicLink || status.isTrusted else {
                throw PackageError(.io, "the path of the target contains a symbolic link of another user", at: prefix)
            }
            prefix += "/"
        }
    }

    /// Returns the existing part of a path, absolute and without links, and the names below it that do not exist.
    private static func resolve(_ path: String) throws -> (existing: String, missing: [String]) {
        var existing = path
        var missing: [String] = []
        while true {
            do {
                return (try FileSystem.resolve(existing.isEmpty ? "." : existing), missing)
            } catch {
                // A folder cannot be created at a dangling link.
                guard error.number == ENOENT, (try? FileStatus(path: existing, followsLinks: false)) == nil else {
                    throw PackageError(.io, "the path of the target cannot be resolved", at: path)
                }
            }
            let end = existing.utf8.lastIndex(of: slash)
            let name = end.map { String(existing[existing.utf8.index(after: $0)...]) } ?? existing
            if !name.isEmpty { missing.insert(name, at: 0) }
            existing = end.map { $0 == existing.startIndex ? "/" : String(existing[..<$0]) } ?? ""
        }
    }

    private static func checkEmpty(_ name: String, in parent: DirectoryDescriptor, at path: String) throws {
        guard let status = try? parent.status(of: name), status.kind == .directory else {
            throw PackageError(.occupied, "the target exists and is not a folder", at: path)
        }
        var isEmpty = true
        try SystemError.mapping {
            try parent.subdirectory(name, access: .lookup).forEachName { _ in
                isEmpty = false
                return false
            }
        } to: {
            PackageError($0, $0.call == "open" ? nil : "list")
        }
        guard isEmpty else { throw PackageError(.occupied, "the target folder is not empty", at: path) }
    }
}

private let slash = UInt8(ascii: "/")
