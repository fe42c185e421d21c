// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import RemoteConfig
internal import ResourceLoading

/// Which features are on now. Isolation: any.
final class FeatureSwitches: Sendable {
    private let bits = Atomic(UInt64.max)

    func isOn(_ feature: RemoteConfigFeature) -> Bool {
        bits.load() & feature.bit != 0
    }

    /// For what starts from now on.
    func set(_ features: Set<RemoteConfigFeature>) {
        bits.store(features.reduce(0) { $0 | $1.bit })
    }
}

extension RemoteConfigFeature {
    fileprivate var bit: UInt64 {
        switch self {
        case .packages: 1
        case .prefetch: 2
        case .httpCache: 4
        case .resourceTable: 8
        case .pool: 16
        case .blankPages: 32
        }
    }
}

/// A loader while its feature is on, and another one, or none, while it is off. What began goes on as it began.
struct FeatureGateLoader: ResourceLoader {
    let feature: RemoteConfigFeature
    let switches: FeatureSwitches
    let on: any ResourceLoader
    var off: (any ResourceLoader)?

    private var current: (any ResourceLoader)? { switches.isOn(feature) ? on : off }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        try await current?.load(request)
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        current?.immediateResponse(to: request) ?? .known(nil)
    }
}
