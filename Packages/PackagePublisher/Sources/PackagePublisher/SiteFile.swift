// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file that is read sequentially and must not change while it is read.
final class SiteFile {
    /// The number of bytes when the file was opened.
    let size: Int64
    private let descriptor: CInt
    private let path: String
    private var done: Int64 = 0

    init(_ path: String) throws {
        // A link or a pipe may have replaced the file. The link is not followed, and the open does not wait for the
        // pipe.
        let descriptor = try SystemError.mapping {
            try FileIO.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } to: {
            PackageError($0)
        }
        guard let status = try? FileStatus(descriptor: descriptor), status.kind == .file else {
            close(descriptor)
            throw PackageError(.specialFile, "the path is not a regular file", at: path)
        }
        self.descriptor = descriptor
        self.path = path
        size = status.size
    }

    deinit {
        close(descriptor)
    }

    /// Returns the next bytes, at least 1 and at most 256 KiB, or `nil` at the end.
    /// - Throws: `PackageError` with code `mismatch` if the file has more or fewer bytes than when it was opened.
    func next() throws -> Data? {
        try Task.checkCancellation()
        // One byte more than the remaining ones is read to detect a file that has grown.
        var data = Data(count: Int(min(size - done, 256 << 10) + 1))
        let count = try SystemError.mapping {
            try data.withUnsafeMutableBytes { try FileIO.read(into: $0, from: descriptor) }
        } to: {
            PackageError($0, at: path)
        }
        done += Int64(count)
        guard done <= size, count > 0 || done == size else {
            throw PackageError(.mismatch, "the file changed while it was read", at: path)
        }
        guard count > 0 else { return nil }
        return data.prefix(count)
    }
}
