// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BaseTesting
import Foundation

/// A small file system in memory, if the system permits a test to mount it. It is unmounted when the object is
/// released.
public final class SmallDisk: Sendable {
    private let folder: TemporaryFolder

    public var path: String { folder.path }

    /// A Boolean value that indicates whether this process may mount a file system. If not, tests that need a small
    /// disk are skipped.
    public static let isAllowed = (try? SmallDisk(kilobytes: 64)) != nil

    public init(kilobytes: Int) throws {
        folder = try TemporaryFolder()
        // An error is thrown instead of a `#require`, because a failed attempt in `isAllowed` is not a test failure.
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
