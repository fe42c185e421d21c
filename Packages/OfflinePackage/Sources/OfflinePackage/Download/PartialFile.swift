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
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw DeliveryError(errno: errno, "open", at: path) }
        self.path = path
        // Nor through a second name of a file that is somewhere else, too.
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DeliveryError(errno: errno, "stat", at: path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink <= 1, [0, geteuid()].contains(status.st_uid) else {
            throw DeliveryError(.io, "is not a file of this user's own", at: path)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Bytes up to the last one that was written.
    func size() throws -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DeliveryError(errno: errno, "stat", at: path) }
        return Int64(status.st_size)
    }

    func truncate(to size: Int64) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw DeliveryError(errno: errno, "truncate", at: path) }
    }

    func write(_ data: Data, at offset: Int64) throws {
        let failure: CInt = data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            var done = 0
            while done < bytes.count {
                let count = pwrite(descriptor, base + done, bytes.count - done, off_t(offset) + off_t(done))
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                done += count
            }
            return 0
        }
        guard failure == 0 else { throw DeliveryError(errno: failure, "write", at: path) }
    }

    /// The digest of all bytes.
    /// - Throws: ``DeliveryError`` or `CancellationError`.
    func digest() throws -> SHA256Digest {
        var hasher = SHA256Hasher()
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var offset: off_t = 0
        while true {
            try Task.checkCancellation()
            let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DeliveryError(errno: errno, "read", at: path) }
            guard count > 0 else { return hasher.finalize() }
            buffer.withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            offset += off_t(count)
        }
    }
}

extension DeliveryError {
    /// Says what `errno` means for a download.
    init(errno number: CInt, _ call: String, at path: String) {
        let code: Code = [ENOSPC, EDQUOT, EFBIG].contains(number) ? .noSpace : .io
        self.init(code, "\(call): \(String(cString: strerror(number)))", at: path)
    }
}
