// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
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

    /// - Throws: ``PackageError`` with code ``PackageError/Code-swift.struct/noInput`` where there is no file,
    ///   ``PackageError/Code-swift.struct/notAnArchive`` where it is no regular file, else
    ///   ``PackageError/Code-swift.struct/io``.
    init(path: String) throws {
        // Without waiting: to open a named pipe would block until someone writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw PackageError(errno: errno, "open", at: path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = PackageError(errno: errno, "stat", at: path)
            close(descriptor)
            throw error
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw PackageError(.notAnArchive, "not a regular file", at: path)
        }
        self.path = path
        self.descriptor = descriptor
        size = Int64(status.st_size)
    }

    deinit {
        close(descriptor)
    }

    /// Returns all bytes.
    func data() throws -> Data {
        var data = Data(count: Int(size))
        var done = 0
        while done < data.count {
            let count = try data.withUnsafeMutableBytes { buffer in
                try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: Int64(done))
            }
            guard count > 0 else { throw PackageError(.truncated, "ends before byte \(size)", at: path) }
            done += count
        }
        return data
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw PackageError(errno: errno, "read", at: path) }
        }
    }
}
