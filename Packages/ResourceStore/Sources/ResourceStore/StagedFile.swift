// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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

/// A file under `staging/` that goes away with its last reference, unless it was moved.
final class StagedFile: Sendable {
    let path: String
    private let descriptor: CInt

    /// Makes the file; its name must be new.
    init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(errno: errno, "create", at: path) }
        self.path = path
    }

    /// Appends bytes.
    func write(_ data: Data) throws {
        let failure: CInt = data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            var done = 0
            while done < bytes.count {
                #if canImport(Glibc)
                    let count = Glibc.write(descriptor, base + done, bytes.count - done)
                #elseif canImport(Musl)
                    let count = Musl.write(descriptor, base + done, bytes.count - done)
                #else
                    let count = Darwin.write(descriptor, base + done, bytes.count - done)
                #endif
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                done += count
            }
            return 0
        }
        guard failure == 0 else { throw StoreError(errno: failure, "write", at: path) }
    }

    deinit {
        close(descriptor)
        // Names are never used twice, so after a move there is nothing here to hit.
        unlink(path)
    }
}
