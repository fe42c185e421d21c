// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// A file under `staging/` that goes away with its last reference, unless it was moved.
final class StagedFile: Sendable {
    private let file: StoredFile
    private let folder: PrivateFolder
    private let name: String

    /// Makes the file; its name must be new.
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

    /// Makes the bytes safe from a power cut. Blocks until the device has them.
    func secure() throws {
        try file.secure()
    }

    /// Gives the file its name, in place of what has it.
    func move(to target: PrivateFolder, _ name: String) throws {
        try folder.move(self.name, to: target, name)
    }

    deinit {
        // Names are never used twice, so after a move there is nothing here to hit.
        try? folder.remove(name)
    }
}
