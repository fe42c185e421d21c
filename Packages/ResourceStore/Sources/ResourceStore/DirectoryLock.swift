// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Exclusive use of a store's directory, held while the object lives.
///
/// flock(2) belongs to the open file, not to the process: a second open in the same process is refused too,
/// and the system lets go when the process ends in whatever way.
final class DirectoryLock: Sendable {
    /// The open lock file.
    let descriptor: CInt
    private let directory: String

    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/inUse`` where someone else has it.
    init(directory: String) throws {
        let path = directory + "/lock"
        self.directory = directory
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(errno: errno, "open", at: path) }
        // From here on deinit closes it.
        try take()
    }

    /// Takes the lock, again after ``release()``.
    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/inUse`` where someone else has it.
    func take() throws {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let failure = errno
            if failure == EINTR { continue }
            guard failure == EWOULDBLOCK else { throw StoreError(errno: failure, "flock", at: directory) }
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
        close(descriptor)
    }
}
