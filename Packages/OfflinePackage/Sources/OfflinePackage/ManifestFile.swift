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

/// Reads a manifest from the file system, no more of it than allowed.
enum ManifestFile {
    /// - Throws: `PackageError` with code `PackageError.Code.noInput`,
    ///   `PackageError.Code.io` or `PackageError.Code.tooLarge`.
    static func read(_ path: String, upTo limit: Int) throws -> Data {
        // Not to wait for the other end where the path is a pipe.
        try SystemError.mapping {
            let descriptor = try FileIO.open(path, O_RDONLY | O_NONBLOCK)
            defer { close(descriptor) }
            let status = try FileStatus(descriptor: descriptor)
            guard status.kind == .file else { throw PackageError(.io, "not a regular file", at: path) }
            guard status.size <= limit else {
                throw PackageError(.tooLarge, "manifest of \(status.size) bytes, limit \(limit)", at: path)
            }
            var data = Data(count: Int(status.size))
            let count = try data.withUnsafeMutableBytes { try FileIO.fill($0, from: descriptor, at: 0) }
            guard count == data.count else {
                throw PackageError(.io, "file became shorter while it was read", at: path)
            }
            return data
        } to: {
            PackageError($0, at: path)
        }
    }
}
