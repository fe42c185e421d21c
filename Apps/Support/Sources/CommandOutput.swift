// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The output of a command: results go to standard output, diagnostics to standard error.
public enum CommandOutput {
    /// Writes a line of the result.
    /// - Throws: ``CommandError`` with ``ExitStatus/io`` if the write fails, for example because the disk is full.
    public static func result(_ line: String) throws {
        try write(Data((line + "\n").utf8))
    }

    /// Writes the result as one line of JSON with sorted keys.
    /// - Throws: ``CommandError`` with ``ExitStatus/io`` if the write fails, for example because the disk is full.
    public static func result(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data = try encoder.encode(value)
        data.append(UInt8(ascii: "\n"))
        try write(data)
    }

    /// Writes a diagnostic line to standard error.
    public static func log(_ line: String) {
        // A failed write to standard error cannot be reported.
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
