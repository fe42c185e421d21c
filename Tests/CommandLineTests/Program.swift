// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

/// The built `h5`, run as a process of its own.
struct Program {
    /// What a run left behind.
    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var errors: String

        /// The lines of standard error that report a failure.
        var errorLines: [Substring] { errors.split(separator: "\n").filter { $0.hasPrefix("error: ") } }
    }

    /// Beside the test bundle, where the build puts both.
    static var path: String {
        get throws {
            let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
            let started = CommandLine.arguments.first.map { URL(fileURLWithPath: $0) }
            let folders = [
                bundle?.deletingLastPathComponent(), Bundle.main.bundleURL, started?.deletingLastPathComponent(),
            ]
            let candidates = folders.compactMap { $0?.appendingPathComponent("h5").path }
            return try #require(
                candidates.first { FileManager.default.isExecutableFile(atPath: $0) }, "no h5 at \(candidates)")
        }
    }

    /// Runs it in `folder`; ends it when the test is cancelled, which its time limit does.
    static func run(_ arguments: String..., in folder: String) async throws -> Outcome {
        try await run(arguments, in: folder)
    }

    /// Runs it in `folder`; ends it when the test is cancelled, which its time limit does.
    static func run(_ arguments: [String], in folder: String) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        // Files instead of pipes: nothing can block on a full one.
        let token = UUID().uuidString
        let logs = FileManager.default.temporaryDirectory
        let output = logs.appendingPathComponent("h5-\(token).out")
        let errors = logs.appendingPathComponent("h5-\(token).err")
        for log in [output, errors] { try Data().write(to: log) }
        defer { for log in [output, errors] { try? FileManager.default.removeItem(at: log) } }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        let box = Running(process)
        try await box.runToEnd()
        return Outcome(
            status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    /// A process between its start and its end.
    ///
    /// Unchecked: `terminate` may be called from any thread, and nothing else is called while the process runs.
    private final class Running: @unchecked Sendable {
        private let process: Process

        init(_ process: Process) {
            self.process = process
        }

        func runToEnd() async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    process.terminationHandler = { _ in continuation.resume() }
                    do {
                        try process.run()
                    } catch {
                        process.terminationHandler = nil
                        continuation.resume(throwing: error)
                    }
                }
            } onCancel: {
                if process.isRunning { process.terminate() }
            }
        }
    }
}
