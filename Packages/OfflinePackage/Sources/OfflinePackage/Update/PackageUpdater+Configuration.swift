// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Logging
public import PackageFormat
public import ResourceLoading

extension PackageUpdater {
    /// How an updater works.
    public struct Configuration: Sendable {
        /// The host's own version, for packages that ask for one. `nil`, the default, for what the library was told;
        /// where that is `nil` too, every package that asks is refused.
        public var hostVersion: PackageVersion?
        /// The numbers of a trial.
        public var trial = TrialPeriod.Limits()
        /// What requests cost.
        public var costs = RangePlan.Costs()
        /// How downloads are done.
        public var downloads = PackageDownloader.Configuration()
        /// The conditions of the device, which updates depend on; always favourable by default. A container replaces them
        /// by its own, `ContainerConfiguration.conditions`.
        public var conditions: any HostConditioning = .favourable
        /// What makes room before a download. `nil`, the default, for the library's store.
        public var space: (any SpaceEnsuring)?
        /// Where health is kept. `nil`, the default, for a ``HealthDocument`` of the library's store.
        public var health: (any HealthRecording)?
        /// Times boots. Default: the machine's clock without the time in which the machine sleeps. No clock leaves out the
        /// time in which the system has frozen the process: see ``PackageUpdater/pauseTrials(_:order:)``.
        public var clock: any Clock<Duration> = SuspendingClock()
        /// Is told what no caller hears. Default: a logger with the label `container.updates`.
        public var logger = Logger(label: "container.updates")

        public init() {}
    }
}
