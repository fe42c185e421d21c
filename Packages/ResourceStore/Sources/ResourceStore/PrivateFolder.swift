// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import Logging
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An open folder of the app's own data.
///
/// Names are looked up relative to the descriptor. Replacing the folder with another folder or with a symbolic link
/// therefore has no effect on later lookups. The folder itself is opened by its path; below it, symbolic links are
/// rejected. Files and folders must belong to the process's user or to root. Folders are created with mode 0700 and
/// files with mode 0600. A wider mode is restricted when a file or folder is opened for writing.
///
/// Isolation: any. Calls block their thread.
@_spi(Facade) public final class PrivateFolder: Sendable {
    /// The path that the folder was opened by, for messages.
    public let path: String
    private let directory: DirectoryDescriptor

    /// The descriptor, open while this object lives.
    var descriptor: CInt { directory.descriptor }

    private init(unchecked directory: DirectoryDescriptor) {
        self.directory = directory
        path = directory.path
    }

    private convenience init(_ directory: DirectoryDescriptor, tightens: Bool) throws {
        self.init(unchecked: directory)
        try check(tightens: tightens)
    }

    /// Opens a folder by its path.
    /// - Parameters:
    ///   - path: an absolute or relative path. Symbolic links in the parent path are followed.
    ///   - followsLink: a Boolean value that indicates whether the last component may be a symbolic link.
    ///   - tightens: a Boolean value that indicates whether a mode that permits access by other users is changed to
    ///     0700.
    /// - Returns: `nil` if the folder does not exist.
    /// - Throws: ``StoreError``, with code `untrusted` if the folder belongs to another
    ///   user, is shared with other users like `/tmp`, or is a link that is not followed.
    public static func open(
        _ path: String, followsLink: Bool = true, tightens: Bool = true
    ) throws -> PrivateFolder? {
        let directory: DirectoryDescriptor
        do {
            directory = try DirectoryDescriptor(path: path, followsLink: followsLink)
        } catch {
            if error.number == ENOENT { return nil }
            guard (try? FileStatus(path: path, followsLinks: false))?.kind == .symbolicLink else {
                throw StoreError(error)
            }
            throw StoreError(.untrusted, "is a symbolic link", at: path)
        }
        return try PrivateFolder(directory, tightens: tightens)
    }

    /// Opens a subfolder.
    /// - Returns: `nil` if the name does not exist.
    /// - Throws: ``StoreError``, with code `untrusted` if the name is a symbolic link,
    ///   is not a folder or belongs to another user.
    public func subfolder(_ name: String, tightens: Bool = true) throws -> PrivateFolder? {
        guard let directory = try opened(name, { () throws(SystemError) in try directory.subdirectory(name) }) else {
            return nil
        }
        return try PrivateFolder(directory, tightens: tightens)
    }

    /// Opens a subfolder, and creates it if it does not exist.
    /// - Throws: ``StoreError``, as ``subfolder(_:tightens:)`` does.
    func makeSubfolder(_ name: String) throws -> PrivateFolder {
        _ = try StoreError.mappingSystem { try directory.makeDirectory(name, mode: 0o700) }
        guard let folder = try subfolder(name) else {
            throw StoreError(SystemError("open", number: ENOENT, at: location(of: name)))
        }
        return folder
    }

    /// Reads a file of this folder.
    /// - Parameters:
    ///   - name: the name of the file in this folder.
    ///   - limit: the maximum size of the file in bytes.
    /// - Returns: `nil` if the name does not exist, or if the file is larger than the limit.
    /// - Throws: ``StoreError``, with code `untrusted` if the name is a symbolic link,
    ///   is not a regular file or belongs to another user.
    public func contents(of name: String, upTo limit: Int) throws -> Data? {
        guard let file = try file(name), try file.status().size <= Int64(limit) else { return nil }
        var content = Data()
        try file.read { piece in
            guard content.count <= limit else { return }
            content.append(contentsOf: piece)
        }
        return content.count <= limit ? content : nil
    }

