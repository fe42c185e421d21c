// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// The result of an update.
public struct PackageUpdate: Sendable, Hashable {
    /// The effect of an update.
    public enum Outcome: Sendable, Hashable {
        /// The version was active or staged already.
        case unchanged
        /// The version is active now.
        case activated
        /// The version is installed and waits for activation.
        case staged(ApplyTiming)
        /// The update waits for favorable conditions, for the given reason. It is retried, also after a relaunch.
        ///
        /// ``PackageUpdater`` does not return this outcome; it throws ``DeliveryError`` with code `notNow` instead.
        case waiting(reason: String)
    }

    /// The transfer of the package's bytes.
    public enum Transfer: Sendable, Hashable {
        /// No bytes were transferred.
        case nothing
        /// Ranges of the archive were transferred.
        case ranges
        /// The whole archive was transferred.
        case whole
        /// The whole archive was transferred after a download by ranges failed.
        case wholeAfterRanges
    }

    /// The effect of the update.
    public var outcome: Outcome
    /// The package that is active or waits for activation; `nil` if the update waits.
    public var package: InstalledPackage?
    /// The transfer of the package's bytes.
    public var transfer: Transfer
    /// The network traffic of the update, without that of the manifest.
    public var traffic: DeliveryTraffic

    /// Creates the result of an update that waits.
    @_spi(Facade) public static func waiting(reason: String) -> Self {
        Self(outcome: .waiting(reason: reason), package: nil, transfer: .nothing, traffic: DeliveryTraffic())
    }
}

/// The time at which an update becomes active. Open pages keep their generations in any case.
public enum ApplyTiming: String, Sendable, Hashable, Codable, CaseIterable {
    /// Immediately after the install.
    case now
    /// At the next launch of the app.
    case nextLaunch
    /// At the next transition of the app to the background, or at its next launch.
    case inBackground
}

/// The urgency of an update, which determines the required conditions of the device.
public enum UpdateUrgency: Sendable, Hashable, CaseIterable {
    /// A user waits for the update, so any network is acceptable.
    case wanted
    /// The update runs only if the app is idle, the network is unmetered and the battery is not low. Its requests are
    /// a `BackgroundTransfer`, which fails on a network that the user wants to spare.
    case whenConvenient

    /// Returns the reason that prevents the update now, or `nil` if there is none.
    @_spi(Facade) public func obstacle(in conditions: HostConditions) -> String? {
        if conditions.network == .none { return "there is no network" }
        if conditions.memory == .critical { return "the system is short of memory" }
        guard self == .whenConvenient else { return nil }
        if !conditions.isIdle { return "the app is not idle" }
        if conditions.network == .metered { return "the network is metered" }
        if conditions.network == .unknown { return "the cost of the network is unknown" }
        if conditions.power == .low { return "the battery is low" }
        return conditions.memory == .normal ? nil : "memory is short"
    }
}
