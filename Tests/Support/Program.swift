// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
internal import Subprocess
internal import SystemPackage
import Testing

/// A program that tests run as a process.
///
/// The process inherits only its standard descriptors. If the task is cancelled, the process group receives SIGTERM,
/// and SIGKILL after two seconds. A run ends with the program, even if child processes of the program still run.
public struct Program: Sendable {
    /// The result of a run.
    public struct Outcome: Sendable {
        /// The exit status, or the negative signal number.
        public var status: Int32
        public var output: String
        public var errors: String

        /// The lines of standard error that report a failure.
        public var errorLines: [Substring] { errors.split(separator: "\n").filter { $0.hasPrefix("error: ") } }
    }

    /// The time that a program may take to end after a signal.
    private static let farewell = Duration.seconds(2)
    private let name: String
    private let place: String?

    /// Creates a reference to one of the built programs.
    public init(_ name: String) {
        self.name = name
        place = nil
    }

    /// Creates a reference to the program at a path.
    public init(at path: String) {
        name = (path as NSString).lastPathComponent
        place = path
    }

    /// The path of the program. Built programs are in the same folder as the test bundle.
    public var path: String {
        get throws {
            if let place { return place }
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

    /// Runs the program in `folder` and ends it when the test is cancelled, for example by its time limit.
    public func run(_ arguments: String..., in folder: String) async throws -> Outcome {
        try await run(arguments, in: folder)
    }

    /// Runs the program in `folder` and ends it when the test is cancelled, for example by its time limit.
    /// - Parameter environment: The environment variables to set; `nil` removes a variable. The process inherits the
    ///   other variables.
    public func run(
        _ arguments: [String], in folder: String, environment: [String: String?] = [:]
    ) async throws -> Outcome {
        let configuration = try configuration(arguments, in: folder, environment: environment)
        // The output goes to files. A full pipe would block, and a child process that outlives the program could keep a
        // pipe open.
        let token = UUID().uuidString
        let logs = FileManager.default.temporaryDirectory
        let files = ["out", "err"].map { logs.appendingPathComponent("\(name)-\(token).\($0)") }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        let output = try Self.open(files[0])
        let errors: FileDescriptor
        do {
            errors = try Self.open(files[1])
        } catch {
            try? output.close()
            throw error
        }
        let result = try await Subprocess.run(
            configuration, output: .fileDescriptor(output, closeAfterSpawningProcess: true),
            error: .fileDescriptor(errors, closeAfterSpawningProcess: true))
        return Outcome(
            status: result.terminationStatus.number,
            output: String(decoding: try Data(contentsOf: files[0]), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self))
    }

    /// Starts the program in `folder` and waits for its first line on standard output.
    public func start(_ arguments: [String], in folder: String) async throws -> StartedProgram {
        try await StartedProgram(configuration(arguments, in: folder))
    }

    /// Returns the configuration of a run in `folder` with its own process group.
    func configuration(
        _ arguments: [String], in folder: String, environment: [String: String?] = [:]
    ) throws -> Configuration {
        var variables: [Environment.Key: String?] = [:]
        for (name, value) in environment { variables[try #require(Environment.Key(rawValue: name))] = .some(value) }
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: Self.farewell)]
        return Configuration(
            executable: .path(FilePath(try path)), arguments: Arguments(arguments),
            environment: .inherit.updating(variables), workingDirectory: FilePath(folder), platformOptions: options)
    }

    private static func open(_ file: URL) throws -> FileDescriptor {
        try FileDescriptor.open(
            FilePath(file.path), .writeOnly, options: [.create, .exclusiveCreate, .append, .closeOnExec],
            permissions: .ownerReadWrite)
    }
}

extension TerminationStatus {
    /// The exit status, or the negative signal number.
    var number: Int32 {
        switch self {
        case .exited(let status): status
        case .signaled(let signal): -signal
        }
    }
}
