// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import RemoteConfig
internal import ResourceLoading

/// The switches of the features, all on at first. Isolation: any.
struct FeatureSwitches: Sendable {
    private let packages = FeatureSwitch()
    private let prefetch = FeatureSwitch()
    private let httpCache = FeatureSwitch()
    private let resourceTable = FeatureSwitch()
    private let pool = FeatureSwitch()
    private let blankPages = FeatureSwitch()

    subscript(feature: RemoteConfigFeature) -> FeatureSwitch {
        switch feature {
        case .packages: packages
        case .prefetch: prefetch
        case .httpCache: httpCache
        case .resourceTable: resourceTable
        case .pool: pool
        case .blankPages: blankPages
        }
    }

    func isOn(_ feature: RemoteConfigFeature) -> Bool { self[feature].isOn }

    /// Turns these features on and all others off, for what starts from now on.
    func set(_ features: Set<RemoteConfigFeature>) {
        for feature in RemoteConfigFeature.allCases { self[feature].set(features.contains(feature)) }
    }
}
