// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
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
        var done = 0
        while done < count {
            let start = range.lowerBound + Int64(offset + done)
            let read = data.withUnsafeMutableBytes { buffer in
                pread(file.descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(start))
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else {
                let cause = read == 0 ? "file ends early" : String(cString: strerror(errno))
                throw ResourceError(.io, "read of \(count) bytes at \(start): \(cause)", at: file.path)
            }
            done += read
        }
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
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ResourceError(.io, "open: \(String(cString: strerror(errno)))", at: path)
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Takes a copy of a descriptor that is open for reading, which stays the caller's to close.
    /// - Parameter path: the path of the file, for messages.
    /// - Throws: ``ResourceError`` with code ``ResourceError/Code-swift.struct/io``.
    public init(copying descriptor: CInt, path: String) throws {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw ResourceError(.io, "fcntl: \(String(cString: strerror(errno)))", at: path) }
        self.descriptor = copy
        self.path = path
    }

    deinit {
        close(descriptor)
    }
}
