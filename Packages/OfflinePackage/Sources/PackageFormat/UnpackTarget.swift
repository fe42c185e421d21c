// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CArchive

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The folder that an archive is unpacked into, and its temporary stand-in.
///
/// The folder above it may be one that others can write to, too. So the path is followed once; from then on all is made,
/// named and removed below descriptors, and what has taken the place of something that was made here is left alone.
final class UnpackTarget {
    /// Absolute, for messages.
    let directory: String
    /// Filled first, then renamed.
    private let content: FolderDescriptor
    /// The folder above the target, and those above that which did not exist, the outermost first.
    private let parent: FolderDescriptor
    private let made: [(name: String, parent: FolderDescriptor)]
    private let name: String
    private let temporaryName: String
    /// Folders of the archive that were made.
    private var known: Set<String> = []
    /// The folder of the last file: the next one is often in it, too.
    private var latest: (path: String, folder: FolderDescriptor)?

    /// Checks the target and makes the temporary folder.
    init(_ path: String) throws {
        var directory = path
        while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
        try Self.checkLinks(directory)
        let place = try Self.resolve(directory)
        guard let name = place.missing.last ?? place.existing.split(separator: "/").last.map(String.init),
            name != ".", name != "..", !place.missing.contains("..")
        else { throw PackageError(.occupied, "not a folder that can be made", at: path) }
        self.name = name
        let slash = place.existing.lastIndex(of: "/") ?? place.existing.startIndex
        let above = place.missing.isEmpty ? String(place.existing[...slash]) : place.existing
        var parent = try FolderDescriptor.resolved(above)
        if place.missing.isEmpty { try Self.checkEmpty(name, in: parent, at: path) }
        var made: [(name: String, parent: FolderDescriptor)] = []
        do {
            for name in place.missing.dropLast() where name != "." {
                if try parent.make(name) { made.append((name, parent)) }
                parent = try parent.place(name)
            }
            self.directory = "\(parent.path)/\(name)"
            temporaryName = ".\(name).\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
            content = try Self.makeContent(temporaryName, in: parent, at: path)
        } catch {
            Self.remove(made)
            throw error
        }
        self.parent = parent
        self.made = made
    }

    private static func makeContent(
        _ name: String, in parent: FolderDescriptor, at path: String
    ) throws -> FolderDescriptor {
        let isNew: Bool
        do {
            isNew = try parent.make(name)
        } catch let error as PackageError {
            throw PackageError(error.code, error.message, at: path)
        }
        // What has taken the new folder's place must not be filled.
        guard isNew, let content = try? parent.folder(name), content.isOwn() else {
            throw PackageError(.io, "make folder: another process has exchanged it", at: path)
        }
        return content
    }

    /// Makes the folders of an entry, and its file.
    func makeFile(_ path: ArchivePath) throws -> OutputFile {
        let parts = path.parts
        guard let name = parts.last else { throw PackageError(.io, "an entry without a name", at: directory) }
        return try OutputFile(creating: String(name), in: folder(parts.dropLast()))
    }

    private func folder(_ parts: some Collection<Substring>) throws -> FolderDescriptor {
        let path = parts.joined(separator: "/")
        if let latest, latest.path == path { return latest.folder }
        var folder = content
        var prefix = ""
        for part in parts {
            prefix += "/\(part)"
            if known.insert(prefix).inserted { _ = try folder.make(String(part)) }
            folder = try folder.place(String(part))
        }
        latest = (path, folder)
        return folder
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
            let status = syncfs(content.descriptor)
        #else
            let status = fsync(content.descriptor)
        #endif
        guard status == 0 else { throw PackageError(errno: errno, "sync", at: content.path) }
    }

    /// Gives the content its name. Replaces an empty folder; one that was filled meanwhile is left alone.
    func commit(durable: Bool) throws {
        guard renameat(parent.descriptor, temporaryName, parent.descriptor, name) == 0 else {
            let isFilled = errno == ENOTEMPTY || errno == EEXIST
            throw isFilled
                ? PackageError(.occupied, "the target folder is not empty", at: directory)
                : PackageError(errno: errno, "rename", at: directory)
        }
        guard content.has(name, in: parent) else {
            throw PackageError(.io, "rename: another process has exchanged the folder", at: directory)
        }
        // The content has its name already: a folder that cannot be synced must not turn that into an error.
        if durable, let folder = try? parent.folder(".") { _ = fsync(folder.descriptor) }
    }

    /// Removes what was made.
    func discard() {
        content.removeContent()
        if content.has(temporaryName, in: parent) { unlinkat(parent.descriptor, temporaryName, AT_REMOVEDIR) }
        Self.remove(made)
    }

    private static func remove(_ folders: [(name: String, parent: FolderDescriptor)]) {
        // Only where they are empty: someone else may have put something there.
        for (name, parent) in folders.reversed() { unlinkat(parent.descriptor, name, AT_REMOVEDIR) }
    }

    /// Refuses a path in which a name is a symbolic link of another user: it may lead anywhere.
    private static func checkLinks(_ path: String) throws {
        var prefix = path.hasPrefix("/") ? "/" : ""
        for name in path.split(separator: "/") {
            prefix += name
            var attributes = stat()
            guard lstat(prefix, &attributes) == 0 else { return }
            guard attributes.st_mode & S_IFMT != S_IFLNK || [0, geteuid()].contains(attributes.st_uid) else {
                throw PackageError(.io, "the target is reached by a symbolic link of another user", at: prefix)
            }
            prefix += "/"
        }
    }

    /// The part of a path that exists, absolute and without links, and the names below it that do not.
    private static func resolve(_ path: String) throws -> (existing: String, missing: [String]) {
        var existing = path
        var missing: [String] = []
        while true {
            if let real = realpath(existing.isEmpty ? "." : existing, nil) {
                defer { free(real) }
                return (String(cString: real), missing)
            }
            var attributes = stat()
            // A link without a target is no place to make a folder.
            guard errno == ENOENT, lstat(existing, &attributes) != 0 else {
                throw PackageError(.io, "the target cannot be reached", at: path)
            }
            let slash = existing.lastIndex(of: "/")
            let name = slash.map { String(existing[existing.index(after: $0)...]) } ?? existing
            if !name.isEmpty { missing.insert(name, at: 0) }
            existing = slash.map { $0 == existing.startIndex ? "/" : String(existing[..<$0]) } ?? ""
        }
    }

    private static func checkEmpty(_ name: String, in parent: FolderDescriptor, at path: String) throws {
        guard let attributes = parent.attributes(of: name), attributes.st_mode & S_IFMT == S_IFDIR else {
            throw PackageError(.occupied, "the target exists and is no folder", at: path)
        }
        var isEmpty = true
        try parent.place(name).forEachName { _ in
            isEmpty = false
            return false
        }
        guard isEmpty else { throw PackageError(.occupied, "the target folder is not empty", at: path) }
    }
}
