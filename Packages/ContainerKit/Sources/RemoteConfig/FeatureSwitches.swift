// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import RemoteConfig
internal import ResourceLoading

/// The switches of the features, all on at first. Isolation: any.
struct FeatureSwitches: Sendable {
    private let switches: [RemoteConfigFeature: FeatureSwitch]

    init() {
        switches = Dictionary(uniqueKeysWithValues: RemoteConfigFeature.allCases.map { ($0, FeatureSwitch()) })
    }

    subscript(feature: RemoteConfigFeature) -> FeatureSwitch {
        guard let found = switches[feature] else { preconditionFailure("no switch for \(feature)") }
        return found
    }

    func isOn(_ feature: RemoteConfigFeature) -> Bool { self[feature].isOn }

    /// Turns these features on and all others off, for what starts from now on.
    func set(_ features: Set<RemoteConfigFeature>) {
        for (feature, one) in switches { one.set(features.contains(feature)) }
    }
}
