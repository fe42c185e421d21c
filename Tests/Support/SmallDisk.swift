// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A small file system of its own in memory, where the system lets a test mount one. It goes with its owner.
public final class SmallDisk: Sendable {
    private let folder: TemporaryFolder

    public var path: String { folder.path }

    /// Whether this process may mount one; a test that needs it is skipped where it may not.
    public static let isAllowed = (try? SmallDisk(kilobytes: 64)) != nil

    public init(kilobytes: Int) throws {
        folder = try TemporaryFolder()
        // Not as a requirement: where it fails while it is tried, that is no fault.
        guard Self.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path]) else {
            throw CocoaError(.fileWriteUnknown)
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
