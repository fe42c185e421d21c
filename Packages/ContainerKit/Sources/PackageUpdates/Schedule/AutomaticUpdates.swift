// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import OfflinePackage
public import PackageFormat

/// The options of updates that the container starts itself.
public struct AutomaticUpdates: Sendable {
    /// The events that trigger a check of the catalogue and of the packages. Default: ``UpdatePolicy/manual``.
    ///
    /// A trigger less than 30 seconds after the last check of the catalogue or of a package does not check it again.
    public var policy = UpdatePolicy.manual
    /// The packages that are checked. Default: none, except those of the ``catalogue``.
    public var sources: [PackageSource] = []
    /// The source of a list of packages that are checked too. Default: none.
    ///
    /// A package that one catalogue listed and a later one does not is removed. `docs/catalogue.md` specifies the
    /// document.
    public var catalogue: (any PackageCataloguing)?
    /// The URLs below which the scopes of a catalogue must lie. If empty, the default, it is the origin of the
    /// catalogue's primary URL, or any URL if the publisher signs the catalogue.
    ///
    /// A catalogue with another scope is refused as a whole. If the publisher signs the catalogue, only the packages
    /// with such a scope are not updated.
    public var scopes: [PackageBaseURL] = []
    /// The time at which automatic updates become active. Default: the next launch.
    public var timing = ApplyTiming.nextLaunch
    /// The urgency of automatic updates. Default: they wait until the app is idle and the network is unmetered.
    public var urgency = UpdateUrgency.whenConvenient
    /// The maximum number of automatic updates that run at one time; at least 1. Default: 2. Updates that wait for a
    /// background download do not count.
    public var maxConcurrent = 2

    /// Creates the default options.
    public init() {}

    /// The URLs below which the scopes of a catalogue must lie, or `nil` for any.
    var effectiveScopes: [PackageBaseURL]? {
        guard scopes.isEmpty, let catalogue else { return scopes }
        guard catalogue.signedManifests == nil else { return nil }
        return UpdatePlan.origin(of: catalogue.primaryURL).map { [$0] } ?? []
    }
}

/// The events that trigger a check for updates, in any combination: `[.onLaunch, .periodic(.seconds(3_600))]`.
public struct UpdatePolicy: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The minimum time between two periodic checks.
    public static let minimumInterval = Duration.seconds(600)

    /// No event. Only `Container.checkForUpdates()` and `Container.update(from:timing:urgency:)` check.
    public static let manual: UpdatePolicy = []
    /// The launch of the app.
    public static let onLaunch = UpdatePolicy(isOnLaunch: true)
    /// The entry of the app into the foreground.
    public static let onForeground = UpdatePolicy(isOnForeground: true)
    /// The opening of a page, for the packages whose scope contains the page. The page does not wait.
    public static let whenOpened = UpdatePolicy(isWhenOpened: true)

    /// A time since the last check of all packages, while the app is in the foreground. It also counts while the app
    /// is not running.
    /// - Parameter interval: the time; a shorter one than ``minimumInterval`` is raised.
    public static func periodic(_ interval: Duration) -> UpdatePolicy {
        UpdatePolicy(interval: max(interval, minimumInterval))
    }

    private(set) var isOnLaunch = false
    private(set) var isOnForeground = false
    private(set) var isWhenOpened = false
    private(set) var interval: Duration?

    private init(
        isOnLaunch: Bool = false, isOnForeground: Bool = false, isWhenOpened: Bool = false, interval: Duration? = nil
    ) {
        self.isOnLaunch = isOnLaunch
        self.isOnForeground = isOnForeground
        self.isWhenOpened = isWhenOpened
        self.interval = interval
    }

    /// Creates the combination of policies. Of several intervals, the shortest applies.
    public init(arrayLiteral policies: UpdatePolicy...) {
        self.init(
            isOnLaunch: policies.contains(where: \.isOnLaunch),
            isOnForeground: policies.contains(where: \.isOnForeground),
            isWhenOpened: policies.contains(where: \.isWhenOpened), interval: policies.compactMap(\.interval).min())
    }
}
