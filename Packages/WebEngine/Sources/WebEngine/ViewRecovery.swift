// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The web process and the visibility of a view.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewRecovery: AnyObject {
    /// Ends the web process at once, however busy it is; `ViewSignal.processEnded` follows. An open page is then reloaded, as
    /// after a crash, so close the page instead to free memory.
    func endProcess()

    /// A Boolean value that indicates whether the view is visible; `nil` if the engine does not say. A change arrives as
    /// `ViewSignal.visibilityChanged`.
    var isVisible: Bool? { get }
}
