// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CSystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An open directory. Names are looked up relative to its descriptor, and symbolic links are not followed. If the path
/// of the directory is moved or replaced with a link, later lookups still use the opened directory.
///
/// Isolation: any. Calls block their thread.
public final class DirectoryDescriptor: Sendable {
    /// The purpose that a directory is opened for.
    public enum Access: Sendable {
        /// Lookup of names, which needs no read permission on Linux.
        case lookup
        /// Lookup, listing and sync.
        case listing

        fileprivate var flags: CInt {
            let purpose =
                switch self {
                case .lookup: container_lookup_flags()
                case .listing: O_RDONLY
                }
            return purpose | O_DIRECTORY | O_CLOEXEC
        }
    }

    /// The path that was opened, for messages.
    public let path: String
    /// The descriptor, open while this object lives.
    public let descriptor: CInt

    private init(_ descriptor: CInt, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    // MARK: Opening

    /// Opens a directory by its path. Symbolic links in the parent path are followed.
    /// - Parameters:
    ///   - path: the path of the directory, absolute or relative to the working directory.
    ///   - access: the purpose of the descriptor.
    ///   - followsLink: a Boolean value that indicates whether the last component may be a symbolic link.
    public convenience init(
        path: String, access: Access = .listing, followsLink: Bool = true
    ) throws(SystemError) {
        let descriptor = try FileIO.open(path, access.flags | (followsLink ? 0 : O_NOFOLLOW))
        self.init(descriptor, path)
    }

    /// Opens a directory for lookups by an absolute path in which no component is a symbolic link.
    public static func resolved(_ path: String) throws(SystemError) -> DirectoryDescriptor {
        #if canImport(Darwin)
            return DirectoryDescriptor(try FileIO.open(path, Access.lookup.flags | O_NOFOLLOW_ANY), path)
        #else
            var directory = DirectoryDescriptor(try FileIO.open("/", Access.lookup.flags), "")
            for name in path.split(separator: "/") {
                directory = try directory.subdirectory(String(name), access: .lookup)
            }
            return directory
        #endif
    }

    /// Opens a subdirectory. A symbolic link is not followed.
    public func subdirectory(_ name: String, access: Access = .listing) throws(SystemError) -> DirectoryDescriptor {
        let location = location(of: name)
        let descriptor = openat(descriptor, name, access.flags | O_NOFOLLOW)
        guard descriptor >= 0 else { throw SystemError("open", at: location) }
        return DirectoryDescriptor(descriptor, location)
    }

    /// Opens a file in this directory, with `O_CLOEXEC`. A symbolic link is not followed.
    /// - Parameters:
    ///   - name: the name of the file in this directory.
    ///   - flags: the flags of open(2).
    ///   - mode: the permissions of a file that is created.
    /// - Returns: a descriptor that the caller closes.
    public func openFile(_ name: String, _ flags: CInt, mode: UInt32 = 0) throws(SystemError) -> CInt {
        let descriptor = openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else {
            throw SystemError(flags & O_EXCL == 0 ? "open" : "create", at: location(of: name))
        }
        return descriptor
    }

    /// Returns the path of a name, for messages and for libraries that accept only paths.
    public func location(of name: String) -> String { "\(path)/\(name)" }

    // MARK: Attributes

    /// Returns the attributes of the directory.
    public func status() throws(SystemError) -> FileStatus { try FileStatus(descriptor: descriptor, path: path) }

    /// Returns the attributes of a name, or `nil` if it does not exist. A symbolic link is not followed.
    public func status(of name: String) throws(SystemError) -> FileStatus? {
        do {
            return try FileStatus(name: name, in: descriptor)
        } catch {
            if error.number == ENOENT { return nil }
            throw SystemError(error.call, number: error.number, at: location(of: name))
        }
    }

    /// Returns a Boolean value that indicates whether a name in another directory refers to this directory.
    public func has(_ name: String, in parent: DirectoryDescriptor) -> Bool {
        guard let there = try? parent.status(of: name), let status = try? status() else { return false }
        return status.identity == there.identity
    }

    // MARK: Names

    /// Passes each name in the directory to `body` until it returns `false`. The names are unsorted, exclude `.` and
    /// `..`, and need not be UTF-8.
    /// - Throws: ``SystemError``, or the error of `body`.
    public func forEachName(_ body: (UnsafePointer<CChar>) throws -> Bool) throws {
        // A separate descriptor, because copies of one descriptor would share the position of the listing.
        let copy = openat(descriptor, ".", Access.listing.flags)
        guard copy >= 0 else { throw SystemError("open", at: path) }
        guard let listing = fdopendir(copy) else {
            let error = SystemError("opendir", at: path)
            close(copy)
            throw error
        }
        defer { closedir(listing) }
        while true {
            errno = 0
            guard let entry = readdir(listing) else {
                // readdir(3) returns `nil` at the end and for an error; only `errno` distinguishes them.
                guard errno == 0 else { throw SystemError("readdir", at: path) }
                return
            }
            let goesOn = try withUnsafePointer(to: &entry.pointee.d_name) { name in
                try name.withMemoryRebound(to: CChar.self, capacity: 2) { name in
                    try strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || body(name)
                }
            }
            guard goesOn else { return }
        }
    }

    /// Creates a subdirectory.
    /// - Returns: `false` if the name exists.
    public func makeDirectory(_ name: String, mode: UInt32) throws(SystemError) -> Bool {
        if mkdirat(descriptor, name, mode_t(mode)) == 0 { return true }
        guard errno == EEXIST else { throw SystemError("mkdir", at: location(of: name)) }
        return false
    }

    /// Removes a file, or a symbolic link itself. Does nothing if the name does not exist.
    public func remove(_ name: String) throws(SystemError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw SystemError("unlink", at: location(of: name))
        }
    }

