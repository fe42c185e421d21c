// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// A feature that can be turned off and on at run time.
///
/// Isolation: any. Reading the state is one atomic load.
public final class FeatureSwitch: Sendable {
    private let state: Atomic<Bool>

    /// Creates a switch. The feature is on by default.
    public init(isOn: Bool = true) {
        state = Atomic(isOn)
    }

    /// A Boolean value that indicates whether the feature is on.
    public var isOn: Bool { state.load() }

    /// Turns the feature on or off for work that starts from now on.
    public func set(_ isOn: Bool) {
        state.store(isOn)
    }
}

/// A loader that forwards requests to one of two loaders, depending on whether a feature is on or off.
///
/// A later change does not affect a request that has started.
@_spi(Facade) public struct SwitchedLoader: ResourceLoader {
    private let feature: FeatureSwitch
    private let on: any ResourceLoader
    private let off: (any ResourceLoader)?

    /// Creates a switched loader.
    /// - Parameters:
    ///   - feature: the switch that is read for each request.
    ///   - on: the loader while the feature is on.
    ///   - off: the loader while the feature is off; if it is `nil`, requests get no response from this loader.
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
