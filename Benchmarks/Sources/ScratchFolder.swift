// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// A temporary folder of one run.
struct ScratchFolder: Sendable {
    let path: String

    init(in place: String) throws {
        path = "\(place)/container-benchmarks-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Creates a folder inside this folder and returns its path.
    func subfolder(_ name: String) throws -> String {
        let folder = "\(path)/\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    func remove() {
        remove(path)
    }

    func remove(_ folder: String) {
        // A failure is ignored: the remaining files are in the system's folder for temporary files.
        try? FileManager.default.removeItem(atPath: folder)
    }
}
