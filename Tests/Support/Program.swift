// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

/// One of the built programs, run as a process of its own.
public struct Program: Sendable {
    /// What a run left behind.
    public struct Outcome: Sendable {
        public var status: Int32
        public var output: String
        public var errors: String

        /// The lines of standard error that report a failure.
        public var errorLines: [Substring] { errors.split(separator: "\n").filter { $0.hasPrefix("error: ") } }
    }

    private let name: String

    public init(_ name: String) {
        self.name = name
    }

    /// Beside the test bundle, where the build puts both.
    var path: String {
        get throws {
            let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
            let started = CommandLine.arguments.first.map { URL(fileURLWithPath: $0) }
            let folders = [
                bundle?.deletingLastPathComponent(), Bundle.main.bundleURL, started?.deletingLastPathComponent(),
            ]
            let candidates = folders.compactMap { $0?.appendingPathComponent(name).path }
            return try #require(
                candidates.first { FileManager.default.isExecutableFile(atPath: $0) }, "no \(name) at \(candidates)")
        }
    }

    /// Runs it in `folder`; ends it when the test is cancelled, which its time limit does.
    public func run(_ arguments: String..., in folder: String) async throws -> Outcome {
        try await run(arguments, in: folder)
    }

    /// Runs it in `folder`; ends it when the test is cancelled, which its time limit does.
    /// - Parameter environment: replaces variables of this process; `nil` removes one.
    public func run(
        _ arguments: [String], in folder: String, environment: [String: String?] = [:]
    ) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try path)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        process.environment = variables
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        // Files instead of pipes: nothing can block on a full one.
        let token = UUID().uuidString
        let logs = FileManager.default.temporaryDirectory
        let output = logs.appendingPathComponent("\(name)-\(token).out")
        let errors = logs.appendingPathComponent("\(name)-\(token).err")
        for log in [output, errors] { try Data().write(to: log) }
        defer { for log in [output, errors] { try? FileManager.default.removeItem(at: log) } }
        process.standardInput = FileHandle.nullDevice
        // Closed here: Foundation keeps a process that has ended, and with it what it was given. Beyond a thousand open
        // files its next start reads beyond a buffer (it copies whole directory entries of `/proc/self/fd`).
        let handles = [try FileHandle(forWritingTo: output), try FileHandle(forWritingTo: errors)]
        defer { for handle in handles { try? handle.close() } }
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        let box = Running(process)
        try await box.runToEnd()
        return Outcome(
            status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    /// Starts it in `folder` and waits for its first line on standard output.
    public func start(_ arguments: [String], in folder: String) async throws -> StartedProgram {
        try await StartedProgram(path: path, arguments: arguments, folder: folder)
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