    /// Replaces a file atomically. After a kill, the old or the new file remains, and possibly a temporary file with
    /// the suffix `.new`. A power failure may lose the new file.
    /// - Throws: ``StoreError``.
    public func replace(_ name: String, with content: Data) throws {
        try StoreError.mappingSystem(at: location(of: name)) {
            try content.withUnsafeBytes { try directory.replaceFile(name, with: $0, isDurable: false) }
        }
    }

    /// Removes a file, or a symbolic link itself. Does nothing if the name does not exist.
    /// - Throws: ``StoreError``.
    public func remove(_ name: String) throws {
        try StoreError.mappingSystem { try directory.remove(name) }
    }

    /// Returns the names in this folder, unsorted. Names that are not UTF-8 are omitted.
    /// - Throws: ``StoreError``.
    public func names() throws -> [String] {
        var names: [String] = []
        try StoreError.mappingSystem {
            try directory.forEachName { name in
                if let name = String(validatingCString: name) { names.append(name) }
                return true
            }
        }
        return names
    }
}

// MARK: - For the store

extension PrivateFolder {
    /// Returns the path of a name, for messages and for libraries that accept only paths.
    func location(of name: String) -> String { directory.location(of: name) }

    /// Opens a file for reading.
    /// - Returns: `nil` if the name does not exist.
    /// - Throws: ``StoreError``, with code `untrusted` if the name is a symbolic link,
    ///   is not a regular file or belongs to another user.
    func file(_ name: String) throws -> StoredFile? {
        // `O_NONBLOCK` prevents blocking if the name is a pipe.
        let opening = { () throws(SystemError) in try self.directory.openFile(name, O_RDONLY | O_NONBLOCK) }
        guard let descriptor = try opened(name, opening) else { return nil }
        let file = StoredFile(descriptor, location(of: name))
        try Self.check(file.status(), is: .file, at: file.path)
        return file
    }

