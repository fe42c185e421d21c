// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// A file system on which benchmarks run.
struct Place: Sendable {
    let path: String

    var name: String { path }

    /// A tmpfs, if the machine has one, and the folder for temporary files.
    static var standard: [Place] {
        let memory = "/dev/shm"
        let disk = FileManager.default.temporaryDirectory.path
        return FileManager.default.isWritableFile(atPath: memory)
            ? [Place(path: memory), Place(path: disk)] : [Place(path: disk)]
    }
}
