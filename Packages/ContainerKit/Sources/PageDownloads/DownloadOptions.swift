// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import OfflinePackage

/// The limits of downloads of pages.
public struct DownloadOptions: Sendable {
    /// The maximum number of bytes of one file; 4 GiB by default.
    public var byteLimit: Int64 = 4 << 30
    /// The maximum number of downloads of one page that are in progress or wait for a decision; 3 by default.
    public var pageLimit = 3
    /// The maximum number of downloads of all pages; 8 by default.
    public var limit = 8
    /// The time after which a download fails if fewer than ``leastBytes`` arrive; 60 seconds by default.
    /// `ContainerConfiguration.clock` measures it. It does not run while the app decides, or between
    /// `hostWillSuspend()` and `hostResumed()`.
    public var silenceLimit = Duration.seconds(60)
    /// The minimum number of bytes that must arrive in each ``silenceLimit``; 1,024 by default, far less than the
    /// slowest networks transfer. Without a minimum, a server that sends single bytes could occupy a download. A
    /// server that sends this minimum occupies the download until ``byteLimit``. With 1, each byte counts.
    public var leastBytes: Int64 = 1_024
    /// The number of bytes that downloads leave free on the device; 32 MiB by default.
    public var reserve: Int64 = 32 << 20
    /// The measurement of the free space of the device; statvfs(3) by default. A file that needs more than the free
    /// space is not started. A file that reaches the reserve while it is written is cancelled.
    public var space: any SpaceMeasuring = FileSystemSpace()

    /// Creates the default options.
    public init() {}
}

/// The numbers of downloads of pages, by result.
public struct DownloadCounters: Sendable, Hashable {
    /// The number of requests that the app was asked about.
    public var decisionRequests = 0
    /// The number of files that were saved.
    public var saved = 0
    /// The number of bytes of the saved files.
    public var savedBytes: Int64 = 0
    /// The number of downloads that were cancelled after their start, by the app, a sign-out or the shutdown.
    public var cancelled = 0
    /// The number of downloads that failed for another reason.
    public var failed = 0
    /// The number of downloads that the app was not asked about, because of a limit, a sign-out or the shutdown.
    public var refused = 0

    /// Creates counters that are zero.
    public init() {}
}
