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

/// A new file that is being written.
final class OutputFile {
    private let path: String
    private var descriptor: CInt

    /// Creates a file that must not exist yet.
    init(creating name: String, in folder: FolderDescriptor) throws {
        descriptor = openat(
            folder.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        path = "\(folder.path)/\(name)"
        guard descriptor >= 0 else { throw PackageError(errno: errno, "create", at: path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                #if canImport(Glibc)
                    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                #elseif canImport(Musl)
                    let count = Musl.write(descriptor, rest.baseAddress, rest.count)
                #else
                    let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
                #endif
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw PackageError(errno: errno, "write", at: path) }
                done += count
            }
        }
    }

    /// Closes the file; an error of a delayed write shows here.
    func finish(sync: Bool) throws {
        if sync, fsync(descriptor) != 0 { throw PackageError(errno: errno, "sync", at: path) }
        let closing = descriptor
        descriptor = -1
        guard close(closing) == 0 else { throw PackageError(errno: errno, "close", at: path) }
    }
}
