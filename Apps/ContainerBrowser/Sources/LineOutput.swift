// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// The output of `run`: standard output, written line by line, or a file.
final class LineOutput {
    private let path: String
    /// The file, or `nil` for standard output.
    private let file: FileHandle?

    /// Opens the output.
    /// - Throws: An I/O error if the file cannot be created.
    init(path: String?) throws {
        self.path = path ?? "standard output"
        guard let path else {
            file = nil
            return
        }
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw CommandError(.io, code: "io", "the path of --out cannot be written", at: path) }
        // The processes of the engine do not inherit the file.
        _ = fcntl(file.fileDescriptor, F_SETFD, FD_CLOEXEC)
        self.file = file
    }

    func write(_ line: PageLine) throws {
        guard let file else { return try CommandOutput.result(jsonText: line.json()) }
        do {
            try file.write(contentsOf: Data((line.json() + "\n").utf8))
        } catch {
            throw CommandError(.io, code: "io", "cannot write a line", at: path)
        }
    }

    func finish() throws {
        try file?.close()
    }
}

/// Functions that read input files.
enum FileInput {
    /// Returns the text of a UTF-8 file of at most 16 MiB.
    static func text(of path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError(.noInput, code: "no-input", "no such file", at: path)
        }
        guard data.count <= 16 << 20, let text = String(data: data, encoding: .utf8) else {
            throw CommandError(.badInput, code: "bad-input", "not a UTF-8 file of at most 16 MiB", at: path)
        }
        return text
    }
}
