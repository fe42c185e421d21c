// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

extension PackageDownloader {
    /// How downloads are done.
    public struct Configuration: Sendable {
        /// Downloads at a time. Default: 2.
        public var atATime = 2
        /// Downloads that may wait for their turn; one more is refused. Default: 32.
        public var inLine = 32
        /// The longest time in which less than 1 KiB comes. Default: 30 s.
        public var stallLimit: Duration = .seconds(30)
        /// The longest time for one attempt at an archive, or at ranges of one. Default: 12 h. The bytes that came are kept.
        public var archiveLimit: Duration = .seconds(12 * 3_600)
        /// The longest time for one attempt at a manifest. Default: 10 min.
        public var manifestLimit: Duration = .seconds(600)
        /// The most bytes of an archive. Default: 1 GiB.
        public var sizeLimit: Int64 = 1 << 30
        /// Bytes that stay free on the device beside the download. Default: 32 MiB.
        public var reserve: Int64 = 32 << 20
        /// A Boolean value that indicates whether `http` to other machines than this one is allowed. Default: `false`.
        public var allowsInsecure = false
        /// When a failed request is sent again.
        public var retry = RetryPlan.Configuration()
        /// How long an unfinished download is kept. Default: 7 days.
        public var keepFor: Duration = .seconds(7 * 86_400)
        /// Measures the device. Default: statvfs(3).
        public var space: any SpaceMeasuring = FileSystemSpace()
        /// Waits. Default: the machine's clock.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// Tells the date. Default: the machine's.
        public var now: @Sendable () -> Date = { Date() }
        /// Makes what jitter comes from, for each download. Default: the system's.
        public var makeGenerator: @Sendable () -> any RandomNumberGenerator = { SystemRandomNumberGenerator() }

        public init() {}
    }
}
