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

/// A lock on a store's directory, held while the object lives: exclusive, or shared among readers.
///
/// flock(2) locks belong to the open file and not to the process. A second open in the same process is therefore
/// rejected too, and the system releases the lock when the process ends.
final class DirectoryLock: Sendable {
    private let file: StoredFile
    private let directory: String
    private let isShared: Bool

    /// The descriptor of the lock file.
    var descriptor: CInt { file.descriptor }

    /// Acquires the exclusive lock of a store that writes.
    /// - Throws: ``StoreError`` with code `inUse` if another store holds the lock, and
    ///   with code `untrusted` if the lock file is a link or belongs to another user.
    convenience init(_ folder: PrivateFolder) throws {
        guard let file = try folder.ownFile(Self.name, creates: true) else {
            throw StoreError(SystemError("open", number: ENOENT, at: folder.location(of: Self.name)))
        }
        try self.init(file, folder.path, isShared: false)
    }

    /// Acquires the lock for reading. Returns `nil` if there is no lock file, because readers do not create one.
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

    /// Acquires the lock, also again after ``release()``.
    /// - Throws: ``StoreError`` with code `inUse` if another store holds the lock.
    func acquire() throws {
        while flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let failure = SystemError("flock", at: directory)
            if failure.number == EINTR { continue }
            guard failure.number == EWOULDBLOCK else { throw StoreError(failure) }
            throw StoreError(.inUse, "another store has this directory open: \(directory)", at: directory)
        }
    }

    /// Releases the lock until ``acquire()``.
    func release() {
        flock(descriptor, LOCK_UN)
    }

    deinit {
        // Closing the descriptor is not enough: a child process between fork and exec has a copy of it. The lock would
        // remain until the copy is closed too.
        flock(descriptor, LOCK_UN)
    }
}
