// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
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

/// A sparse file that is written while it is read. Each byte is at its offset in the archive; missing bytes are
/// holes.
///
/// Isolation: any; calls block their thread. The file is closed with the last reference, but not removed.
final class PartialFile: Sendable {
    let path: String
    private let descriptor: CInt

    /// Opens the file, or creates it.
    /// - Throws: ``DeliveryError`` with code `io` or `no-room`.
    init(path: String) throws {
        // `O_NOFOLLOW` rejects a link that has replaced the file.
        descriptor = try SystemError.mapping {
            try FileIO.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        } to: {
            DeliveryError($0)
        }
        self.path = path
        // A file with a second hard link is rejected too, because another folder may contain it.
        let status = try status()
        guard status.kind == .file, status.linkCount <= 1, status.isTrusted else {
            throw DeliveryError(.io, "the file does not belong to this user alone", at: path)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Returns the offset after the last written byte.
    func size() throws -> Int64 { try status().size }

    private func status() throws -> FileStatus {
        try mapping { try FileStatus(descriptor: descriptor) }
    }

    private func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        try SystemError.mapping(body) { DeliveryError($0, at: path) }
    }

    func truncate(to size: Int64) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw DeliveryError(SystemError("truncate", at: path)) }
    }

    func write(_ data: Data, at offset: Int64) throws {
        try mapping { try data.withUnsafeBytes { try FileIO.write($0, to: descriptor, at: offset) } }
    }

    /// Returns the digest of all bytes.
    /// - Throws: ``DeliveryError`` or `CancellationError`.
    func digest() throws -> SHA256Digest {
        var hasher = SHA256Hasher()
        try mapping {
            try FileIO.forEachPiece(of: descriptor) { piece in
                try Task.checkCancellation()
                hasher.update(piece)
            }
        }
        return hasher.finalize()
    }
}

extension DeliveryError {
    /// Converts a system error.
    /// - Parameters:
    ///   - error: the error of a system call.
    ///   - path: the path for the error. Default: the path of the system error.
    init(_ error: SystemError, at path: String? = nil) {
        let code: Code = error.isOutOfSpace || error.number == EFBIG ? .noSpace : .io
        self.init(code, error.description, at: path ?? error.path)
    }
}
