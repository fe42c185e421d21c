// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(CoreFoundation) && canImport(CDispatch) && !canImport(Darwin)
    // If these modules are loaded too, the compiler may take `stat` for a type of one of them.
    internal import CoreFoundation
    internal import CDispatch
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A small file that holds a name until a whole one replaces it. It is known by what stands in it, which nobody can guess,
/// and is removed only where the name still is that file's. A kill before that is written leaves an empty file, which is
/// not removed: it may be anybody's.
final class NameReservation {
    private let descriptor: CInt
    private let folder: CInt
    private let name: String

    private init(_ descriptor: CInt, _ folder: CInt, _ name: String) {
        self.descriptor = descriptor
        self.folder = folder
        self.name = name
    }

    deinit { close(descriptor) }

    /// Takes a name.
    /// - Returns: `nil` where there is something of this name.
    /// - Throws: ``DownloadError``, and has removed what it made.
    static func make(_ path: String, _ text: String) throws -> NameReservation? {
        let descriptor = SystemFile.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0, errno == EEXIST { return nil }
        guard descriptor >= 0 else { throw DownloadError(errno: errno, "open", at: path) }
        let reservation = NameReservation(descriptor, AT_FDCWD, path)
        let bytes = Array(text.utf8)
        guard SystemFile.write(descriptor, bytes) == bytes.count else {
            let number = errno
            reservation.remove()
            throw DownloadError(errno: number, "write", at: path)
        }
        return reservation
    }

    /// One that was left in a folder; `nil` where there is none of this text.
    static func find(_ name: String, in folder: CInt, _ text: String) -> NameReservation? {
        guard !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
        // What is no file is not waited for.
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let reservation = NameReservation(descriptor, folder, name)
        let bytes = Array(text.utf8)
        var found = [UInt8](repeating: 0, count: bytes.count + 1)
        guard read(descriptor, &found, found.count) == bytes.count, found.dropLast() == bytes[...] else { return nil }
        return reservation
    }

    /// Gives the name back, unless another file has taken it.
    func remove() {
        var (mine, there) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0, fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0,
            mine.st_dev == there.st_dev, mine.st_ino == there.st_ino
        else { return }
        unlinkat(folder, name, 0)
    }
}
