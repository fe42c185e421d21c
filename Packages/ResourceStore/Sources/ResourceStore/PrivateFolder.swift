// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A folder of the app's own data, open as a descriptor.
///
/// Names are looked up below the descriptor, so that a folder which is exchanged for another one, or for a symbolic link,
/// leads nowhere else. The folder itself is reached by its path; below it, symbolic links are refused. What it opens must
/// belong to the process's user or to root, who is trusted anyway. Folders are made with mode 0700 and files with mode
/// 0600; what has a wider mode is tightened when it is opened for writing.
///
/// Isolation: any. Calls block their thread.
public final class PrivateFolder: Sendable {
    /// The path by which the folder was opened, for messages.
    public let path: String
    /// Open as long as the object lives.
    let descriptor: CInt

    private init(_ descriptor: CInt, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Opens a folder by its path.
    /// - Parameters:
    ///   - path: an absolute or relative path. Symbolic links on the way are followed.
    ///   - followsLink: whether the folder itself may be reached by a symbolic link.
    ///   - tightens: whether a mode that lets other users in is changed to 0700.
    /// - Returns: `nil` if there is no such folder.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if the folder belongs to another user
    ///   or is shared with other users, as `/tmp` is, or is a link that is not followed.
    public static func open(
        _ path: String, followsLink: Bool = true, tightens: Bool = true
    ) throws -> PrivateFolder? {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
        let descriptor = SystemCall.open(path, flags)
        guard descriptor >= 0 else {
            let failure = errno
            if failure == ENOENT { return nil }
            var attributes = stat()
            guard lstat(path, &attributes) == 0, attributes.st_mode & S_IFMT == S_IFLNK else {
                throw StoreError(errno: failure, "open", at: path)
            }
            throw StoreError(.untrusted, "is a symbolic link", at: path)
        }
        let folder = PrivateFolder(descriptor, path)
        try folder.check(tightens: tightens)
        return folder
    }

    /// Opens a folder in this one.
    /// - Returns: `nil` if there is no such name.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if the name is a symbolic link, is no
    ///   folder or belongs to another user.
    public func subfolder(_ name: String, tightens: Bool = true) throws -> PrivateFolder? {
        let descriptor = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            let failure = errno
            if failure == ENOENT { return nil }
            throw refusal(of: name, failure, "open")
        }
        let folder = PrivateFolder(descriptor, location(of: name))
        try folder.check(tightens: tightens)
        return folder
    }

    /// Opens a folder in this one, which is made if there is none.
    /// - Throws: ``StoreError``, as ``subfolder(_:tightens:)`` does.
    public func makeSubfolder(_ name: String) throws -> PrivateFolder {
        if mkdirat(descriptor, name, 0o700) != 0, errno != EEXIST {
            throw StoreError(errno: errno, "mkdir", at: location(of: name))
        }
        guard let folder = try subfolder(name) else { throw StoreError(errno: ENOENT, "open", at: location(of: name)) }
        return folder
    }

    /// Reads a file of this folder.
    /// - Parameter limit: in bytes.
    /// - Returns: `nil` if there is no such name, or if the file is larger than the limit.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if the name is a symbolic link, is no
    ///   file or belongs to another user.
    public func contents(of name: String, upTo limit: Int) throws -> Data? {
        guard let file = try file(name), try file.status().size <= Int64(limit) else { return nil }
        var content = Data()
        try file.read { piece in
            guard content.count <= limit else { return }
            content.append(contentsOf: piece)
        }
        return content.count <= limit ? content : nil
    }

    /// Puts a file in the place of the one before. A kill leaves the one or the other, and perhaps a file whose name is
    /// this one's and ends in `.new`; a power cut may lose the new one.
    /// - Throws: ``StoreError``.
    public func replace(_ name: String, with content: Data) throws {
        let temporary = name + ".new"
        // Left by a kill, or a link that leads elsewhere: the name is removed, never what it leads to.
        try remove(temporary)
        let file = try create(temporary)
        do {
            try file.write(content)
            try move(temporary, to: self, name)
        } catch {
            try? remove(temporary)
            throw error
        }
    }

    /// Removes a file, or a symbolic link itself; a name that is not there is fine.
    /// - Throws: ``StoreError``.
    public func remove(_ name: String) throws {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw StoreError(errno: errno, "unlink", at: location(of: name))
        }
    }

    /// The names in this folder, in no order. Names that are not UTF-8 are left out.
    /// - Throws: ``StoreError``.
    public func names() throws -> [String] {
        // A descriptor of its own: the place of a listing belongs to the open folder.
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw StoreError(errno: errno, "open", at: path) }
        guard let listing = fdopendir(copy) else {
            let failure = errno
            close(copy)
            throw StoreError(errno: failure, "opendir", at: path)
        }
        defer { closedir(listing) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(listing) else {
                guard errno == 0 else { throw StoreError(errno: errno, "readdir", at: path) }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 1) { String(validatingCString: $0) }
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
    }
}

// MARK: - For the store

extension PrivateFolder {
    /// The path of a name, for messages and for libraries that know only paths.
    func location(of name: String) -> String { "\(path)/\(name)" }

