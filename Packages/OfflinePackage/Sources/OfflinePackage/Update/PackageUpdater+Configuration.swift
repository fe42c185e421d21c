// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import Logging
@_spi(Packaging) public import PackageFormat
public import ResourceLoading

extension PackageUpdater {
    /// The options of an updater.
    public struct Configuration: Sendable {
        /// The host's own version. If `nil`, the default, the version of the library's configuration is used.
        ///
        /// If that is `nil` too, every package with a minimum host version is rejected.
        public var hostVersion: PackageVersion?
        /// The manifests that the publisher has signed. If `nil`, the default, the URL of a source decides what it may
        /// publish.
        ///
        /// A container uses those of `AutomaticUpdates.catalogue`.
        @_spi(Facade) public var signedManifests: (any SignedManifestSource)?
        /// The URLs below which the scopes of signed manifests must lie. If `nil`, the default, they may be anywhere.
        ///
        /// A container uses `AutomaticUpdates.scopes`.
        @_spi(Facade) public var signedScopes: [PackageBaseURL]?
        /// The limits of a trial.
        public var trial = TrialLimits()
        /// The costs of requests.
        var costs = RangePlan.Costs()
        /// The options of downloads.
        public var downloads = Downloads()
        /// The conditions of the device, on which updates depend. Default: always favorable.
        ///
        /// A container replaces the value with `ContainerConfiguration.conditions`.
        public var conditions: any HostConditioning = .favourable
        /// The provider of free space before a download. If `nil`, the default, it is the library's store.
        var space: (any SpaceEnsuring)?
        /// The store of the trial record. If `nil`, the default, it is a ``HealthDocument`` of the library's store.
        var health: (any HealthRecording)?
        /// The clock for boots. Default: the machine's clock without the time in which the machine sleeps.
        ///
        /// No clock excludes the time in which the system suspends the process; see
        /// ``PackageUpdater/pauseTrials(_:order:)``.
        public var clock: any Clock<Duration> = SuspendingClock()
        /// The logger for errors that no caller receives. Default: a logger with the label `container.updates`.
        public var logger = Logger(label: "container.updates")

        /// Creates the default options.
        public init() {}
    }
}

extension PackageUpdater.Configuration {
    /// The options of downloads.
    public struct Downloads: Sendable {
        /// The maximum number of concurrent downloads. Default: 2.
        public var maxConcurrent = 2
        /// The maximum number of waiting downloads. Further ones are rejected. Default: 32.
        public var maxWaiting = 32
        /// The maximum time in which less than 1 KiB arrives. Default: 30 s.
        public var stallLimit: Duration = .seconds(30)
        /// The maximum time of one attempt to fetch an archive or ranges of it. Default: 12 h.
        ///
        /// The next attempt resumes after the received bytes.
        public var archiveLimit: Duration = .seconds(12 * 3_600)
        /// The maximum time of one attempt to fetch a manifest. Default: 10 min.
        public var manifestLimit: Duration = .seconds(600)
        /// The maximum number of bytes of an archive. Default: 1 GiB.
        public var sizeLimit: Int64 = 1 << 30
        /// The number of bytes that must stay free on the device. Default: 32 MiB.
        public var reserve: Int64 = 32 << 20
        /// A Boolean value that indicates whether `http` URLs of other machines are allowed. Default: `false`.
        public var allowsInsecure = false
        /// The downloader of whole archives for updates with the urgency `.whenConvenient`. If `nil`, the default, they
        /// use the network loader of the updater.
        ///
        /// It is used if the manifest declares the size and the SHA-256 of the archive, and no bytes of it are on disk.
        /// If it fails, the network loader downloads the archive. Time limits and `maxConcurrent` do not apply to it.
        /// A complete file is used by updates of any urgency. A downloader serves one updater at a time.
        public var background: (any BackgroundDownloading)?
        /// The limits and waits of retries.
        var retry = RetryPlan.Configuration()
        /// The time for which an unfinished download is kept. Default: 7 days.
        public var retention: Duration = .seconds(7 * 86_400)
        /// The source of the free space of the device. Default: statvfs(3).
        public var space: any SpaceMeasuring = FileSystemSpace()
        /// The clock for waits. Default: the machine's clock.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// The source of the current date. Default: the machine's clock.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates the default options.
        public init() {}
    }
}
