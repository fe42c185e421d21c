// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ArgumentParser
#if canImport(Glibc)
import Glibc
#endif
public enum CommandRunner {
    public static func run(_ type: any ParsableCommand.Type) async -> Outcome {
        do {
            var c = try type.parseAsRoot()
            if var a = c as? any AsyncParsableCommand { try await a.run() } else { try c.run() }
        } catch { print("error: \(error)") ; return Outcome() }
        return Outcome()
    }
    public struct Outcome: Sendable { public func exit() -> Never { Glibc.exit(0) } }
}
