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

/// The methods of giving a complete file its name without replacing another file, in order of preference.
///
/// Some file systems lack a method: FAT has no links, and some network file systems have no rename that fails if the
/// name exists.
enum DownloadNaming: Sendable, CaseIterable {
    /// link(2).
    case link
    /// renameat2(2) on Linux, renamex_np(2) on Darwin; fails if the name exists.
    case rename
    /// A ``NameReservation`` occupies the name, and is then replaced. After a kill, the journal identifies the
    /// reservation.
    case hold

    enum Outcome { case done, isTaken, cannot }

    /// Gives a file its name.
    /// - Parameters:
    ///   - path: the path of the complete file.
    ///   - target: the destination path.
    ///   - entry: a closure that returns the content of a reservation. It is called before the reservation is created.
    /// - Throws: ``DownloadError``, or the error of `entry`.
    func move(_ path: String, to target: String, entry: () throws -> String) throws -> Outcome {
        switch self {
        case .link: try outcome { () throws(SystemError) in try FileSystem.link(path, to: target) }
        case .rename: try outcome { () throws(SystemError) in try FileSystem.renameExclusively(path, to: target) }
        case .hold: try hold(path, target, entry)
        }
    }

    private func outcome(_ call: () throws(SystemError) -> Void) throws -> Outcome {
        do {
            try call()
            return .done
        } catch {
            switch error.number {
            case EEXIST: return .isTaken
            case EPERM, EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK: return .cannot
            default: throw DownloadError(system: error)
            }
        }
    }

    private func hold(_ path: String, _ target: String, _ entry: () throws -> String) throws -> Outcome {
        // If the name is taken, `entry` must not record it: the file does not belong to the download.
        guard access(target, F_OK) != 0 else { return .isTaken }
        guard let reservation = try NameReservation.make(target, entry()) else { return .isTaken }
        do {
            try FileSystem.rename(path, to: target)
        } catch {
            reservation.remove()
            throw DownloadError(system: error)
        }
        return .done
    }
}

/// A small file that reserves a name until the complete file replaces it.
///
/// Its content, a random token, identifies it. It is removed only if the file at its path is still this file. A kill
/// before the content is written leaves an empty file, which is not removed, because it has no token.
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

    /// Creates the file.
    /// - Returns: the reservation, or `nil` if a file with the name exists.
    /// - Throws: ``DownloadError``; no file remains then.
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

    /// Returns the reservation with a name and a content in a folder, or `nil` if there is none.
    static func find(_ name: String, in folder: DirectoryDescriptor, _ text: String) -> NameReservation? {
        // Opening a FIFO with this name must not block.
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

    /// Removes the file, unless another file has its name.
    func remove() {
        guard let mine = try? FileStatus(descriptor: descriptor),
            let there = try? FileStatus(name: name, in: folder), mine.identity == there.identity
        else { return }
        unlinkat(folder, name, 0)
    }
}
