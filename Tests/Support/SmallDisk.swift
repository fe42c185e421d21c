// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A small file system of its own in memory, where the system lets a test mount one. It goes with its owner.
public final class SmallDisk: Sendable {
    private let folder: TemporaryFolder

    public var path: String { folder.path }

    /// `nil` where nothing may be mounted, which is printed.
    public init?(kilobytes: Int) throws {
        folder = try TemporaryFolder()
        guard Self.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path]) else {
            print("skipped: cannot mount a tmpfs")
            return nil
        }
    }

    deinit {
        _ = Self.run("umount", ["-l", folder.path])
    }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        guard getuid() == 0 else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
