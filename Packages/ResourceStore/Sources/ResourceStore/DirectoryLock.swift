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

/// Use of a store's directory, held while the object lives: exclusive, or shared with others that only read.
///
/// flock(2) belongs to the open file, not to the process: a second open in the same process is refused too,
/// and the system lets go when the process ends in whatever way.
final class DirectoryLock: Sendable {
    private let file: StoredFile
    private let directory: String
    private let isShared: Bool

    /// The open lock file.
    var descriptor: CInt { file.descriptor }

    /// Takes the lock for a store that writes.
    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/inUse`` where someone else has it, and
    ///   ``StoreError/Code-swift.struct/untrusted`` if the lock file is a link or belongs to another user.
    convenience init(_ folder: PrivateFolder) throws {
        guard let file = try folder.ownFile(Self.name, creates: true) else {
            throw StoreError(SystemError("open", number: ENOENT, at: folder.location(of: Self.name)))
        }
        try self.init(file, folder.path, isShared: false)
    }

    /// Takes the lock for reading; `nil` if there is no lock file, since none is made.
    /// - Throws: ``StoreError``, as ``init(_:)`` does.
    static func shared(_ folder: PrivateFolder) throws -> DirectoryLock? {
        try folder.file(name).map { try DirectoryLock($0, folder.path, isShared: true) }
    }

    private static let name = "lock"

    private init(_ file: StoredFile, _ directory: String, isShared: Bool) throws {
        self.file = file
        self.directory = directory
        self.isShared = isShared
        try acquire()
    }

    /// Takes the lock, again after ``release()``.
    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/inUse`` where someone else has it.
    func acquire() throws {
        while flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let failure = SystemError("flock", at: directory)
            if failure.number == EINTR { continue }
            guard failure.number == EWOULDBLOCK else { throw StoreError(failure) }
            throw StoreError(.inUse, "another store has this directory open: \(directory)", at: directory)
        }
    }

    /// Lets go of the lock for a while.
    func release() {
        flock(descriptor, LOCK_UN)
    }

    deinit {
        // Not close alone: a child process that is between fork and exec has a copy of the descriptor, and the
        // lock would stay until it is closed there too.
        flock(descriptor, LOCK_UN)
    }
}
