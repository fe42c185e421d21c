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
        let descriptor: CInt
        do {
            descriptor = try FileIO.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        } catch {
            if error.number == EEXIST { return nil }
            throw DownloadError(system: error)
        }
        let reservation = NameReservation(descriptor, AT_FDCWD, path)
        do {
            try Array(text.utf8).withUnsafeBytes { try FileIO.write($0, to: descriptor) }
        } catch let error as SystemError {
            reservation.remove()
            throw DownloadError(system: error, at: path)
        }
        return reservation
    }

    /// One that was left in a folder; `nil` where there is none of this text.
    static func find(_ name: String, in folder: DirectoryDescriptor, _ text: String) -> NameReservation? {
        // A pipe in its place must not block.
        guard !name.utf8.contains(UInt8(ascii: "/")),
            let descriptor = try? folder.openFile(name, O_RDONLY | O_NONBLOCK)
        else { return nil }
        let reservation = NameReservation(descriptor, folder.descriptor, name)
        let bytes = Array(text.utf8)
        var found = [UInt8](repeating: 0, count: bytes.count + 1)
        let count = found.withUnsafeMutableBytes { try? FileIO.fill($0, from: descriptor, at: 0) }
        guard count == bytes.count, found.dropLast() == bytes[...] else { return nil }
        return reservation
    }

    /// Gives the name back, unless another file has taken it.
    func remove() {
        guard let mine = try? FileStatus(descriptor: descriptor),
            let there = try? FileStatus(name: name, in: folder), mine.identity == there.identity
        else { return }
        unlinkat(folder, name, 0)
    }
}
