// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// Functions that write result files.
enum FileOutput {
    /// Writes a file atomically. An existing device or pipe is written to, not replaced.
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

    /// Returns a Boolean value that indicates whether writing replaces the file: the path is that of a regular file, or
    /// does not exist.
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

/// A temporary directory. The command removes the directory before the command ends.
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
