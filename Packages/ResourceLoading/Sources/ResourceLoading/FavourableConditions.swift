// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Conditions that always say yes.
public struct FavourableConditions: HostConditioning {
    public init() {}

    public var conditions: HostConditions { .favourable }

    /// Never has one.
    public func changes() -> AsyncStream<HostConditions> {
        AsyncStream { $0.finish() }
    }
}

extension HostConditioning where Self == FavourableConditions {
    /// Conditions that always say yes.
    public static var favourable: Self { FavourableConditions() }
}
