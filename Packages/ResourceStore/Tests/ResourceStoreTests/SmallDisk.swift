// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation

/// A small file system of its own, where the system lets a test mount one.
final class SmallDisk {
    let path: String
    private let directory: TemporaryFolder

    /// Whether this process may mount one.
    static let isAllowed = (try? SmallDisk(megabytes: 1)) != nil

    init(megabytes: Int) throws {
        directory = try TemporaryFolder()
        path = directory.path
        // Not as a requirement: where it fails while it is tried, that is no fault.
        guard SmallDisk.mount(["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path]) else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// A child of another test, between fork and exec, may hold the files of this disk for a moment.
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
