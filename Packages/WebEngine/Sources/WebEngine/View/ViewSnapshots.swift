// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Pictures of a view.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewSnapshots: AnyObject {
    /// Returns a picture of the visible part of the page.
    /// - Throws: ``EngineError`` with code `snapshot`, or as ``ViewScripting/evaluate(_:in:)``.
    func snapshot() async throws -> PageSnapshot
}

/// A picture of a page.
public struct PageSnapshot: Sendable, Hashable {
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// Rows from the top without padding, each pixel as the bytes blue, green, red, alpha.
    public let pixels: Data
    /// The same picture as a PNG file.
    public let png: Data

    /// Makes a picture. The parts must fit each other.
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
    /// Ends the web process at once, however busy it is; `ViewSignal.processEnded` follows. An open page is then reloaded, as
    /// after a crash, so close the page instead to free memory.
    func endProcess()

    /// A Boolean value that indicates whether the view is visible; `nil` if the engine does not say. A change arrives as
    /// `ViewSignal.visibilityChanged`.
    var isVisible: Bool? { get }
}
