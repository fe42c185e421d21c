// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// A program that is well known for what is measured.
struct ReferenceProgram: Sendable {
    let name: String
    /// What it says of itself, in a word or two.
    let version: String
    private let path: String

    /// - Throws: an error that names the Debian package where the program is not there.
    init(_ name: String, asking question: String, package: String) throws {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        guard let path = folders.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile) else {
            throw CommandError(.unavailable, code: "no-reference", "no \(name) here; Debian has it in \(package)")
        }
        self.name = name
        self.path = path
        let answer = try Self.run(path, [question])
        version = answer.firstMatch(of: /\d+\.\d+(\.\d+)?/).map { String($0.output.0) } ?? "of unknown version"
    }

    /// Runs it to its end.
    /// - Throws: an error where it fails.
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
