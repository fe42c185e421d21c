// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The files that this process has locked with `flock` or `fcntl`, from the list of the Linux kernel (proc(5)). SQLite
/// uses `fcntl`.
public enum LockedFiles {
    /// A Boolean value that indicates whether the system has the list.
    public static var areListed: Bool { FileManager.default.fileExists(atPath: list) }

    private static let list = "/proc/locks"

    /// Returns the locked files below a folder, by their relative paths. Files with the same number on another file
    /// system count too.
    /// - Throws: an error of Foundation.
    public static func below(_ folder: String) throws -> [String] {
        let locked = numbers(
            in: try String(contentsOfFile: list, encoding: .utf8),
            lockedBy: ProcessInfo.processInfo.processIdentifier)
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { file in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
            return (attributes[.systemFileNumber] as? NSNumber).map { locked.contains($0.uint64Value) } ?? false
        }
    }

    /// Returns the numbers of the files that a process has locked.
    /// - Parameter list: the text of the list. A lock is a line such as
    ///   `1: POSIX ADVISORY READ 5433 08:01:7864448 128 128`, with the process and MAJOR:MINOR:NUMBER of the file. A
    ///   line whose second word is `->` is a process that waits for a lock.
    static func numbers(in list: String, lockedBy process: Int32) -> Set<UInt64> {
        let numbers = list.split(separator: "\n").compactMap { line -> UInt64? in
            let words = line.split(separator: " ")
            guard words.count > 5, words[4] == "\(process)" else { return nil }
            return words[5].split(separator: ":").last.flatMap { UInt64($0) }
        }
        return Set(numbers)
    }
}
