// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

/// Runs one check of the adapter in the real engine and exits with 0 if it passes.
///
/// The engine needs GLib's main loop on the main thread. A test runner does not run this loop, so the tests start this
/// program.
@main
enum EngineHarness {
    static func main() {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        let arguments = Array(CommandLine.arguments.dropFirst(2))
        do {
            if name == "outsideOfLoop" {
                try checkOutsideOfLoop()
            } else {
                try GLibMainLoop.run {
                    guard let check = EngineCheck(rawValue: name) else {
                        throw CheckFailure(description: "no such check: \(name)")
                    }
                    try await withLimit(check.limit, "the check does not end") { try await check.run(arguments) }
                }
            }
        } catch {
            FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
            exit(1)
        }
        exit(0)
    }

    /// Checks that the engine fails without a main loop instead of waiting, and that the loop can run several times.
    private static func checkOutsideOfLoop() throws {
        try MainActor.assumeIsolated {
            do {
                _ = try WebKitGTKEngine()
                throw CheckFailure(description: "an engine without a loop")
            } catch let error as EngineError {
                try expect(error.code == .noMainLoop && error.message.contains("GLibMainLoop.run"), "\(error)")
            }
        }
        let value = GLibMainLoop.run { 7 }
        let name = try GLibMainLoop.run { try WebKitGTKEngine().name }
        try expect(value == 7 && name.hasPrefix("WebKitGTK 2."), "\(value) \(name)")
    }
}

/// The failure of a check.
struct CheckFailure: Error, CustomStringConvertible {
    let description: String
}

func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw CheckFailure(description: what) }
}

/// Expects an error of the engine.
@MainActor
func expectError(_ code: EngineError.Code, _ what: String, _ body: @MainActor () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as EngineError where error.code == code {
        return
    } catch {
        throw CheckFailure(description: "\(what): \(error), and not \(code)")
    }
    throw CheckFailure(description: "\(what): no error, and not \(code)")
}
