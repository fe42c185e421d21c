// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import OfflinePackage

/// What pages may save, once the host has said where.
public struct DownloadOptions: Sendable {
    /// The most bytes of one file; 4 GiB by default.
    public var byteLimit: Int64 = 4 << 30
    /// How many downloads of one page may be under way, with those that wait for the host; 3 by default.
    public var pageLimit = 3
    /// How many of all pages together; 8 by default.
    public var limit = 8
    /// How long a download may bring nothing before it fails, once the host has answered; 60 seconds by default. What
    /// times it is `PageRequestOptions.clock`.
    public var silenceLimit = Duration.seconds(60)
    /// Measures the device. A file that is known to need more than there is room for is not begun. Default: statvfs(3).
    public var space: any SpaceMeasuring = FileSystemSpace()

    /// The default options.
    public init() {}
}
