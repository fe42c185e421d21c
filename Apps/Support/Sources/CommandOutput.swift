// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Where a command's words go: results to standard output, everything else to standard error.
public enum CommandOutput {
    /// Writes a line of the result.
    /// - Throws: ``CommandError`` with ``ExitStatus/io`` where it cannot be written, such as to a full disk.
    public static func result(_ line: String) throws {
        try write(Data((line + "\n").utf8))
    }

    /// Writes the result as one line of JSON, its keys sorted.
    /// - Throws: ``CommandError`` with ``ExitStatus/io`` where it cannot be written, such as to a full disk.
    public static func result(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data = try encoder.encode(value)
        data.append(UInt8(ascii: "\n"))
        try write(data)
    }

    /// Writes a line for people to standard error.
    public static func log(_ line: String) {
        // There is no place left to say that this one failed.
        try? FileHandle.standardError.write(contentsOf: Data((OneLine.text(line) + "\n").utf8))
    }

    private static func write(_ data: Data) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            throw CommandError(.io, code: "io", "the result cannot be written", at: "standard output")
        }
    }
}
