// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CSystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Operations on paths.
public enum FileSystem {
    /// Creates a directory and its missing parents with mode 0700. An existing directory is left unchanged.
    public static func makeDirectory(_ path: String) throws(SystemError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST && isDirectory(path) { return }
        if errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
            try makeDirectory(String(path[..<slash]))
            if mkdir(path, 0o700) == 0 || errno == EEXIST && isDirectory(path) { return }
        }
        throw SystemError("mkdir", at: path)
    }

    /// Returns a Boolean value that indicates whether a path refers to a directory. Preserves `errno`.
    public static func isDirectory(_ path: String) -> Bool {
        let number = errno
        defer { errno = number }
        return (try? FileStatus(path: path, followsLinks: true))?.kind == .directory
    }

    /// Returns the absolute path without symbolic links (realpath(3)).
    public static func resolve(_ path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else { throw SystemError("realpath", at: path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the number of bytes that this user can still write to the file system of a path.
    public static func freeBytes(at path: String) throws(SystemError) -> Int64 {
        #if canImport(Darwin)
            // statvfs(3) counts blocks in 32 bits on Darwin.
            var status = statfs()
            guard statfs(path, &status) == 0 else { throw SystemError("statfs", at: path) }
            let (free, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
                by: Int64(status.f_bsize))
        #else
            var status = statvfs()
            guard statvfs(path, &status) == 0 else { throw SystemError("statvfs", at: path) }
            let (free, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
                by: Int64(clamping: status.f_frsize))
        #endif
        return overflow ? .max : free
    }

    /// Renames a file (rename(2)). Replaces an existing target.
    public static func rename(_ path: String, to target: String) throws(SystemError) {
        guard renameFile(path, target) == 0 else { throw SystemError("rename", at: target) }
    }

    /// Renames a file, and fails with `EEXIST` if the target exists.
    /// - Throws: ``SystemError``; its number is `ENOSYS`, `EINVAL` or `ENOTSUP` if the system or the file system does
    ///   not support the call.
    public static func renameExclusively(_ path: String, to target: String) throws(SystemError) {
        guard container_rename_exclusively(path, target) == 0 else { throw SystemError("rename", at: target) }
    }

    /// Creates a hard link (link(2)), and fails with `EEXIST` if the target exists.
    public static func link(_ path: String, to target: String) throws(SystemError) {
        guard linkFile(path, target) == 0 else { throw SystemError("link", at: target) }
    }
}

// These functions are outside of the type because its methods have the names of the C functions.

private func renameFile(_ path: String, _ target: String) -> CInt { rename(path, target) }

private func linkFile(_ path: String, _ target: String) -> CInt { link(path, target) }
