// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// A well-known program that serves as a reference.
struct ReferenceProgram: Sendable {
    let name: String
    /// The version that the program reports.
    let version: String
    private let path: String

    /// Finds a program and determines its version.
    /// - Parameters:
    ///   - name: the name of the program in `PATH`.
    ///   - question: the argument that prints the version.
    ///   - package: the Debian package of the program.
    /// - Throws: `CommandError` with the name of the package if the program is not installed.
    init(_ name: String, asking question: String, package: String) throws {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        guard let path = folders.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile) else {
            throw CommandError(.unavailable, code: "no-reference", "no \(name): install Debian package \(package)")
        }
        self.name = name
        self.path = path
        let answer = try Self.run(path, [question])
        version = answer.firstMatch(of: /\d+\.\d+(\.\d+)?/).map { String($0.output.0) } ?? "of unknown version"
    }

    /// Runs the program and waits for its end.
    /// - Throws: `CommandError` if the program fails.
    func run(_ arguments: [String]) throws {
        _ = try Self.run(path, arguments)
    }

    @discardableResult
    private static func run(_ path: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError(
                .unavailable, code: "reference-failed", "ended with status \(process.terminationStatus)", at: path)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
