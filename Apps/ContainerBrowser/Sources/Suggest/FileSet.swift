// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// Files that are written together: all of them, or none and what was there stays.
///
/// A kill between two of them cannot be undone, but is seen: ``marker`` lies beside them from before the first one takes
/// its place until the last one has.
struct FileSet {
    /// Names the files that may not be of one set, one in each line.
    static let marker = "suggested.incomplete"
    private var files: [(name: String, data: Data)] = []

    mutating func add(_ data: Data, as name: String) { files.append((name, data)) }

    /// - Throws: an I/O error.
    func write(to folder: String) throws {
        let token = ".\(UUID().uuidString)"
        func path(_ name: String) -> String { "\(folder)/\(name)" }
        func part(_ name: String) -> String { "\(folder)/.\(name)\(token).partial" }
        func old(_ name: String) -> String { "\(folder)/.\(name)\(token).old" }
        let manager = FileManager.default
        let names = files.map(\.name)
        // What was there may be half of a set as well, and go on to be so where this one has fewer files.
        let marked = (try? String(contentsOfFile: path(Self.marker), encoding: .utf8))
        let others = (marked ?? "").split(separator: "\n").map(String.init).filter { !names.contains($0) }
        func mark(_ names: [String]) throws {
            try FileOutput.write(names.map { $0 + "\n" }.joined(), to: path(Self.marker))
        }
        var replaced: [String] = []
        do {
            for file in files { try FileOutput.write(file.data, to: part(file.name)) }
            for file in files where manager.fileExists(atPath: path(file.name)) {
                guard FileOutput.isReplaced(path(file.name)) else {
                    throw CommandError(.io, code: "io", "is no file that can be replaced", at: path(file.name))
                }
            }
            if names.count + others.count > 1 { try mark(names + others) }
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
            if let marked {
                try? FileOutput.write(marked, to: path(Self.marker))
            } else {
                try? manager.removeItem(atPath: path(Self.marker))
            }
            throw error
        }
        if others.isEmpty { try? manager.removeItem(atPath: path(Self.marker)) } else { try mark(others) }
        for file in files { try? manager.removeItem(atPath: old(file.name)) }
    }

    /// Takes the place of what is there.
    private static func move(_ from: String, to path: String) throws {
        guard rename(from, path) == 0 else {
            throw CommandError(.io, code: "io", "cannot write the file", at: path)
        }
    }
}
