// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A folder, open as a descriptor. Names are looked up below it and symbolic links are not followed, so that a folder
/// which others exchange for another one, or for a link, leads nowhere else.
final class FolderDescriptor {
    /// The path by which the folder was found, for messages.
    let path: String
    let descriptor: CInt

    private init(_ descriptor: CInt, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    #if os(Linux)
        /// `O_PATH`, which Swift does not see: a folder that may be written to need not be readable.
        private static let placeOnly: CInt = 0o10_000_000
    #else
        private static let placeOnly: CInt = O_RDONLY
    #endif

    private static func open(_ path: String, _ flags: CInt) -> CInt {
        #if canImport(Glibc)
            Glibc.open(path, flags)
        #elseif canImport(Musl)
            Musl.open(path, flags)
        #else
            Darwin.open(path, flags)
        #endif
    }

    /// Opens an absolute path in which no name is a symbolic link.
    /// - Throws: ``PackageError``, also if a name has become one.
    static func resolved(_ path: String) throws -> FolderDescriptor {
        #if canImport(Darwin)
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW_ANY)
            guard descriptor >= 0 else { throw PackageError(errno: errno, "open", at: path) }
            return FolderDescriptor(descriptor, path)
        #else
            let descriptor = open("/", placeOnly | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw PackageError(errno: errno, "open", at: "/") }
            return try path.split(separator: "/").reduce(FolderDescriptor(descriptor, "")) { folder, name in
                try folder.place(String(name))
            }
        #endif
    }

    /// Opens a folder in this one, in which names may be looked up.
    func place(_ name: String) throws -> FolderDescriptor { try open(name, Self.placeOnly) }

    /// Opens a folder in this one, which may be listed and synced too.
    func folder(_ name: String) throws -> FolderDescriptor { try open(name, O_RDONLY) }

    private func open(_ name: String, _ flags: CInt) throws -> FolderDescriptor {
        let found = openat(descriptor, name, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard found >= 0 else { throw PackageError(errno: errno, "open", at: "\(path)/\(name)") }
        return FolderDescriptor(found, "\(path)/\(name)")
    }

    /// Makes a folder in this one.
    /// - Returns: whether it was not there.
    func make(_ name: String) throws -> Bool {
        if mkdirat(descriptor, name, 0o755) == 0 { return true }
        guard errno == EEXIST else {
            // Some file systems say that it is not there where nothing can be made.
            throw PackageError(.io, "make folder: \(String(cString: strerror(errno)))", at: "\(path)/\(name)")
        }
        return false
    }

    /// The attributes of a name, which are a symbolic link's own; `nil` if it is not there or cannot be seen.
    func attributes(of name: String) -> stat? {
        var attributes = stat()
        return fstatat(descriptor, name, &attributes, AT_SYMLINK_NOFOLLOW) == 0 ? attributes : nil
    }

    /// Returns a Boolean value that indicates whether a name is this folder's.
    func has(_ name: String, in parent: FolderDescriptor) -> Bool {
        var mine = stat()
        guard let there = parent.attributes(of: name), fstat(descriptor, &mine) == 0 else { return false }
        return mine.st_dev == there.st_dev && mine.st_ino == there.st_ino
    }

    /// Returns a Boolean value that indicates whether the folder is this process's user's own.
    func isOwn() -> Bool {
        var attributes = stat()
        return fstat(descriptor, &attributes) == 0 && attributes.st_uid == geteuid()
    }

    /// Gives `body` each name in the folder, whose bytes need not be UTF-8, until it returns `false`.
    /// - Throws: ``PackageError``.
    func forEachName(_ body: (UnsafePointer<CChar>) -> Bool) throws {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let listing = fdopendir(copy) else {
            let failure = errno
            if copy >= 0 { close(copy) }
            throw PackageError(errno: failure, "list", at: path)
        }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let goesOn = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 2) { name in
                    strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || body(name)
                }
            }
            guard goesOn else { return }
        }
    }

    /// Removes all that is in the folder, as far as that is possible. Links are removed and not followed.
    func removeContent() {
        // Each folder is emptied before the next one is opened: as deep as an archive may go, and no wider.
        for _ in 0..<2 {
            try? forEachName { name in
                guard unlinkat(descriptor, name, 0) != 0 else { return true }
                let found = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                guard found >= 0 else { return true }
                FolderDescriptor(found, path).removeContent()
                unlinkat(descriptor, name, AT_REMOVEDIR)
                return true
            }
        }
    }
}
