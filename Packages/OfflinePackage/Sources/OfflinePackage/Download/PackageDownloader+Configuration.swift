// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

extension PackageDownloader {
    /// The options of downloads.
    public struct Configuration: Sendable {
        /// The maximum number of concurrent downloads. Default: 2.
        public var atATime = 2
        /// The maximum number of waiting downloads. Further ones are rejected. Default: 32.
        public var inLine = 32
        /// The maximum time in which less than 1 KiB arrives. Default: 30 s.
        public var stallLimit: Duration = .seconds(30)
        /// The maximum time of one attempt to fetch an archive or ranges of it. Default: 12 h.
        ///
        /// Received bytes are kept.
        public var archiveLimit: Duration = .seconds(12 * 3_600)
        /// The maximum time of one attempt to fetch a manifest. Default: 10 min.
        public var manifestLimit: Duration = .seconds(600)
        /// The maximum number of bytes of an archive. Default: 1 GiB.
        public var sizeLimit: Int64 = 1 << 30
        /// The number of bytes that must stay free on the device. Default: 32 MiB.
        public var reserve: Int64 = 32 << 20
        /// A Boolean value that indicates whether `http` URLs of other machines are allowed. Default: `false`.
        public var allowsInsecure = false
        /// The limits and waits of retries.
        public var retry = RetryPlan.Configuration()
        /// The time for which an unfinished download is kept. Default: 7 days.
        public var keepFor: Duration = .seconds(7 * 86_400)
        /// The source of the free space of the device. Default: statvfs(3).
        public var space: any SpaceMeasuring = FileSystemSpace()
        /// The clock for waits. Default: the machine's clock.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// The source of the current date. Default: the machine's clock.
        public var now: @Sendable () -> Date = { Date() }
        /// The factory of the random number generator for jitter, called for each download. Default: the system's
        /// generator.
        public var makeGenerator: @Sendable () -> any RandomNumberGenerator = { SystemRandomNumberGenerator() }

        /// Creates the default options.
        public init() {}
    }
}
