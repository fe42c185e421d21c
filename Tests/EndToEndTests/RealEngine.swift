// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

/// All that drives the real engine, one test after the other: several engines at once on a small machine would make
/// every limit a matter of luck.
@Suite("Real engine", .serialized, .enabled(if: Display.isThere, "needs a display: run make test"))
enum RealEngine {}

enum Display {
    /// Whether there is a display to draw on.
    static var isThere: Bool { ProcessInfo.processInfo.environment["DISPLAY"]?.isEmpty == false }
}
