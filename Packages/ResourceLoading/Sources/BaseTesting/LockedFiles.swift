// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The files that processes have locked with `flock` or `fcntl`, from the list of the Linux kernel (proc(5)). SQLite
/// uses `fcntl`.
public enum LockedFiles {
    /// A Boolean value that indicates whether the system has the list.
    public static var areListed: Bool { FileManager.default.fileExists(atPath: list) }

    private static let list = "/proc/locks"

    /// Returns the locked files below a folder, by their relative paths. Files with the same number on another file
    /// system count too.
    /// - Throws: an error of Foundation.
    public static func below(_ folder: String) throws -> [String] {
        // A line names a file as MAJOR:MINOR:NUMBER.
        let words = try String(contentsOfFile: list, encoding: .utf8).split { $0 == " " || $0 == "\n" }
        let files = words.map { $0.split(separator: ":") }.filter { $0.count == 3 }
        let locked = Set(files.compactMap { UInt64($0[2]) })
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { file in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
            return (attributes[.systemFileNumber] as? NSNumber).map { locked.contains($0.uint64Value) } ?? false
        }
    }
}
