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
/// SQLite opens files by path and follows symbolic links. So each name is checked below the folder's descriptor before
/// SQLite sees it, and each connection is compared with what was checked; see
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

    /// The names that SQLite derives from the database's, in the order in which they are removed: a log means nothing to
    /// the database that comes next.
    private static let suffixes = ["-wal", "-shm", "-journal"]
    /// The names of the files that hold content, in the order in which they are copied.
    static let contentSuffixes = ["", "-wal", "-journal"]

    /// Makes the file, if there is none, and tightens the modes of all. To be called before SQLite opens the database: to
    /// close a file takes away the locks that SQLite has on it in the same process.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if one of them is a link, is no file
    ///   or belongs to another user, and ``StoreError/Code-swift.struct/damaged`` if a journal names a file to be removed.
    func prepare() throws {
        for suffix in Self.suffixes {
            guard let file = try folder.ownFile(name + suffix, creates: false) else { continue }
            if suffix == "-journal", try Self.namesAnotherFile(file) {
                throw StoreError(.damaged, "the journal names another file", at: file.path)
            }
        }
        // SQLite gives the files that it makes beside it the same mode.
        _ = try folder.ownFile(name, creates: true)
    }

    /// Checks the files that are there, and changes none.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/untrusted`` if one of them is a symbolic link, is
    ///   no file or belongs to another user.
    func check() throws {
        for suffix in Self.suffixes + [""] { _ = try folder.file(name + suffix) }
    }

    /// Removes the database, which is closed.
    func remove() throws {
        for suffix in Self.suffixes + [""] { try folder.remove(name + suffix) }
    }

    /// The identity of the file of this name below the descriptor, and of the one that the path leads to.
    func identities() throws -> (below: FileStatus.Identity?, byPath: FileStatus.Identity?) {
        let byPath = try? FileStatus(path: path, followsLinks: false)
        return (try folder.attributes(of: name)?.identity, byPath?.identity)
    }

    /// Returns a Boolean value that indicates whether a rollback journal ends in the name of a super-journal. SQLite
    /// removes the file of that name; the store has one database in each transaction, so that there is none.
    private static func namesAnotherFile(_ journal: StoredFile) throws -> Bool {
        let size = try journal.status().size
        guard size >= 8 else { return false }
        var end = [UInt8](repeating: 0, count: 8)
        guard pread(journal.descriptor, &end, 8, off_t(size - 8)) == 8 else { return true }
        return end == [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    }
}
