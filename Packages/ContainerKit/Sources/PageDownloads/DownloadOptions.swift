// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import OfflinePackage

/// The limits of files that pages save.
public struct DownloadOptions: Sendable {
    /// The maximum number of bytes of one file; 4 GiB by default.
    public var byteLimit: Int64 = 4 << 30
    /// The maximum number of downloads of one page that are in progress or wait for the app; 3 by default.
    public var pageLimit = 3
    /// The maximum number of downloads of all pages together; 8 by default.
    public var limit = 8
    /// The time after which a download fails if fewer than ``leastBytes`` arrive, once the app has decided; 60 seconds
    /// by default. It is measured by `ContainerConfiguration.clock`, without the time between `hostWillSuspend()` and
    /// `hostResumed()`.
    public var silenceLimit = Duration.seconds(60)
    /// The number of bytes that must arrive in each ``silenceLimit``, so that a server that sends a byte now and then
    /// does not occupy a download; 1,024 by default, far less than the slowest networks transfer. A server that sends
    /// this number occupies the download until ``byteLimit``. With 1, each byte counts.
    public var leastBytes: Int64 = 1_024
    /// The number of bytes of the device that downloads leave free; 32 MiB by default.
    public var reserve: Int64 = 32 << 20
    /// The measure of the free space of the device; statvfs(3) by default. A file that needs more than is free is not
    /// started, and a file that uses the reserve on its way is cancelled.
    public var space: any SpaceMeasuring = FileSystemSpace()

    /// Creates the default options.
    public init() {}
}

/// The numbers of files that pages wanted to save, by result.
public struct DownloadCounters: Sendable, Hashable {
    /// The number of requests that the app was asked about.
    public var asked = 0
    /// The number of files that were saved.
    public var saved = 0
    /// The number of bytes of the saved files.
    public var savedBytes: Int64 = 0
    /// The number of downloads that were cancelled after they had begun, by the app, a sign-out or the shut-down.
    public var cancelled = 0
    /// The number of downloads that failed for another reason.
    public var failed = 0
    /// The number of downloads that the app was not asked about, because of a limit, a sign-out or the shut-down.
    public var refused = 0

    /// Makes counters that are zero.
    public init() {}
}