    /// Creates a file for writing. The name must not exist.
    func create(_ name: String) throws -> StoredFile {
        let descriptor = try StoreError.mappingSystem {
            try directory.openFile(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        }
        return StoredFile(descriptor, location(of: name))
    }

    /// Opens a file of the store for reading and writing, and optionally creates it empty.
    ///
    /// The file must have no second name, because writes would change the file of that name too. A mode that permits
    /// access by other users is restricted.
    /// - Parameter creates: a Boolean value that indicates whether a missing file is created.
    /// - Returns: the open file, or `nil` if it does not exist.
    /// - Throws: ``StoreError``, with code `untrusted` if the name is a link, is not a
    ///   regular file or belongs to another user.
    func ownFile(_ name: String, creates: Bool) throws -> StoredFile? {
        let flags = O_RDWR | O_NONBLOCK | (creates ? O_CREAT : 0)
        let opening = { () throws(SystemError) in try self.directory.openFile(name, flags, mode: 0o600) }
        guard let descriptor = try opened(name, opening) else { return nil }
        let file = StoredFile(descriptor, location(of: name))
        let status = try file.status()
        try Self.check(status, is: .file, at: file.path)
        guard status.linkCount <= 1 else {
            throw StoreError(.untrusted, "has a second name (hard link)", at: file.path)
        }
        Self.removePermissions(descriptor, status, at: file.path)
        return file
    }

    /// Returns the attributes of a name, or `nil` if it does not exist. A symbolic link is not followed.
    func attributes(of name: String) throws -> FileStatus? {
        try StoreError.mappingSystem { try directory.status(of: name) }
    }

    /// Returns the attributes of a regular file, or `nil` if there is none.
    func status(of name: String) throws -> FileStatus? {
        guard let status = try attributes(of: name), status.kind == .file else { return nil }
        return status
    }

    /// Moves a file to another folder and name, and replaces an existing file.
    func move(_ name: String, to folder: PrivateFolder, _ target: String) throws {
        try StoreError.mappingSystem { try directory.rename(name, to: folder.directory, target) }
    }

    /// Creates an empty file if the name does not exist.
    func createEmpty(_ name: String) throws {
        _ = try ownFile(name, creates: true)
    }

    /// Removes a file, a symbolic link itself, or a folder with its content. Does nothing if the name does not exist.
    /// - Parameter depth: the maximum depth of nested folders.
    func removeTree(_ name: String, depth: Int = 8) throws {
        guard let status = try attributes(of: name) else { return }
        guard status.kind == .directory else { return try remove(name) }
        guard depth > 0 else { throw StoreError(.io, "folders are nested too deeply", at: location(of: name)) }
        let folder = PrivateFolder(
            unchecked: try StoreError.mappingSystem { try directory.subdirectory(name) })
        for name in try folder.names() { try folder.removeTree(name, depth: depth - 1) }
        try StoreError.mappingSystem { try directory.removeDirectory(name) }
    }

    /// Flushes the names in this folder to the device. Blocks until that is done.
    /// - Parameter isThrough: see `FileIO.sync(_:isThrough:)`.
    func sync(isThrough: Bool = true) throws {
        try StoreError.mappingSystem { try directory.sync(isThrough: isThrough) }
    }
}

extension PrivateFolder {
    private func check(tightens: Bool) throws {
        let status = try StoreError.mappingSystem { try directory.status() }
        try Self.check(status, is: .directory, at: path)
        // The sticky bit indicates a folder for all users. The mode of that folder must not be restricted.
        guard status.permissions & UInt32(S_ISVTX) == 0 else {
            throw StoreError(.untrusted, "the folder is shared with other users", at: path)
        }
        if tightens { Self.removePermissions(descriptor, status, at: path) }
    }

    private static func check(_ status: FileStatus, is kind: FileStatus.Kind, at path: String) throws {
        guard status.kind == kind else {
            throw StoreError(.untrusted, kind == .directory ? "is not a folder" : "is not a regular file", at: path)
        }
        guard status.isTrusted else {
            throw StoreError(
                .untrusted, "belongs to user \(status.user), but this process runs as user \(geteuid())", at: path)
        }
    }

    /// Removes the permissions of other users.
    private static func removePermissions(_ descriptor: CInt, _ status: FileStatus, at path: String) {
        let excess = status.permissions & 0o077
        guard excess != 0, fchmod(descriptor, mode_t(status.permissions & 0o7700)) != 0 else { return }
        // A failure is only logged: some file systems have no modes, and an existing store must stay readable.
        Logger(label: "container.store").warning(
            "other users may read or change the store",
            metadata: ["path": "\(path)", "reason": "\(SystemError.lastReason)"])
    }

    /// Opens a name, or returns `nil` if it does not exist.
    private func opened<Value>(_ name: String, _ open: () throws(SystemError) -> Value) throws -> Value? {
        do {
            return try open()
        } catch {
            if error.number == ENOENT { return nil }
            throw refusal(of: name, error)
        }
    }

    /// Returns the error for a name that could not be opened.
    private func refusal(of name: String, _ error: SystemError) -> StoreError {
        let location = location(of: name)
        guard let status = try? attributes(of: name) else { return StoreError(error) }
        switch status.kind {
        case .symbolicLink: return StoreError(.untrusted, "is a symbolic link", at: location)
        case .directory where error.number == EISDIR:
            return StoreError(.untrusted, "is not a regular file", at: location)
        case _ where error.number == ENOTDIR: return StoreError(.untrusted, "is not a folder", at: location)
        // `ENXIO`: a socket, or a device without a driver.
        case _ where error.number == ENXIO: return StoreError(.untrusted, "is not a regular file", at: location)
        default: return StoreError(error)
        }
    }
}
