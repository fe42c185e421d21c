// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A program of the system that also reads zips.
enum Tool: String, CaseIterable {
    case bsdtar
    case unzip
    case python3

    var isThere: Bool { (try? Self.run("command -v \(rawValue)").status) == 0 }

    /// Runs a shell command and waits for its end.
    @discardableResult
    static func run(_ line: String, in folder: String = "/", environment: [String: String] = [:]) throws
        -> (status: Int32, output: String)
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @discardableResult
    func run(_ line: String, in folder: String = "/") throws -> (status: Int32, output: String) {
        try Self.run(line, in: folder, environment: ["LC_ALL": "C.UTF-8"])
    }
}
