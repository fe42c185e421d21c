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
/// The slice keeps the file open, so that its bytes stay readable after the file was unlinked. A sweep of the store
/// therefore does not affect a page that reads a blob.
public struct FileSlice: Sendable {
    public let file: OpenFile
    /// The offsets in bytes from the start of the file.
    public let range: Range<Int64>

    /// Creates a slice of an open file.
    public init(_ file: OpenFile, range: Range<Int64>) {
        self.file = file
        self.range = range
    }

    /// Reads the whole slice.
    /// - Throws: ``ResourceError`` with code `io` if the file cannot be read or is shorter than the slice.
    public func read() throws -> Data {
        try read(at: 0, count: range.count)
    }

    /// Reads `count` bytes from an offset that is relative to the start of the slice.
    /// - Throws: ``ResourceError`` with code `io` if the file cannot be read or ends too early.
    public func read(at offset: Int, count: Int) throws -> Data {
        precondition(offset >= 0 && count >= 0 && offset + count <= range.count, "the range exceeds the slice")
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
        guard read == count else { throw failure("the file ends early") }
        return data
    }
}

/// A file that is open for reading. It is closed when the last reference is released.
public final class OpenFile: Sendable {
    /// The descriptor, valid while this object lives. Its file offset is unspecified: read with `pread` or `mmap`.
    public let descriptor: CInt
    /// The path that was opened, for messages.
    public let path: String

    /// Opens a file for reading.
    /// - Throws: ``ResourceError`` with code `io`.
    public init(path: String) throws {
        descriptor = try SystemError.mapping {
            try FileIO.open(path, O_RDONLY)
        } to: {
            ResourceError(.io, $0.description, at: path)
        }
        self.path = path
    }

    /// Duplicates a descriptor that is open for reading. The caller still has to close its own descriptor.
    /// - Parameters:
    ///   - descriptor: the descriptor to duplicate.
    ///   - path: the path of the file, for messages.
    /// - Throws: ``ResourceError`` with code `io`.
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
