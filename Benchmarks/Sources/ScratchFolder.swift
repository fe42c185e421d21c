// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// A folder of this run alone.
struct ScratchFolder: Sendable {
    let path: String

    init(in place: String) throws {
        path = "\(place)/container-benchmarks-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// A new folder inside.
    func subfolder(_ name: String) throws -> String {
        let folder = "\(path)/\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    func remove() {
        remove(path)
    }

    func remove(_ folder: String) {
        // What is left behind lies in a folder for temporary files.
        try? FileManager.default.removeItem(atPath: folder)
    }
}
