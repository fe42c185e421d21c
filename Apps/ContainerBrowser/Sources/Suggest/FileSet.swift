// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// A set of files that is written completely or not at all. After an error, the old files are restored.
///
/// If the process is killed between two renames, the set stays incomplete, but this can be detected: ``marker`` exists
/// from before the first rename until after the last rename.
struct FileSet {
    /// The name of the file that lists the files of a set that may be incomplete, one per line.
    static let marker = "suggested.incomplete"
    private var files: [(name: String, data: Data)] = []

    mutating func add(_ data: Data, as name: String) { files.append((name, data)) }

    /// Writes the files to a folder.
    /// - Throws: An I/O error.
    func write(to folder: String) throws {
        let token = ".\(UUID().uuidString)"
        func path(_ name: String) -> String { "\(folder)/\(name)" }
        func part(_ name: String) -> String { "\(folder)/.\(name)\(token).partial" }
        func old(_ name: String) -> String { "\(folder)/.\(name)\(token).old" }
        let manager = FileManager.default
        let names = files.map(\.name)
        try Self.checkMarker(in: folder)
        // The folder may already contain an incomplete set. If this set does not replace all its files, the marker
        // stays and lists the other files.
        let marked = (try? String(contentsOfFile: path(Self.marker), encoding: .utf8))
        let others = (marked ?? "").split(separator: "\n").map(String.init).filter { !names.contains($0) }
        // A rename replaces a symbolic link and does not follow it.
        func mark(_ text: String) throws {
            try FileOutput.write(text, to: part(Self.marker))
            try Self.move(part(Self.marker), to: path(Self.marker))
        }
        func lines(_ names: [String]) -> String { names.map { $0 + "\n" }.joined() }
        var replaced: [String] = []
        var isMarked = false
        do {
            for file in files { try FileOutput.write(file.data, to: part(file.name)) }
            for file in files where manager.fileExists(atPath: path(file.name)) {
                try Self.checkIsReplaced(path(file.name))
            }
            if names.count + others.count > 1 {
                try mark(lines(names + others))
                isMarked = true
            }
            for file in files {
                if manager.fileExists(atPath: path(file.name)) {
                    try Self.move(path(file.name), to: old(file.name))
                }
                replaced.append(file.name)
                try Self.move(part(file.name), to: path(file.name))
            }
        } catch {
            for name in replaced {
                if manager.fileExists(atPath: old(name)) {
                    try? Self.move(old(name), to: path(name))
                } else {
                    try? manager.removeItem(atPath: path(name))
                }
            }
            for file in files { try? manager.removeItem(atPath: part(file.name)) }
            unlink(part(Self.marker))
            // `unlink` never removes a folder.
            if isMarked, let marked { try? mark(marked) } else if isMarked { unlink(path(Self.marker)) }
            throw error
        }
        if !others.isEmpty { try mark(lines(others)) } else if isMarked || marked != nil { unlink(path(Self.marker)) }
        for file in files { try? manager.removeItem(atPath: old(file.name)) }
    }

    /// Checks that the marker can be replaced: it does not exist or is a regular file.
    /// - Throws: An I/O error.
    static func checkMarker(in folder: String) throws { try checkIsReplaced("\(folder)/\(marker)") }

    private static func checkIsReplaced(_ path: String) throws {
        guard FileOutput.isReplaced(path) else {
            throw CommandError(.io, code: "io", "is not a file that can be replaced", at: path)
        }
    }

    /// Renames a file and replaces the target.
    private static func move(_ from: String, to path: String) throws {
        guard rename(from, path) == 0 else {
            throw CommandError(.io, code: "io", "cannot write the file", at: path)
        }
    }
}
