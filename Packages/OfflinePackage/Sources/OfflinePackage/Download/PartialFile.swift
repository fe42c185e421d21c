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

/// A file that is filled while it is read, each byte at the offset that it has in the whole; what is missing is a hole.
///
/// Isolation: any; calls block their thread. Closed with the last reference; removing it is someone else's affair.
final class PartialFile: Sendable {
    let path: String
    private let descriptor: CInt

    /// Opens the file, or makes it.
    /// - Throws: ``DeliveryError`` with code `io` or `no-room`.
    init(path: String) throws {
        // Not through a link that took the file's place.
        descriptor = try SystemError.mapping {
            try FileIO.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        } to: {
            DeliveryError($0)
        }
        self.path = path
        // Nor through a second name of a file that is somewhere else, too.
        let status = try status()
        guard status.kind == .file, status.linkCount <= 1, status.isTrusted else {
            throw DeliveryError(.io, "is not a file of this user's own", at: path)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Bytes up to the last one that was written.
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

    /// The digest of all bytes.
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
    /// Converts an error of the system.
    /// - Parameter path: the path that it is about. Default: that of the error.
    init(_ error: SystemError, at path: String? = nil) {
        let code: Code = error.isOutOfSpace || error.number == EFBIG ? .noSpace : .io
        self.init(code, error.description, at: path ?? error.path)
    }
}
