// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The files of a SQLite database in a folder of the store.
///
/// SQLite opens files by path and follows symbolic links. Each name is therefore checked relative to the folder's
/// descriptor before SQLite opens it, and each connection is compared with the checked file; see
/// `docs/decisions/0042-check-sqlite-files-below-a-descriptor.md`.
struct DatabaseFile: Sendable {
    let folder: PrivateFolder
    let name: String

    init(_ name: String, in folder: PrivateFolder) {
        self.name = name
        self.folder = folder
    }

    /// The path that SQLite opens.
    var path: String { folder.location(of: name) }

    /// The suffixes of SQLite's auxiliary files, in the order of removal. They are removed before the database, so that
    /// no log remains for the next database.
    private static let suffixes = ["-wal", "-shm", "-journal"]
    /// The suffixes of the files with content, in the order of copying.
    static let contentSuffixes = ["", "-wal", "-journal"]

    /// Creates the file if it does not exist, and restricts the permissions of all files.
    ///
    /// Call this before SQLite opens the database: closing a file releases SQLite's locks on it in the same process.
    /// - Throws: ``StoreError``, with code `untrusted` if a file is a link, is not a
    ///   regular file or belongs to another user; with code `damaged` if a journal
    ///   names another file to be removed.
    func prepare() throws {
        for suffix in Self.suffixes {
            guard let file = try folder.ownFile(name + suffix, creates: false) else { continue }
            if suffix == "-journal", try Self.namesAnotherFile(file) {
                throw StoreError(.damaged, "the journal names another file", at: file.path)
            }
        }
        // SQLite creates its auxiliary files with the permissions of the database file.
        _ = try folder.ownFile(name, creates: true)
    }

    /// Checks the existing files without changing them.
    /// - Throws: ``StoreError``, with code `untrusted` if a file is a symbolic link, is
    ///   not a regular file or belongs to another user.
    func check() throws {
        for suffix in Self.suffixes + [""] { _ = try folder.file(name + suffix) }
    }

    /// Removes the files of the database, which must be closed.
    func remove() throws {
        for suffix in Self.suffixes + [""] { try folder.remove(name + suffix) }
    }

    /// Returns the identity of the file relative to the folder's descriptor, and the identity of the file by its path.
    func identities() throws -> (below: FileStatus.Identity?, byPath: FileStatus.Identity?) {
        let byPath = try? FileStatus(path: path, followsLinks: false)
        return (try folder.attributes(of: name)?.identity, byPath?.identity)
    }

    /// Returns a Boolean value that indicates whether a rollback journal ends with the name of a super-journal. SQLite
    /// would remove the file of that name. The store never writes a super-journal, because each transaction uses one
    /// database.
    private static func namesAnotherFile(_ journal: StoredFile) throws -> Bool {
        let size = try journal.status().size
        guard size >= 8 else { return false }
        var end = [UInt8](repeating: 0, count: 8)
        guard pread(journal.descriptor, &end, 8, off_t(size - 8)) == 8 else { return true }
        return end == [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    }
}
