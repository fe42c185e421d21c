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
    private let directory: DirectoryDescriptor

    /// The descriptor, open while the object lives.
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
    ///   - path: an absolute or relative path. Symbolic links on the way are followed.
    ///   - followsLink: whether the folder itself may be reached by a symbolic link.
    ///   - tightens: whether a mode that lets other users in is changed to 0700.
    /// - Returns: `nil` if there is no such folder.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if the folder belongs to another user
    ///   or is shared with other users, as `/tmp` is, or is a link that is not followed.
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

    /// Opens a folder in this one.
    /// - Returns: `nil` if there is no such name.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if the name is a symbolic link, is no
    ///   folder or belongs to another user.
    public func subfolder(_ name: String, tightens: Bool = true) throws -> PrivateFolder? {
        guard let directory = try opened(name, { () throws(SystemError) in try directory.subdirectory(name) }) else {
            return nil
        }
        return try PrivateFolder(directory, tightens: tightens)
    }

    /// Opens a folder in this one, which is made if there is none.
    /// - Throws: ``StoreError``, as ``subfolder(_:tightens:)`` does.
    public func makeSubfolder(_ name: String) throws -> PrivateFolder {
        _ = try SystemError.mapping {
            try directory.makeDirectory(name, mode: 0o700)
        } to: {
            StoreError($0)
        }
        guard let folder = try subfolder(name) else {
            throw StoreError(SystemError("open", number: ENOENT, at: location(of: name)))
        }
        return folder
    }

    /// Reads a file of this folder.
    /// - Parameters:
    ///   - name: the name of the file in this folder.
    ///   - limit: the maximum size of the file, in bytes.
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
        try SystemError.mapping {
            try content.withUnsafeBytes { try directory.replaceFile(name, with: $0, isDurable: false) }
        } to: {
            StoreError($0, at: location(of: name))
        }
    }

    /// Removes a file, or a symbolic link itself; a name that is not there is fine.
    /// - Throws: ``StoreError``.
    public func remove(_ name: String) throws {
        try SystemError.mapping {
            try directory.remove(name)
        } to: {
            StoreError($0)
        }
    }

    /// The names in this folder, in no order. Names that are not UTF-8 are left out.
    /// - Throws: ``StoreError``.
    public func names() throws -> [String] {
        var names: [String] = []
        try SystemError.mapping {
            try directory.forEachName { name in
                if let name = String(validatingCString: name) { names.append(name) }
                return true
            }
        } to: {
            StoreError($0)
        }
        return names
    }
}

// MARK: - For the store

extension PrivateFolder {
    /// The path of a name, for messages and for libraries that know only paths.
    func location(of name: String) -> String { directory.location(of: name) }

    /// Opens a file for reading.
    /// - Returns: `nil` if there is no such name.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if the name is a symbolic link, is no
    ///   file or belongs to another user.
    func file(_ name: String) throws -> StoredFile? {
        // A pipe in its place must not block.
        let opening = { () throws(SystemError) in try self.directory.openFile(name, O_RDONLY | O_NONBLOCK) }
        guard let descriptor = try opened(name, opening) else { return nil }
        let file = StoredFile(descriptor, location(of: name))
        try Self.check(file.status(), is: .file, at: file.path)
        return file
    }

