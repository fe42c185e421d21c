// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// Writes results.
enum FileOutput {
    /// Writes a file whole or not at all. A device or a pipe is written to, and stays what it is.
    static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: isReplaced(path) ? .atomic : [])
        } catch {
            throw CommandError(.io, code: "io", "cannot write the file", at: path)
        }
    }

    static func write(_ text: String, to path: String) throws {
        try write(Data(text.utf8), to: path)
    }

    /// Whether what is at a path, if anything, is a file that a new one takes the place of.
    static func isReplaced(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes.map { $0[.type] as? FileAttributeType == .typeRegular } ?? true
    }

    static func makeDirectory(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CommandError(.io, code: "io", "cannot create the directory", at: path)
        }
    }
}

/// A folder that is gone when the command ends.
struct TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let name = "container-browser-\(UUID().uuidString)"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileOutput.makeDirectory(path)
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
