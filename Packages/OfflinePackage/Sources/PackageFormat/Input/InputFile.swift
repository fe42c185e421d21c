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

/// A regular file that is open for reading at any position, closed when the last reference goes.
final class InputFile: Sendable, RandomAccessReading {
    let path: String
    /// Bytes when it was opened.
    let size: Int64
    private let descriptor: CInt

    var location: String { path }

    /// - Throws: ``PackageError`` with code `noInput` where there is no file,
    ///   `notAnArchive` where it is no regular file, else
    ///   `io`.
    init(path: String) throws {
        // Without waiting: to open a named pipe would block until someone writes to it.
        let descriptor = try SystemError.mapping {
            try FileIO.open(path, O_RDONLY | O_NONBLOCK)
        } to: {
            PackageError($0)
        }
        do {
            let status = try FileStatus(descriptor: descriptor, path: path)
            guard status.kind == .file else { throw PackageError(.notAnArchive, "not a regular file", at: path) }
            size = status.size
        } catch {
            close(descriptor)
            throw (error as? SystemError).map { PackageError($0) } ?? error
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Returns all bytes.
    func data() throws -> Data {
        var data = Data(count: Int(size))
        let count = try SystemError.mapping {
            try data.withUnsafeMutableBytes { try FileIO.fill($0, from: descriptor, at: 0) }
        } to: {
            PackageError($0, at: path)
        }
        guard count == data.count else { throw PackageError(.truncated, "ends before byte \(size)", at: path) }
        return data
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        try SystemError.mapping {
            try FileIO.read(into: buffer, from: descriptor, at: offset)
        } to: {
            PackageError($0, at: path)
        }
    }
}
