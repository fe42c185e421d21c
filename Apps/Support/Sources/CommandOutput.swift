// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

/// The output of a command: results go to standard output, diagnostics to standard error.
///
/// Programs write text to these files by this type only. It replaces characters that could control a terminal or
/// reorder its text, so that a name from a package, a page or a server has no effect on the terminal.
public enum CommandOutput {
    /// Writes a line of the result. A line break within the line becomes U+FFFD.
    /// - Throws: ``CommandError`` with ``ExitStatus/io`` if the write fails, for example because the disk is full.
    public static func result(_ line: String) throws {
        try result(lines: [line])
    }

    /// Writes lines of the result.
    /// - Throws: ``CommandError`` with ``ExitStatus/io`` if the write fails, for example because the disk is full.
    public static func result(lines: [String]) throws {
        try write(lines.map { $0.printable() + "\n" }.joined())
    }

    /// Writes the result as one line of JSON with sorted keys.
    /// - Throws: ``CommandError`` with ``ExitStatus/io`` if the write fails, for example because the disk is full.
    public static func result(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try result(jsonText: String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Writes JSON and a line break.
    /// - Throws: ``CommandError`` with ``ExitStatus/io`` if the write fails, for example because the disk is full.
    public static func result(jsonText: String) throws {
        try write(jsonText.printableJSON() + "\n")
    }

    /// Writes a diagnostic line to standard error.
    public static func log(_ line: String) {
        // A failed write to standard error cannot be reported.
        try? FileHandle.standardError.write(contentsOf: Data((OneLine.text(line) + "\n").utf8))
    }

    private static func write(_ text: String) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            throw CommandError(.io, code: "io", "the result cannot be written", at: "standard output")
        }
    }
}
