// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat
public import ResourceLoading

/// What answers under a base URL has changed: what an engine's caches and service workers hold of it is old.
public struct PackageScopeChange: Sendable, Hashable {
    /// Why it changed. Kinds are added over time: keep a default when switching.
    public enum Reason: Sendable, Hashable {
        case activated
        /// The generation failed its trial.
        case rolledBack(String)
        case removed
    }

    /// The package of which another generation answers now.
    public var package: PackageID
    /// All URLs under this one are concerned.
    public var baseURL: PackageBaseURL
    /// What answered before; `nil` for the network.
    public var former: GenerationReference?
    /// What answers now; `nil` for the network.
    public var current: GenerationReference?
    /// Why.
    public var reason: Reason
}
