// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a pool asks of a view.
///
/// Isolation: the main actor, where views live.
@MainActor
public protocol PoolableView: AnyObject {
    /// Whether the view can still show a page; `false` once its web process died.
    var isAlive: Bool { get }

    /// Loads a blank page. A view that was created but never loaded saves nothing when a page opens in it.
    /// - Throws: when the engine cannot start a page, within a limit of the view's own.
    func warmUp() async throws

    /// Removes all that the earlier page and its host left in this view, down to a blank page without history.
    /// - Throws: when anything cannot be removed; such a view must not be lent again.
    func reset() async throws

    /// Ends the view for good.
    func discard()
}
