// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

/// The exit status of scripts that run programs.
@Suite("Scripts", .timeLimit(.minutes(1)))
struct ScriptTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A stand-in for an `xvfb-run` whose clean-up fails after the program has ended.
    private static let clumsyRunner = """
        #!/bin/bash
        while [[ $1 == --* ]]; do shift; done
        "$@"
        exit 5
        """

    @Test(
        "with-display returns the program's exit status even if xvfb-run fails",
        arguments: [0, 3, 5] as [Int32])
    func display(status: Int32) async throws {
        let folder = try TemporaryFolder()
        let runner = try folder.write("bin/xvfb-run", Self.clumsyRunner.utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: runner)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let outcome = try await Program(at: Self.root.appendingPathComponent("Scripts/with-display").path).run(
            ["bash", "-c", "touch ran; exit \(status)"], in: folder.path,
            environment: ["PATH": "\(folder.path)/bin:\(path)", "TMPDIR": folder.path])
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(try folder.names().sorted() == ["bin", "bin/xvfb-run", "ran"])
    }
}
