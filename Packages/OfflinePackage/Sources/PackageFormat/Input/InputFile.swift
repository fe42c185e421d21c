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

/// A regular file that is open for random access and is closed with the last reference.
final class InputFile: Sendable, RandomAccessReading {
    let path: String
    /// The number of bytes when the file was opened.
    let size: Int64
    private let descriptor: CInt

    var location: String { path }

    /// Opens a file.
    /// - Throws: ``PackageError`` with code `noInput` if the file does not exist, `notAnArchive` if it is not a
    ///   regular file, otherwise `io`.
    init(path: String) throws {
        // `O_NONBLOCK` prevents that opening a named pipe blocks until it has a writer.
        let descriptor = try SystemError.mapping {
            try FileIO.open(path, O_RDONLY | O_NONBLOCK)
        } to: {
            PackageError($0)
        }
        do {
            let status = try FileStatus(descriptor: descriptor, path: path)
            guard status.kind == .file else {
                throw PackageError(.notAnArchive, "the path is not a regular file", at: path)
            }
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
        guard count == data.count else { throw PackageError(.truncated, "the file ends before byte \(size)", at: path) }
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
