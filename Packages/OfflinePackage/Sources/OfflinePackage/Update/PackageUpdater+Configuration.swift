// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
        /// The limits of a trial.
        public var trial = TrialPeriod.Limits()
        /// The costs of requests.
        public var costs = RangePlan.Costs()
        /// The options of downloads.
        public var downloads = PackageDownloader.Configuration()
        /// The conditions of the device, on which updates depend. Default: always favorable.
        ///
        /// A container replaces them by `ContainerConfiguration.conditions`.
        public var conditions: any HostConditioning = .favourable
        /// The provider of free space before a download. If `nil`, the default, it is the library's store.
        public var space: (any SpaceEnsuring)?
        /// The store of the trial record. If `nil`, the default, it is a ``HealthDocument`` of the library's store.
        public var health: (any HealthRecording)?
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
