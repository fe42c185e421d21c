// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// Writes results.
enum FileOutput {
    /// Writes a file whole or not at all.
    static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandError(.io, code: "io", "cannot write the file", at: path)
        }
    }

    static func write(_ text: String, to path: String) throws {
        try write(Data(text.utf8), to: path)
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
