// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

/// The tests that drive the real engine. They run one after the other, because several engines at once would make time
/// limits unreliable on a small machine.
@Suite("Real engine", .serialized, .enabled(if: Display.isThere, "needs a display: run make test"))
enum RealEngine {}

enum Display {
    /// A Boolean value that indicates whether a display is available.
    static var isThere: Bool { ProcessInfo.processInfo.environment["DISPLAY"]?.isEmpty == false }
}
