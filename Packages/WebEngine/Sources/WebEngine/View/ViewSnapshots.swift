// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The snapshots of a view.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewSnapshots: AnyObject {
    /// Returns a snapshot of the visible part of the page.
    /// - Throws: ``EngineError`` with code `snapshot`, or the errors of ``ViewScripting/evaluate(_:in:)``.
    func snapshot() async throws -> PageSnapshot
}

/// A picture of a page.
public struct PageSnapshot: Sendable, Hashable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The pixels in rows from the top, without padding; each pixel has the bytes blue, green, red, alpha.
    public let pixels: Data
    /// The same picture as a PNG file.
    public let png: Data

    /// Creates a snapshot. The arguments must be consistent with each other.
    public init(width: Int, height: Int, pixels: Data, png: Data) {
        self.width = width
        self.height = height
        self.pixels = pixels
        self.png = png
    }
}

/// The web process and the visibility of a view.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewRecovery: AnyObject {
    /// Ends the web process immediately, even if it is busy; `ViewSignal.processEnded` follows. An open page is then
    /// reloaded, as after a crash. To free memory, close the page instead.
    func endProcess()

    /// A Boolean value that indicates whether the view is visible; `nil` if the engine does not report it.
    /// `ViewSignal.visibilityChanged` reports changes.
    var isVisible: Bool? { get }
}