    /// Makes a file for writing; its name must be new.
    func create(_ name: String) throws -> StoredFile {
        let descriptor = try SystemError.mapping {
            try directory.openFile(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        } to: {
            StoreError($0)
        }
        return StoredFile(descriptor, location(of: name))
    }

    /// Makes a file without bytes, if there is none, and checks it as the store's own: one that is written to by other
    /// means must have no second name, and no other user may read it.
    /// - Parameter creates: whether to make it.
    /// - Returns: the file, open for reading and writing, or `nil` if there is none.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if the name is a link, is no file or
    ///   belongs to another user.
    func ownFile(_ name: String, creates: Bool) throws -> StoredFile? {
        let flags = O_RDWR | O_NONBLOCK | (creates ? O_CREAT : 0)
        let opening = { () throws(SystemError) in try self.directory.openFile(name, flags, mode: 0o600) }
        guard let descriptor = try opened(name, opening) else { return nil }
        let file = StoredFile(descriptor, location(of: name))
        let status = try file.status()
        try Self.check(status, is: .file, at: file.path)
        guard status.linkCount <= 1 else {
            throw StoreError(.untrusted, "has a second name, a hard link", at: file.path)
        }
        Self.tighten(descriptor, status, at: file.path)
        return file
    }

    /// The attributes of a name, which are a symbolic link's own; `nil` if it is not there.
    func attributes(of name: String) throws -> FileStatus? {
        try SystemError.mapping {
            try directory.status(of: name)
        } to: {
            StoreError($0)
        }
    }

    /// The status of a regular file, or `nil` if there is none.
    func status(of name: String) throws -> FileStatus? {
        guard let status = try attributes(of: name), status.kind == .file else { return nil }
        return status
    }

    /// Gives a file another name, in place of what has it.
    func move(_ name: String, to folder: PrivateFolder, _ target: String) throws {
        try SystemError.mapping {
            try directory.rename(name, to: folder.directory, target)
        } to: {
            StoreError($0)
        }
    }

    /// Makes a file without bytes, if there is none.
    func createEmpty(_ name: String) throws {
        _ = try ownFile(name, creates: true)
    }

    /// Removes a folder with all that is in it, or a file, or a symbolic link itself; a name that is not there is fine.
    /// - Parameter depth: the number of folders within folders that are gone into.
    func removeTree(_ name: String, depth: Int = 8) throws {
        guard let status = try attributes(of: name) else { return }
        guard status.kind == .directory else { return try remove(name) }
        guard depth > 0 else { throw StoreError(.io, "too many folders within folders", at: location(of: name)) }
        let folder = PrivateFolder(
            unchecked: try SystemError.mapping {
                try directory.subdirectory(name)
            } to: {
                StoreError($0)
            })
        for name in try folder.names() { try folder.removeTree(name, depth: depth - 1) }
        try SystemError.mapping {
            try directory.removeDirectory(name)
        } to: {
            StoreError($0)
        }
    }

    /// Makes the names in this folder safe from a power cut. Blocks until the device has them.
    func secure() throws {
        try sync()
    }

    /// Makes the names in this folder safe from a power cut.
    /// - Parameter isThrough: see `FileIO.sync(_:isThrough:)`.
    func sync(isThrough: Bool = true) throws {
        try SystemError.mapping {
            try directory.sync(isThrough: isThrough)
        } to: {
            StoreError($0)
        }
    }
}

extension PrivateFolder {
    private func check(tightens: Bool) throws {
        let status = try SystemError.mapping {
            try directory.status()
        } to: {
            StoreError($0)
        }
        try Self.check(status, is: .directory, at: path)
        // The mark of a folder that is meant for everybody, which must not be closed to them either.
        guard status.permissions & UInt32(S_ISVTX) == 0 else {
            throw StoreError(.untrusted, "the folder is shared with other users", at: path)
        }
        if tightens { Self.tighten(descriptor, status, at: path) }
    }

    private static func check(_ status: FileStatus, is kind: FileStatus.Kind, at path: String) throws {
        guard status.kind == kind else {
            throw StoreError(.untrusted, kind == .directory ? "is no folder" : "is no file", at: path)
        }
        guard status.isTrusted else {
            throw StoreError(
                .untrusted, "belongs to user \(status.user), and this process is of user \(geteuid())", at: path)
        }
    }

    /// Takes away what other users may do.
    private static func tighten(_ descriptor: CInt, _ status: FileStatus, at path: String) {
        let excess = status.permissions & 0o077
        guard excess != 0, fchmod(descriptor, mode_t(status.permissions & 0o7700)) != 0 else { return }
        // No error: some file systems have no modes, and a store that was there must stay readable.
        Logger(label: "container.store").warning(
            "other users may read or change the store",
            metadata: ["path": "\(path)", "reason": "\(SystemError.lastReason)"])
    }

    /// Opens a name; `nil` if it is not there.
    private func opened<Value>(_ name: String, _ open: () throws(SystemError) -> Value) throws -> Value? {
        do {
            return try open()
        } catch {
            if error.number == ENOENT { return nil }
            throw refusal(of: name, error)
        }
    }

    /// The reason why a name could not be opened.
    private func refusal(of name: String, _ error: SystemError) -> StoreError {
        let location = location(of: name)
        guard let status = try? attributes(of: name) else { return StoreError(error) }
        switch status.kind {
        case .symbolicLink: return StoreError(.untrusted, "is a symbolic link", at: location)
        case .directory where error.number == EISDIR: return StoreError(.untrusted, "is no file", at: location)
        case _ where error.number == ENOTDIR: return StoreError(.untrusted, "is no folder", at: location)
        // A socket, or a device without a driver.
        case _ where error.number == ENXIO: return StoreError(.untrusted, "is no file", at: location)
        default: return StoreError(error)
        }
    }
}
