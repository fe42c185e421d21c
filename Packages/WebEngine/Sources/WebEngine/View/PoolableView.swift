// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The requirements of a view pool for its views.
///
/// Isolation: the main actor.
@MainActor
public protocol PoolableView: AnyObject {
    /// A Boolean value that indicates whether the view can show a page; `false` after its web process has ended.
    var isAlive: Bool { get }

    /// Loads a blank page, which starts the web process, and returns when the load is complete.
    /// - Throws: an error if the engine cannot load the page within the view's own time limit.
    func warmUp() async throws

    /// Removes all state of the earlier page and its host, and leaves a warm, blank page without history.
    /// - Returns: the view for the next page: this view, or a replacement that keeps reusable state such as the running
    ///   web process. After a replacement, this view has ended.
    /// - Throws: an error if some state cannot be removed within the view's own time limit, or ``ViewProcessEnded`` if
    ///   the process ended during the reset. The pool then discards this view. The view itself has discarded any
    ///   replacement that it created.
    func reset() async throws -> Self

    /// Returns the state of an earlier page or its host that the engine or a script can detect in this view.
    ///
    /// The pool calls this after each reset, and reuses the view only if the result is empty.
    /// - Throws: an error if the state cannot be determined within the view's own time limit, or ``ViewProcessEnded``
    ///   as in ``reset()``.
    func residualState() async throws -> Set<ResidualState>

    /// Ends the view permanently. Further calls do nothing.
    func discard()
}

/// An error that reports the end of a view's process during a reset.
public struct ViewProcessEnded: Error, Sendable, Hashable {
    /// Creates the error.
    public init() {}
}

/// The amount of memory that a pool releases.
public enum MemoryPressure: Sendable, Hashable, CaseIterable {
    /// Half of the warm, unused views, rounded up. Views that serve a single key are released first.
    case warning
    /// All views that are not checked out, including those in preparation or reset. The pool then keeps its minimum
    /// number of views.
    case critical
}