    /// Removes an empty directory. Does nothing if the name does not exist.
    public func removeDirectory(_ name: String) throws(SystemError) {
        guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT else {
            throw SystemError("rmdir", at: location(of: name))
        }
    }

    /// Removes the files and symbolic links in this directory. Ignores errors.
    public func removeFiles() {
        try? forEachName { name in
            unlinkat(descriptor, name, 0)
            return true
        }
    }

    /// Removes the content of this directory. Symbolic links are not followed. Names that cannot be removed remain.
    /// - Parameter depth: the maximum depth of nested directories.
    /// - Throws: ``SystemError`` with the number `ENAMETOOLONG` if directories are nested more deeply than `depth`. The
    ///   content of those directories remains. Other errors are ignored.
    public func removeContent(depth: Int = 8) throws(SystemError) {
        var failure: SystemError?
        // A second pass is necessary, because a listing may omit names while others are removed. If the first pass
        // removed nothing, the loop ends: a second pass would only visit the remaining directories again. Each
        // directory is emptied before the next directory is opened.
        for _ in 0..<2 {
            failure = nil
            var hasRemoved = false
            try? forEachName { name in
                if unlinkat(descriptor, name, 0) == 0 {
                    hasRemoved = true
                    return true
                }
                let found = openat(descriptor, name, Access.listing.flags | O_NOFOLLOW)
                guard found >= 0 else { return true }
                let directory = DirectoryDescriptor(found, path)
                do throws(SystemError) {
                    guard depth > 0 else { throw SystemError("unlink", number: ENAMETOOLONG, at: path) }
                    try directory.removeContent(depth: depth - 1)
                } catch {
                    failure = error
                }
                if unlinkat(descriptor, name, AT_REMOVEDIR) == 0 { hasRemoved = true }
                return true
            }
            guard hasRemoved else { break }
        }
        if let failure { throw failure }
    }

    /// Moves a name to another directory, or renames it. Replaces an existing file or empty directory.
    public func rename(_ name: String, to directory: DirectoryDescriptor, _ target: String) throws(SystemError) {
        guard renameat(descriptor, name, directory.descriptor, target) == 0 else {
            throw SystemError("rename", at: directory.location(of: target))
        }
    }

    /// Flushes the names in this directory to the device; see ``FileIO/sync(_:isThrough:)``.
    public func sync(isThrough: Bool = true) throws(SystemError) {
        do {
            try FileIO.sync(descriptor, isThrough: isThrough)
        } catch {
            throw SystemError(error.call, number: error.number, at: path)
        }
    }
}
