// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport
internal import WebEngine

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The ways to bring a whole file under its name without taking another one's place, the best first. File systems lack
/// one or the other: those of FAT have no links, and some of the network know no rename that spares what is there.
enum DownloadNaming: Sendable, CaseIterable {
    /// link(2).
    case link
    /// renameat2(2) of Linux, and renamex_np(2) of Darwin: what is there stays.
    case rename
    /// A ``NameReservation`` takes the name, and is then replaced. What a kill leaves of it is found by the note.
    case hold

    enum Outcome { case done, isTaken, cannot }

    /// - Parameter entry: is called before a reservation takes the name, and says what stands in it.
    /// - Throws: ``DownloadError``, or what `entry` throws.
    func bring(_ path: String, to target: String, entry: () throws -> String) throws -> Outcome {
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
        // Else the note would be of a file that is another's.
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
