// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BaseTesting
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
        #if os(Linux)
            guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
                throw CocoaError(.fileWriteUnknown)
            }
        #else
            throw CocoaError(.featureUnsupported)
        #endif
    }

    deinit {
        #if os(Linux)
            umount2(folder.path, CInt(MNT_DETACH))
        #endif
    }
}
