// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// A file under `staging/` that is removed when its last reference is released, unless it was moved.
final class StagedFile: Sendable {
    private let file: StoredFile
    private let folder: PrivateFolder
    private let name: String

    /// Creates the file. The name must not exist.
    init(_ name: String, in folder: PrivateFolder) throws {
        file = try folder.create(name)
        self.folder = folder
        self.name = name
    }

    /// Appends bytes.
    func write(_ data: Data) throws {
        try file.write(data)
    }

    /// See ``StoredFile/setModificationTime(_:)``.
    func setModificationTime(_ time: Int64) {
        file.setModificationTime(time)
    }

    /// Flushes the content to the device. Blocks until that is done.
    func sync() throws {
        try file.sync()
    }

    /// Moves the file to its final name, and replaces an existing file.
    func move(to target: PrivateFolder, _ name: String) throws {
        try folder.move(self.name, to: target, name)
    }

    deinit {
        // Names are never reused, so that after a move this does not remove another file.
        try? folder.remove(name)
    }
}
