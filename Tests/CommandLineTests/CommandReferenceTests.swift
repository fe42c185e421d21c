// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

/// The tables of `docs/commands.md`.
@Suite("Reference of commands", .timeLimit(.minutes(1)))
struct CommandReferenceTests {
    /// Returns the commands that the help of a program or a group of commands lists, in its order.
    private func commands(of words: [String], in folder: TemporaryFolder) async throws -> [String] {
        let help = try await Program(words[0]).run(words.dropFirst() + ["--help"], in: folder.path)
        try #require(help.status == 0, "\(help.errors)")
        guard let list = help.output.range(of: "\nSUBCOMMANDS:\n") else { return [words.joined(separator: " ")] }
        var all: [String] = []
        for line in help.output[list.upperBound...].split(separator: "\n") {
            guard let name = line.firstMatch(of: /^  ([a-z][a-z-]*)( |$)/)?.output.1 else { continue }
            all += try await commands(of: words + [String(name)], in: folder)
        }
        return all
    }

    @Test("The reference has one row for each command", arguments: ["h5", "container-browser"])
    func rows(program: String) async throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("docs/commands.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `\(program) ") }.map { $0.dropFirst(3) }
        let commands = try await commands(of: [program], in: TemporaryFolder())
        #expect(commands.count > 2)
        for command in commands {
            let count = rows.count { $0.hasPrefix(command + " ") || $0.hasPrefix(command + "`") }
            #expect(count == 1, "\(command)")
        }
        #expect(rows.count == commands.count)
    }
}
