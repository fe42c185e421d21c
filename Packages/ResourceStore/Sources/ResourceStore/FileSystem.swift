// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CFileSync

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

/// The file system calls of the store, with ``StoreError`` for `errno`.
enum FileSystem {
    /// Makes a directory, private to this user, and those above it; one that exists is left alone.
    static func makeDirectory(_ path: String) throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST && isDirectory(path) { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeDirectory(String(path[..<slash]))
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        }
        throw StoreError(errno: errno, "mkdir", at: path)
    }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// 64 bits of nanoseconds last until 2262; a clock beyond that wraps and causes a check too many.
    static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The time: nanoseconds since 1970.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return nanoseconds(time)
    }

    /// The bytes that this user may still write to the file system of `path`.
    static func freeBytes(at path: String) throws -> Int64 {
        #if canImport(Darwin)
            var status = statfs()
            guard statfs(path, &status) == 0 else { throw StoreError(errno: errno, "statfs", at: path) }
            let (free, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
                by: Int64(status.f_bsize))
        #else
            var status = statvfs()
            guard statvfs(path, &status) == 0 else { throw StoreError(errno: errno, "statvfs", at: path) }
            let (free, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
                by: Int64(clamping: status.f_frsize))
        #endif
        return overflow ? .max : free
    }

    /// The absolute path without symbolic links.
    static func resolve(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else { throw StoreError(errno: errno, "realpath", at: path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Keeps a directory out of backups, and its files readable once the device was unlocked after a start, also while
    /// it is locked: pages open in the background too. Files made in it later inherit both.
    ///
    /// Linux has neither.
    static func excludeFromBackup(_ path: String) throws {
        #if canImport(Darwin)
            do {
                var url = URL(filePath: path, directoryHint: .isDirectory)
                var values = URLResourceValues()
                values.isExcludedFromBackup = true
                try url.setResourceValues(values)
                #if !os(macOS)
                    try FileManager.default.setAttributes(
                        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
                #endif
            } catch {
                throw StoreError(.io, "cannot set the attributes of the directory", at: path, cause: error)
            }
        #endif
    }

    /// Writes back what was written to the file system of a descriptor. Blocks until the device has it.
    ///
    /// Linux: one syncfs(2) for the whole file system. 7,000 files with an fsync each take about 1.8 s, one
    /// file of the same size 0.26 s: each fsync is a journal commit and a flush of the device's cache, and a
    /// batch needs both once. The price is that what other programs wrote to this file system goes along.
    /// syncfs reports a write error only to descriptors that were open before it (since Linux 5.8), so
    /// `descriptor` is the store's folder, open as long as the store.
    ///
    /// Darwin has no syncfs, and its fsync leaves the bytes in the device's cache. So each file and folder was handed to
    /// the device with fsync before, and one `F_FULLFSYNC` makes the device empty its cache.
    static func syncAll(_ descriptor: CInt, at location: String) throws {
        #if canImport(Darwin)
            guard fcntl(descriptor, F_FULLFSYNC) == 0 else { throw StoreError(errno: errno, "sync", at: location) }
        #else
            guard container_syncfs(descriptor) == 0 else { throw StoreError(errno: errno, "syncfs", at: location) }
        #endif
    }
}

extension StoreError {
    /// Says what `errno` means for the store.
    init(errno number: CInt, _ call: String, at path: String) {
        let code: Code =
            switch number {
            case ENOSPC, EDQUOT: .diskFull
            default: .io
            }
        self.init(code, "\(call): \(String(cString: strerror(number)))", at: path)
    }
}
