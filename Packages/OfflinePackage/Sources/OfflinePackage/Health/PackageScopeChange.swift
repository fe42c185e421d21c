// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat
public import ResourceLoading

/// A change of the generation that serves a base URL. The caches and service workers of engines for the base URL are
/// outdated.
public struct PackageScopeChange: Sendable, Hashable {
    /// The reason of a change. Kinds are added over time, so a `switch` needs a `default`.
    public enum Reason: Sendable, Hashable {
        case activated
        /// The generation failed its trial, with a reason.
        case rolledBack(String)
        case removed
    }

    /// The package whose generation changed.
    public var package: PackageID
    /// The base URL. All URLs below it are affected.
    public var baseURL: PackageBaseURL
    /// The former generation, or `nil` if the network served the base URL.
    public var former: GenerationReference?
    /// The current generation, or `nil` if the network serves the base URL.
    public var current: GenerationReference?
    /// The reason of the change.
    public var reason: Reason
    /// The version that became active or failed its trial; `nil` after a removal.
    @_spi(Facade) public var version: PackageVersion?
    /// The kind of the failed trial, if the reason is a rollback.
    @_spi(Facade) public var failure: TrialFailure?
}

/// The kind of a failed trial.
@_spi(Facade) public enum TrialFailure: String, Sendable, Hashable, Codable {
    /// A page failed.
    case failed
    /// A page did not report within the limit.
    case timedOut = "timed-out"
    /// Several processes in a row ended during a boot.
    case relaunched
}
