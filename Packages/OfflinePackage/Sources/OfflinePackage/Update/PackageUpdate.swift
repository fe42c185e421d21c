// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// What came of a look for an update.
public struct PackageUpdate: Sendable, Hashable {
    /// What is different now.
    public enum Outcome: Sendable, Hashable {
        /// It is active already, or staged already.
        case unchanged
        /// It is active now.
        case activated
        /// It is there and waits.
        case staged(ApplyTiming)
    }

    /// How its bytes came.
    public enum Transfer: Sendable, Hashable {
        /// None had to come.
        case nothing
        /// Ranges of the archive.
        case ranges
        /// The whole archive.
        case whole
        /// The whole archive, after ranges of it did not lead there.
        case wholeAfterRanges
    }

    /// What is different now.
    public var outcome: Outcome
    /// What is active, or waits to be.
    public var package: InstalledPackage
    /// How its bytes came.
    public var transfer: Transfer
    /// What went over the network after the manifest.
    public var traffic: DeliveryTraffic
}

/// When an update takes effect: the host's choice. Pages that are open keep what they have in any case.
public enum ApplyTiming: String, Sendable, Hashable, Codable, CaseIterable {
    /// As soon as it is there.
    case now
    /// When the app is started the next time.
    case nextLaunch
    /// When the app goes to the background, or is started the next time.
    case inBackground
}

/// How much an update may ask of the device.
public enum UpdateUrgency: Sendable, Hashable, CaseIterable {
    /// Someone waits for it: any network will do.
    case wanted
    /// Only when the app is idle, the network costs nothing and the battery is not low.
    case whenConvenient

    /// Why it cannot be done now; `nil` where it can.
    func obstacle(in conditions: HostConditions) -> String? {
        if conditions.network == .none { return "there is no network" }
        if conditions.memory == .critical { return "the system is short of memory" }
        guard self == .whenConvenient else { return nil }
        if !conditions.isIdle { return "the app is not idle" }
        if conditions.network == .metered { return "the network is metered" }
        if conditions.power == .low { return "the battery is low" }
        return conditions.memory == .normal ? nil : "memory is short"
    }
}
