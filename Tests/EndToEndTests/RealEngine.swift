// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

/// The tests that drive the real engine, one after the other. Several engines at once on a small machine would make
/// every time limit unreliable.
@Suite("Real engine", .serialized, .enabled(if: Display.isThere, "needs a display: run make test"))
enum RealEngine {}

enum Display {
    /// A Boolean value that indicates whether a display is available.
    static var isThere: Bool { ProcessInfo.processInfo.environment["DISPLAY"]?.isEmpty == false }
}
