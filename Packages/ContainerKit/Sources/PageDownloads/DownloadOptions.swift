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
    /// How long a download may bring fewer than ``leastBytes`` before it fails, once the host has answered; 60 seconds by
    /// default. What times it is `PageRequestOptions.clock`, without the time between `hostWillSuspend()` and
    /// `hostResumed()`.
    public var silenceLimit = Duration.seconds(60)
    /// How many bytes are to come in each ``silenceLimit``, so that a server that sends one now and then does not keep
    /// a place; 1,024 by default, which is far below what the slowest networks bring. One that sends that much keeps its
    /// place until ``byteLimit``. With 1, each byte counts.
    public var leastBytes: Int64 = 1_024
    /// Bytes of the device that downloads leave free; 32 MiB by default.
    public var reserve: Int64 = 32 << 20
    /// Measures the device. A file that is known to need more than there is room for is not begun, and one that takes up
    /// the reserve on its way is given up. Default: statvfs(3).
    public var space: any SpaceMeasuring = FileSystemSpace()

    /// The default options.
    public init() {}
}
