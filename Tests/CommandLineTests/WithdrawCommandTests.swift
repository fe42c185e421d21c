// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

/// The commands that take a release back: `h5 withdraw` and `h5 rollback`.
@Suite("h5 withdraw and rollback", .timeLimit(.minutes(2)))
struct WithdrawCommandTests {
    private let folder: TemporaryFolder
    private let keys = ["--key", "targets", "online"]

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("site/index.html", "<!doctype html>".utf8)
    }

    private func run(_ arguments: [String]) async throws -> Program.Outcome {
        try await Program("h5").run(arguments, in: folder.path)
    }

    /// Runs a command that succeeds, and returns its output.
    @discardableResult
    private func h5(_ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let outcome = try await run(arguments)
        try #require(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        return outcome.output
    }

    /// Returns the version that a device gets.
    private func explain(_ options: String...) async throws -> String {
        try await String(h5(["explain", "repository", "shop"] + options).prefix { $0 != "\n" })
    }

    /// Creates a repository with the releases 1 and 2.
    private func createRepository() async throws {
        for name in ["root", "targets", "online"] { try await h5(["keys", "create", name]) }
        try await h5([
            "keys", "init", "repository", "--root", "root", "--targets", "targets", "--online", "online",
        ])
        for version in ["1", "2"] {
            let publish = ["publish", "site", "--repository", "repository", "--id", "shop", "--version", version]
            try await h5(publish + ["--base-url", "https://shop.example/"] + keys)
        }
    }

    @Test("A package is removed with --all only")
    func all() async throws {
        try await createRepository()
        let before = try folder.names(below: "repository")
        for arguments in [["shop"], ["shop", "1", "--all"]] {
            let outcome = try await run(["withdraw", "repository"] + arguments + keys)
            #expect(outcome.status == 64 && outcome.errorLines.count == 1, "\(outcome.errors)")
            for text in ["error: usage: ", "a version", "--all"] {
                #expect(outcome.errors.contains(text), "\(outcome.errors)")
            }
        }
        #expect(try folder.names(below: "repository") == before)
        let removed = try await h5(["withdraw", "repository", "shop", "--all"] + keys)
        #expect(removed.split(separator: "\n").count == 2, "\(removed)")
        let outcome = try await run(["explain", "repository", "shop"])
        #expect(outcome.status == 66, "\(outcome.errors)")
    }

    @Test("A device keeps a version that was withdrawn, and a rollback to such a version causes a warning")
    func withdrawn() async throws {
        try await createRepository()
        try await h5(["withdraw", "repository", "shop", "2"] + keys)
        #expect(try await explain("--active", "2") == "none")
        #expect(try await explain() == "1")
        var outcome = try await run(["rollback", "repository", "shop", "--to", "1"] + keys)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(try await explain("--active", "2").hasPrefix("1-r"))
        outcome = try await run(["rollback", "repository", "shop", "--to", "2"] + keys)
        let warning = "warning: shop 2 was withdrawn, and devices get its files again\n"
        #expect(outcome.status == 0 && outcome.errors == warning, "\(outcome.errors)")
    }

    @Test("Missing keys are reported as by h5 publish, and nothing changes")
    func missingKeys() async throws {
        try await createRepository()
        let before = try folder.names(below: "repository")
        for arguments in [
            ["withdraw", "repository", "shop", "2"], ["withdraw", "repository", "shop", "--all"],
            ["rollback", "repository", "shop", "--to", "1"],
        ] {
            let outcome = try await run(arguments + ["--key", "online"])
            #expect(outcome.status == 77 && outcome.errorLines.count == 1, "\(outcome.errors)")
            let text = "--key has 0 of the 1 keys that must sign the role (targets)"
            #expect(outcome.errors.contains(text), "\(outcome.errors)")
        }
        #expect(try folder.names(below: "repository") == before)
    }
}
