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

/// A reader of manifests in the file system with a size limit.
enum ManifestFile {
    /// Returns the content of a file.
    /// - Throws: `PackageError` with code `PackageError.Code.noInput`, `PackageError.Code.io` or
    ///   `PackageError.Code.tooLarge`.
    static func read(_ path: String, upTo limit: Int) throws -> Data {
        // `O_NONBLOCK` prevents that opening a pipe blocks until it has a writer.
        try SystemError.mapping {
            let descriptor = try FileIO.open(path, O_RDONLY | O_NONBLOCK)
            defer { close(descriptor) }
            let status = try FileStatus(descriptor: descriptor)
            guard status.kind == .file else { throw PackageError(.io, "the path is not a regular file", at: path) }
            guard status.size <= limit else {
                throw PackageError(.tooLarge, "the manifest has \(status.size) bytes, the limit is \(limit)", at: path)
            }
            var data = Data(count: Int(status.size))
            let count = try data.withUnsafeMutableBytes { try FileIO.fill($0, from: descriptor, at: 0) }
            guard count == data.count else {
                throw PackageError(.io, "the file became shorter while it was read", at: path)
            }
            return data
        } to: {
            PackageError($0, at: path)
        }
    }
}
