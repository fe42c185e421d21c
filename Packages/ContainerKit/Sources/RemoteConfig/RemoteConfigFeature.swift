// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading

/// A feature that remote config turns on and off. Features are added over time: keep a default when switching.
public enum RemoteConfigFeature: String, Sendable, Hashable, CaseIterable {
    /// Packages, installed or being downloaded, answer requests and cover pages. They are updated even while this is
    /// off, so that they are current when it is on again.
    case packages
    /// Requests of a page are made when it is opened; the prefetch table is updated.
    case prefetch
    /// The HTTP cache answers requests and stores responses.
    case httpCache
    /// The resource table answers requests, covers pages, and is updated.
    case resourceTable
    /// Views are created and prewarmed before they are needed.
    case pool
    /// Blank pages are detected and recovered.
    case blankPages = "whitePages"
}

/// The roll-out of a feature: on, off, or on for some devices.
public enum RemoteConfigRollOut: Sendable, Hashable {
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
    /// Pages open as without a container.
    case plain
    /// Covered pages open in the mode that the container is configured with.
    case configured
    /// Covered pages open by the custom scheme. This and the next two modes apply only if the container uses them.
    case customScheme = "scheme"
    /// Covered pages open by the loopback proxy.
    case loopbackProxy = "proxy"
    /// Covered pages open at the local server.
    case loopbackServer = "server"
}

/// The switches of the features that remote config names, all on at first.
///
/// The one place that maps a feature to its switch: features receive a `FeatureSwitch` and do not know remote config.
/// Isolation: any.
package struct FeatureSwitches: Sendable {
    private let packages = FeatureSwitch()
    private let prefetch = FeatureSwitch()
    private let httpCache = FeatureSwitch()
    private let resourceTable = FeatureSwitch()
    private let pool = FeatureSwitch()
    private let blankPages = FeatureSwitch()

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
        }
    }

    /// Returns a Boolean value that indicates whether a feature is on.
    package func isOn(_ feature: RemoteConfigFeature) -> Bool { self[feature].isOn }

    /// Turns these features on and all others off, for what starts from now on.
    package func set(_ features: Set<RemoteConfigFeature>) {
        for feature in RemoteConfigFeature.allCases { self[feature].set(features.contains(feature)) }
    }
}
