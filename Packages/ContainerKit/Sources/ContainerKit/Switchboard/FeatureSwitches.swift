// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import Synchronization

/// Which features are on now. Isolation: any.
final class FeatureSwitches: Sendable {
    private let bits = Atomic(UInt64.max)

    func isOn(_ feature: SwitchboardFeature) -> Bool {
        bits.load(ordering: .relaxed) & feature.bit != 0
    }

    /// For what starts from now on.
    func set(_ features: Set<SwitchboardFeature>) {
        bits.store(features.reduce(0) { $0 | $1.bit }, ordering: .relaxed)
    }
}

extension SwitchboardFeature {
    fileprivate var bit: UInt64 {
        switch self {
        case .packages: 1
        case .prefetch: 2
        case .httpCache: 4
        case .resourceTable: 8
        case .pool: 16
        case .whitePages: 32
        }
    }
}

/// A loader while its feature is on, and another one, or none, while it is off. What began goes on as it began.
struct SwitchedLoader: ResourceLoading {
    let feature: SwitchboardFeature
    let switches: FeatureSwitches
    let on: any ResourceLoading
    var off: (any ResourceLoading)?

    private var current: (any ResourceLoading)? { switches.isOn(feature) ? on : off }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        try await current?.load(request)
    }

    func promptAnswer(to request: ResourceRequest) -> PromptAnswer {
        current?.promptAnswer(to: request) ?? .known(nil)
    }
}
