// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading

/// A feature that remote config turns on and off. Cases are added over time; include a `default` when switching.
public enum RemoteConfigFeature: String, Sendable, Hashable, CaseIterable {
    /// Packages, installed or being downloaded, serve requests and cover pages. While the feature is off, packages are
    /// still updated, so that they are current when it is turned on again.
    case packages
    /// Requests of a page are made when the page is opened, and the prefetch table is updated.
    case prefetch
    /// The HTTP cache serves requests and stores responses.
    case httpCache
    /// The resource table serves requests, covers pages, and is updated.
    case resourceTable
    /// Views are created and prewarmed before they are needed.
    case pool
    /// Blank pages are detected and recovered.
    case blankPages = "whitePages"
    /// Servers resolve host names. While the feature is off, the system resolves all names.
    case nameResolution
}

/// The roll-out of a feature: on, off, or on for some devices.
@_spi(Fuzzing) public enum RemoteConfigRollOut: Sendable, Hashable {
    /// On for all devices.
    case on
    /// Off for all devices.
    case off
    /// On for the devices whose bucket is below `perMille`, 0 to 1,000; see ``RolloutBucket``.
    case partial(perMille: Int, salt: String)

    /// Returns a Boolean value that indicates whether the feature is on for a device.
    /// - Parameter device: the device.
    public func isOn(for device: RolloutBucket) -> Bool {
        switch self {
        case .on: true
        case .off: false
        case .partial(let perMille, let salt): device.number(salt: salt) < perMille
        }
    }
}

/// The mode of pages in a remote config document.
public enum RemoteConfigMode: String, Sendable, Hashable, CaseIterable {
    /// Pages are not intercepted.
    case plain
    /// Covered pages use the mode of the container's configuration.
    case configured
    /// Covered pages use the custom scheme. This case and the next three apply only if the container uses the mode.
    case customScheme = "scheme"
    /// The container gives the documents of covered pages to the engine.
    case document
    /// Covered pages use the loopback proxy.
    case loopbackProxy = "proxy"
    /// Covered pages use the loopback server.
    case loopbackServer = "server"
}

/// The switches of the features that remote config controls, initially all on.
///
/// This is the only place that maps a feature to its switch. Features receive a `FeatureSwitch` and do not depend on
/// remote config. Isolation: any.
package struct FeatureSwitches: Sendable {
    private let packages = FeatureSwitch()
    private let prefetch = FeatureSwitch()
    private let httpCache = FeatureSwitch()
    private let resourceTable = FeatureSwitch()
    private let pool = FeatureSwitch()
    private let blankPages = FeatureSwitch()
    private let nameResolution = FeatureSwitch()

    package init() {}

    /// The switch of a feature.
    package subscript(feature: RemoteConfigFeature) -> FeatureSwitch {
        switch feature {
        case .packages: packages
        case .prefetch: prefetch
        case .httpCache: httpCache
        case .resourceTable: resourceTable
        case .pool: pool
        case .blankPages: blankPages
        case .nameResolution: nameResolution
        }
    }

    /// Returns a Boolean value that indicates whether a feature is on.
    package func isOn(_ feature: RemoteConfigFeature) -> Bool { self[feature].isOn }

    /// Turns these features on and all others off. Work in progress is not affected.
    package func set(_ features: Set<RemoteConfigFeature>) {
        for feature in RemoteConfigFeature.allCases { self[feature].set(features.contains(feature)) }
    }
}
