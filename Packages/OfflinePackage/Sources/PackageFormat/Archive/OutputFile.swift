// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A new file that is open for writing.
final class OutputFile {
    private let path: String
    private var descriptor: CInt

    /// Creates a file that must not exist yet.
    init(creating name: String, in folder: DirectoryDescriptor) throws {
        path = folder.location(of: name)
        descriptor = try SystemError.mapping {
            try folder.openFile(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
        } to: {
            PackageError($0)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ data: Data) throws {
        try SystemError.mapping {
            try data.withUnsafeBytes { try FileIO.write($0, to: descriptor) }
        } to: {
            PackageError($0, at: path)
        }
    }

    /// Closes the file and reports errors of delayed writes.
    /// - Parameter sync: whether the bytes are flushed to the device first; see ``UnpackTarget/syncContent()``.
    func finish(sync: Bool) throws {
        if sync {
            try SystemError.mapping {
                try FileIO.sync(descriptor, isThrough: false)
            } to: {
                PackageError($0, "sync", at: path)
            }
        }
        let closing = descriptor
        descriptor = -1
        guard close(closing) == 0 else { throw PackageError(SystemError("close", at: path)) }
    }
}
