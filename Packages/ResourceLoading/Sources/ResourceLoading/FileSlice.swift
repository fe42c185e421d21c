// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import SystemSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A range of an open file.
///
/// The file stays open while the slice lives, so that the bytes stay readable after the file was
/// unlinked: a page that reads a blob is not disturbed by a sweep.
public struct FileSlice: Sendable {
    public let file: OpenFile
    /// Offsets in bytes from the start of the file.
    public let range: Range<Int64>

    public init(_ file: OpenFile, range: Range<Int64>) {
        self.file = file
        self.range = range
    }

    /// Reads the whole slice.
    /// - Throws: ``ResourceError`` with code ``ResourceError/Code-swift.struct/io``; a file that ends early is an error.
    public func read() throws -> Data {
        try read(at: 0, count: range.count)
    }

    /// Reads `count` bytes that begin `offset` bytes after the start of the slice.
    /// - Throws: ``ResourceError`` with code ``ResourceError/Code-swift.struct/io``; a file that ends early is an error.
    public func read(at offset: Int, count: Int) throws -> Data {
        precondition(offset >= 0 && count >= 0 && offset + count <= range.count, "read outside of the slice")
        var data = Data(count: count)
        let start = range.lowerBound + Int64(offset)
        func failure(_ cause: String) -> ResourceError {
            ResourceError(.io, "read of \(count) bytes at \(start): \(cause)", at: file.path)
        }
        let read = try SystemError.mapping {
            try data.withUnsafeMutableBytes { try FileIO.fill($0, from: file.descriptor, at: start) }
        } to: {
            failure($0.reason)
        }
        guard read == count else { throw failure("file ends early") }
        return data
    }
}

/// A file opened for reading, closed when the last reference goes.
public final class OpenFile: Sendable {
    /// Readable, and valid while this object lives. Its own offset means nothing: read with `pread` or `mmap`.
    public let descriptor: CInt
    /// The path that was opened, for messages.
    public let path: String

    /// Opens a file for reading.
    /// - Throws: ``ResourceError`` with code ``ResourceError/Code-swift.struct/io``.
    public init(path: String) throws {
        descriptor = try SystemError.mapping {
            try FileIO.open(path, O_RDONLY)
        } to: {
            ResourceError(.io, $0.description, at: path)
        }
        self.path = path
    }

    /// Takes a copy of a descriptor that is open for reading, which stays the caller's to close.
    /// - Parameters:
    ///   - descriptor: the descriptor to copy.
    ///   - path: the path of the file, for messages.
    /// - Throws: ``ResourceError`` with code ``ResourceError/Code-swift.struct/io``.
    public init(copying descriptor: CInt, path: String) throws {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw ResourceError(.io, "fcntl: \(SystemError.lastReason)", at: path) }
        self.descriptor = copy
        self.path = path
    }

    deinit {
        close(descriptor)
    }
}