    /// Opens a file for reading.
    /// - Returns: `nil` if there is no such name.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if the name is a symbolic link, is no
    ///   file or belongs to another user.
    func file(_ name: String) throws -> StoredFile? {
        // A pipe in its place must not block.
        let descriptor = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let failure = errno
            if failure == ENOENT { return nil }
            throw refusal(of: name, failure, "open")
        }
        let file = StoredFile(descriptor, location(of: name))
        try Self.check(try file.attributes(), is: S_IFREG, at: file.path)
        return file
    }

    /// Makes a file for writing; its name must be new.
    func create(_ name: String) throws -> StoredFile {
        let descriptor = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(errno: errno, "create", at: location(of: name)) }
        return StoredFile(descriptor, location(of: name))
    }

    /// Makes a file without bytes, if there is none, and checks it as the store's own: one that is written to by other
    /// means must have no second name, and no other user may read it.
    /// - Parameter creates: whether to make it.
    /// - Returns: the file, open for reading and writing, or `nil` if there is none.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if the name is a link, is no file or
    ///   belongs to another user.
    func ownFile(_ name: String, creates: Bool) throws -> StoredFile? {
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (creates ? O_CREAT : 0)
        let descriptor = openat(descriptor, name, flags, 0o600)
        guard descriptor >= 0 else {
            let failure = errno
            if failure == ENOENT { return nil }
            throw refusal(of: name, failure, "open")
        }
        let file = StoredFile(descriptor, location(of: name))
        let attributes = try file.attributes()
        try Self.check(attributes, is: S_IFREG, at: file.path)
        guard attributes.st_nlink <= 1 else {
            throw StoreError(.untrusted, "has a second name, a hard link", at: file.path)
        }
        Self.tighten(descriptor, attributes, at: file.path)
        return file
    }

    /// The attributes of a name, which are a symbolic link's own; `nil` if it is not there.
    func attributes(of name: String) throws -> stat? {
        var attributes = stat()
        guard fstatat(descriptor, name, &attributes, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw StoreError(errno: errno, "stat", at: location(of: name))
        }
        return attributes
    }

    /// The status of a regular file, or `nil` if there is none.
    func status(of name: String) throws -> FileStatus? {
        guard let attributes = try attributes(of: name), attributes.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileStatus(attributes)
    }

    /// Gives a file another name, in place of what has it.
    func move(_ name: String, to folder: PrivateFolder, _ target: String) throws {
        guard renameat(descriptor, name, folder.descriptor, target) == 0 else {
            throw StoreError(errno: errno, "rename", at: folder.location(of: target))
        }
    }

    /// Makes a file without bytes, if there is none.
    func createEmpty(_ name: String) throws {
        _ = try ownFile(name, creates: true)
    }

    /// Removes a folder with all that is in it, or a file, or a symbolic link itself; a name that is not there is fine.
    /// - Parameter depth: the number of folders within folders that are gone into.
    func removeTree(_ name: String, depth: Int = 8) throws {
        guard let attributes = try attributes(of: name) else { return }
        guard attributes.st_mode & S_IFMT == S_IFDIR else { return try remove(name) }
        guard depth > 0 else { throw StoreError(.io, "too many folders within folders", at: location(of: name)) }
        let descriptor = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(errno: errno, "open", at: location(of: name)) }
        let folder = PrivateFolder(descriptor, location(of: name))
        for name in try folder.names() { try folder.removeTree(name, depth: depth - 1) }
        guard unlinkat(self.descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT else {
            throw StoreError(errno: errno, "rmdir", at: location(of: name))
        }
    }

    /// Makes the names in this folder safe from a power cut. Blocks until the device has them.
    func secure() throws {
        try StoredFile.sync(descriptor, at: path)
    }
}

extension PrivateFolder {
    private func check(tightens: Bool) throws {
        let attributes = try StoredFile.attributes(of: descriptor, at: path)
        try Self.check(attributes, is: S_IFDIR, at: path)
        // The mark of a folder that is meant for everybody, which must not be closed to them either.
        guard attributes.st_mode & S_ISVTX == 0 else {
            throw StoreError(.untrusted, "the folder is shared with other users", at: path)
        }
        if tightens { Self.tighten(descriptor, attributes, at: path) }
    }

    private static func check(_ attributes: stat, is kind: mode_t, at path: String) throws {
        guard attributes.st_mode & S_IFMT == kind else {
            throw StoreError(.untrusted, kind == S_IFDIR ? "is no folder" : "is no file", at: path)
        }
        let user = geteuid()
        guard attributes.st_uid == user || attributes.st_uid == 0 else {
            throw StoreError(
                .untrusted, "belongs to user \(attributes.st_uid), and this process is of user \(user)", at: path)
        }
    }

    /// Takes away what other users may do.
    private static func tighten(_ descriptor: CInt, _ attributes: stat, at path: String) {
        let excess = attributes.st_mode & 0o077
        guard excess != 0, fchmod(descriptor, attributes.st_mode & 0o7700) != 0 else { return }
        // No error: some file systems have no modes, and a store that was there must stay readable.
        Logger(label: "container.store").warning(
            "other users may read or change the store",
            metadata: ["path": "\(path)", "reason": "\(String(cString: strerror(errno)))"])
    }

    /// The reason why a name could not be opened.
    private func refusal(of name: String, _ failure: CInt, _ call: String) -> StoreError {
        let location = location(of: name)
        guard let attributes = try? attributes(of: name) else { return StoreError(errno: failure, call, at: location) }
        switch attributes.st_mode & S_IFMT {
        case S_IFLNK: return StoreError(.untrusted, "is a symbolic link", at: location)
        case S_IFDIR where failure == EISDIR: return StoreError(.untrusted, "is no file", at: location)
        case _ where failure == ENOTDIR: return StoreError(.untrusted, "is no folder", at: location)
        // A socket, or a device without a driver.
        case _ where failure == ENXIO: return StoreError(.untrusted, "is no file", at: location)
        default: return StoreError(errno: failure, call, at: location)
        }
    }
}
