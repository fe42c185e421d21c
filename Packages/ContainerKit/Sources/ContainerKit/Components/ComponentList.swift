// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

/// The components of a container in start order and in close order.
///
/// Start, page openings, signals and resume of the app run in ``startOrder``. Page closings, background and suspension
/// of the app, data removals and shut-down run in ``closeOrder``.
///
/// Isolation: the main actor.
@MainActor
final class ComponentList {
    /// The names of the components.
    enum Name: Sendable, Hashable, CaseIterable {
        case store, resourceTable, remoteConfig, diagnostics, prefetch, loopback, cookies, httpCache, pipeline
        case documents, packages, prompts, downloads, engineCaches, recovery, views, interface, nameResolution
    }

    /// The order of start, page openings, page signals and resume.
    ///
    /// - Prompts and downloads come first, so that they are ready before a page loads anything.
    /// - Name resolution precedes prefetch, so that names are looked up before its requests need them.
    /// - Prefetch precedes the components that delay the opening of a page, so that its requests start earlier.
    /// - The store precedes the features that write to it when the app resumes.
    /// - Loopback precedes the packages: it shares the generations of a page before the packages report the page.
    /// - Recovery is last, because its reloads need all other components.
    nonisolated static let startOrder: [Name] = [
        .prompts, .downloads, .resourceTable, .remoteConfig, .diagnostics, .nameResolution, .prefetch, .loopback,
        .cookies, .httpCache, .store, .engineCaches, .pipeline, .documents, .packages, .interface, .views, .recovery,
    ]

    /// The order of page closings, suspension, data removals and shut-down.
    ///
    /// - Views come first, because their preparation uses the proxy. The work of pages ends next, then listeners and
    ///   services.
    /// - Cookies are removed before the HTTP cache, and both before the engine's caches, because a response that uses
    ///   them can refill the engine's caches.
    /// - The store is last, because the others write to it.
    nonisolated static let closeOrder: [Name] = [
        .views, .downloads, .recovery, .interface, .prompts, .diagnostics, .prefetch, .loopback, .resourceTable,
        .remoteConfig, .packages, .documents, .pipeline, .nameResolution, .cookies, .httpCache, .engineCaches, .store,
    ]

    /// The components in start order.
    let inStartOrder: [any ContainerComponent]
    /// The same components in close order.
    let inCloseOrder: [any ContainerComponent]
    private var isShutDown = false

    /// Creates the list.
    /// - Parameter components: the components by name; the value is `nil` for a feature that is not in use.
    init(_ components: [Name: (any ContainerComponent)?]) {
        let components = components.compactMapValues(\.self)
        inStartOrder = Self.startOrder.compactMap { components[$0] }
        inCloseOrder = Self.closeOrder.compactMap { components[$0] }
    }

    /// Returns the component of the given type, or `nil` if its feature is not in use.
    func first<Component: ContainerComponent>(_ type: Component.Type = Component.self) -> Component? {
        inStartOrder.lazy.compactMap { $0 as? Component }.first
    }

    // MARK: Calls of all components

    /// Starts all components.
    /// - Throws: the first error. The components after the failed component are not started.
    func start() async throws {
        for component in inStartOrder { try await component.start() }
        for component in inStartOrder { component.didStart() }
    }

    /// Ends the work of all components.
    func shutDown() async {
        isShutDown = true
        for component in inCloseOrder { component.willShutDown() }
        for component in inCloseOrder { await component.shutDown() }
    }

    func trimMemory(_ pressure: MemoryPressure) {
        for component in inCloseOrder { component.trimMemory(pressure) }
    }

    /// The sum of the counters of all components.
    var counters: ContainerCounters {
        inStartOrder.reduce(into: ContainerCounters()) { $1.addCounters(to: &$0) }
    }

    /// Reports a state of the app to all components.
    /// Does nothing after ``shutDown()``, because another container may have the folder.
    /// - Throws: the first error, after all components were called.
    func hostDidTransition(to state: HostState) async throws {
        guard !isShutDown else { return }
        var (state, failure) = (state, nil as (any Error)?)
        for component in state.isAway ? inCloseOrder : inStartOrder {
            do {
                try await component.hostDidTransition(to: state)
            } catch {
                failure = failure ?? error
                if case .resumed = state { state = .resumed(isStoreOpen: false) }
            }
        }
        if let failure { throw failure }
    }

    /// Removes data in all stages except ``AccountDataRemoval/Stage/finished``.
    /// - Returns: the errors, in the order of the calls.
    func removeData(_ removal: AccountDataRemoval) async -> [any Error] {
        var failures: [any Error] = []
        for stage in [AccountDataRemoval.Stage.began, .clearing, .ended] {
            failures += await removeData(removal, in: stage)
        }
        return failures
    }

    /// Removes data in one stage.
    /// - Returns: the errors, in the order of the calls.
    func removeData(_ removal: AccountDataRemoval, in stage: AccountDataRemoval.Stage) async -> [any Error] {
        var (removal, failures) = (removal, [] as [any Error])
        removal.stage = stage
        for component in inCloseOrder {
            do { try await component.removeData(removal) } catch { failures.append(error) }
        }
        return failures
    }
}
