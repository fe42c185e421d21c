// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// Files that are written together: all of them, or none and what was there stays.
struct FileSet {
    private var files: [(name: String, data: Data)] = []

    mutating func add(_ data: Data, as name: String) { files.append((name, data)) }

    /// - Throws: an I/O error.
    func write(to folder: String) throws {
        let mark = ".\(UUID().uuidString)"
        func path(_ name: String) -> String { "\(folder)/\(name)" }
        func part(_ name: String) -> String { "\(folder)/.\(name)\(mark).partial" }
        func old(_ name: String) -> String { "\(folder)/.\(name)\(mark).old" }
        let manager = FileManager.default
        var replaced: [String] = []
        do {
            for file in files { try FileOutput.write(file.data, to: part(file.name)) }
            for file in files {
                if manager.fileExists(atPath: path(file.name)) {
                    guard FileOutput.isReplaced(path(file.name)) else {
                        throw CommandError(.io, code: "io", "is no file that can be replaced", at: path(file.name))
                    }
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
            throw error
        }
        for file in files { try? manager.removeItem(atPath: old(file.name)) }
    }

    /// Takes the place of what is there.
    private static func move(_ from: String, to path: String) throws {
        guard rename(from, path) == 0 else {
            throw CommandError(.io, code: "io", "cannot write the file", at: path)
        }
    }
}
