// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation

/// A small file system, if the system permits mounting one.
final class SmallDisk {
    let path: String
    private let directory: TemporaryFolder

    /// A Boolean value that indicates whether this process can mount a file system.
    static let isAllowed = (try? SmallDisk(megabytes: 1)) != nil

    init(megabytes: Int) throws {
        directory = try TemporaryFolder()
        path = directory.path
        // A failure is not recorded as an issue: it only disables the tests.
        guard SmallDisk.mount(["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path]) else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// Remounts the file system. Retries, because a child process of another test may briefly hold its files between
    /// fork and exec.
    func remount(_ options: String) -> Bool {
        (0..<100).contains { _ in SmallDisk.mount(["-o", "remount,\(options)", path]) }
    }

    deinit {
        _ = SmallDisk.run("umount", ["-l", path])
    }

    private static func mount(_ arguments: [String]) -> Bool { run("mount", arguments) }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        guard getuid() == 0 else { return false }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
