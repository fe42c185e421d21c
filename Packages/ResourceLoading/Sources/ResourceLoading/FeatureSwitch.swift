// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// A feature that can be turned off and on while the container runs.
///
/// Isolation: any. Reading it is one atomic load.
public final class FeatureSwitch: Sendable {
    private let state: Atomic<Bool>

    /// Makes a switch; on by default.
    public init(isOn: Bool = true) {
        state = Atomic(isOn)
    }

    /// Returns `true` while the feature is on.
    public var isOn: Bool { state.load() }

    /// Turns the feature on or off for what starts from now on.
    public func set(_ isOn: Bool) {
        state.store(isOn)
    }
}

/// Loads by one loader while a feature is on, and by another one, or not at all, while it is off. A request that has begun
/// is not affected by a later change.
public struct SwitchedLoader: ResourceLoader {
    private let feature: FeatureSwitch
    private let on: any ResourceLoader
    private let off: (any ResourceLoader)?

    /// Makes a switched loader.
    /// - Parameters:
    ///   - feature: the switch that is read for each request.
    ///   - on: the loader while the feature is on.
    ///   - off: the loader while the feature is off; by default nothing is answered then.
    public init(_ feature: FeatureSwitch, on: any ResourceLoader, off: (any ResourceLoader)? = nil) {
        self.feature = feature
        self.on = on
        self.off = off
    }

    private var current: (any ResourceLoader)? { feature.isOn ? on : off }

    public nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        try await current?.load(request)
    }

    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        current?.immediateResponse(to: request) ?? .known(nil)
    }
}
