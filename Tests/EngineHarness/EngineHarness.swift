// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebKitGTKAdapter

/// Runs one check of the adapter in the real engine, by name, and exits with 0 where it holds.
///
/// The engine needs the main thread under GLib's loop, which a test runner does not give: so the tests start this.
@main
enum EngineHarness {
    static func main() {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        let failure: String? = GLibMainLoop.run {
            guard let check = EngineCheck(rawValue: name) else { return "no such check: \(name)" }
            do {
                try await withLimit(.seconds(30), "the check does not end") { try await check.run() }
                return nil
            } catch {
                return String(describing: error)
            }
        }
        if let failure { FileHandle.standardError.write(Data("\(name): \(failure)\n".utf8)) }
        exit(failure == nil ? 0 : 1)
    }
}

/// A check that does not hold.
struct CheckFailure: Error, CustomStringConvertible {
    let description: String
}

func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw CheckFailure(description: what) }
}
