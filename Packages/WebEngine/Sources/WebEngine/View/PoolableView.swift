// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a pool asks of a view.
///
/// Isolation: the main actor, where views live.
@MainActor
public protocol PoolableView: AnyObject {
    /// Whether the view can still show a page; `false` once its web process died.
    var isAlive: Bool { get }

    /// Loads a blank page, and returns when nothing is left to be done for that. A view that was created but never loaded
    /// saves nothing when a page opens in it.
    /// - Throws: when the engine cannot start a page, within a limit of the view's own.
    func warmUp() async throws

    /// Gives up all that the earlier page and its host left, down to a warm, blank page without history.
    /// - Returns: the view that the next page may have. That is this one, or another that takes over what is worth
    ///   keeping, a running web process for one; then this one has ended.
    /// - Throws: when anything cannot be removed, within a limit of the view's own: ``ViewProcessEnded`` where the process
    ///   ended meanwhile. The pool ends this view then; what else there is by then the view has ended itself.
    func reset() async throws -> Self

    /// What an earlier page or its host left in this view, as far as engine and script can tell. The pool asks after
    /// each reset, and checks out the view again only where there is nothing.
    /// - Throws: when that cannot be told, within a limit of the view's own; ``ViewProcessEnded`` as in ``reset()``.
    func residualState() async throws -> Set<ResidualState>

    /// Ends the view for good. Again, it does nothing.
    func discard()
}

/// The process of a view ended while the view was cleaned.
public struct ViewProcessEnded: Error, Sendable, Hashable {
    /// Makes the error.
    public init() {}
}

/// How much memory a pool is to give back.
public enum MemoryPressure: Sendable, Hashable, CaseIterable {
    /// Half of the views that are warm and free, rounded up; those go first that serve only one key.
    case warning
    /// All that nobody has, also what is being prepared or cleaned; and from then on only the fewest are kept.
    case critical
}
