// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// The adapter in the real engine, check by check.
    @Suite("WebKitGTK adapter", .timeLimit(.minutes(3)))
    struct EngineTests {
        @Test(
            "The engine does what the facade asks",
            arguments: [
                "userScripts", "messages", "cookies", "snapshot", "processEnd", "reservedScheme", "scriptErrors",
                "warmUp",
            ])
        func check(_ name: String) async throws {
            let outcome = try await Program("engine-harness").run(name, in: NSTemporaryDirectory())
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test("A check that does not exist fails, so the others mean something")
        func unknownCheck() async throws {
            let outcome = try await Program("engine-harness").run("none", in: NSTemporaryDirectory())
            #expect(outcome.status == 1)
        }
    }
}
