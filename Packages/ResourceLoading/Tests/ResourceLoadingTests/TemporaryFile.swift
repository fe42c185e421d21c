// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A temporary file with given content. It is removed when its last reference is released.
final class TemporaryFile {
    let path: String

    init(_ content: some Sequence<UInt8>) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "loading-\(UUID().uuidString)").path
        try Data(content).write(to: URL(filePath: path))
    }

    func unlink() throws {
        try FileManager.default.removeItem(atPath: path)
    }

    func truncate(to size: UInt64) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.truncate(atOffset: size)
        try handle.close()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
