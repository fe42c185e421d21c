// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// Each kind of body with each sender, in the plain engine and in the modes of the container.
    @Suite("The body matrix", .timeLimit(.minutes(20)))
    struct BodyMatrixTests {
        private static let script = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Scripts/body-matrix").path

        @Test("Servers receive and pages observe the same as in the plain engine, except in the listed cells")
        func matrix() async throws {
            let folder = try TemporaryFolder()
            let harness = try Program("engine-harness").path
            let outcome = try await Program(at: Self.script)
                .run("--check", "--harness", harness, "--keep", folder.path + "/matrix", in: folder.path)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            // The script reports a difference that is not listed, and a listed cell without a difference.
            try damage("proxy", in: folder) { $0.replacing("text/plain;charset=UTF-8", with: "text/plain") }
            let differing = try await compare(in: folder)
            #expect(differing.status == 1)
            #expect(differing.errors.contains("proxy: script.fetch.ascii differs"), "\(differing.errors)")
            let plain = try String(contentsOfFile: folder.path + "/matrix/plain.json", encoding: .utf8)
            try damage("scheme", in: folder) { _ in plain }
            let named = try await compare(in: folder)
            #expect(named.status == 1)
            #expect(named.errors.contains("scheme: form.click-multipart.charset no longer differs"), "\(named.errors)")
        }

        private func compare(in folder: TemporaryFolder) async throws -> Program.Outcome {
            try await Program(at: Self.script)
                .run("--check", "--from", folder.path + "/matrix", in: folder.path)
        }

        private func damage(
            _ mode: String, in folder: TemporaryFolder, _ change: (String) -> String
        ) throws {
            let path = "\(folder.path)/matrix/\(mode).json"
            let report = try String(contentsOfFile: path, encoding: .utf8)
            try Data(change(report).utf8).write(to: URL(fileURLWithPath: path))
        }
    }
}
