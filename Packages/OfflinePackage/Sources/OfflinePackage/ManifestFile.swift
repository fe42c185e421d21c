// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat

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

/// Reads a manifest from the file system, no more of it than allowed.
enum ManifestFile {
    /// - Throws: `PackageError` with code `PackageError.Code.noInput`,
    ///   `PackageError.Code.io` or `PackageError.Code.tooLarge`.
    static func read(_ path: String, upTo limit: Int) throws -> Data {
        // Not to wait for the other end where the path is a pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("stat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw PackageError(.io, "not a regular file", at: path) }
        guard status.st_size <= limit else {
            throw PackageError(.tooLarge, "manifest of \(status.st_size) bytes, limit \(limit)", at: path)
        }
        var data = Data(count: Int(status.st_size))
        var done = 0
        while done < data.count {
            let count = data.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            guard count > 0 else { throw PackageError(.io, "file became shorter while it was read", at: path) }
            done += count
        }
        return data
    }

    private static func failure(_ call: String, _ path: String) -> PackageError {
        PackageError(errno: errno, call, at: path)
    }
}
