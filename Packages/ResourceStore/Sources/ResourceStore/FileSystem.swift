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

    /// What the store asks of a file.
    struct Status {
        /// In bytes.
        var size: Int64
        /// When its bytes, its name or its rights were last changed: nanoseconds since 1970.
        var changeTime: Int64
        /// When its bytes were last changed, or what the time was set to: nanoseconds since 1970.
        var modificationTime: Int64
    }

    /// The status of a regular file, or `nil` where there is none.
    static func status(of path: String) throws -> Status? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw StoreError(errno: errno, "stat", at: path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
            let (change, modification) = (status.st_ctimespec, status.st_mtimespec)
        #else
            let (change, modification) = (status.st_ctim, status.st_mtim)
        #endif
        return Status(
            size: Int64(status.st_size), changeTime: nanoseconds(change), modificationTime: nanoseconds(modification))
    }

    /// 64 bits of nanoseconds last until 2262; a clock beyond that wraps and causes a check too many.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The time: nanoseconds since 1970.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return nanoseconds(time)
    }

    /// Sets when a file says that its bytes were last changed. Where that cannot be, it stays as it is.
    /// - Parameter time: nanoseconds since 1970.
    static func setModificationTime(of path: String, to time: Int64) {
        // Seconds are rounded down: the nanoseconds of a time before 1970 count forward too.
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time =
            rest < 0
            ? timespec(tv_sec: time_t(seconds - 1), tv_nsec: Int(rest + 1_000_000_000))
            : timespec(tv_sec: time_t(seconds), tv_nsec: Int(rest))
        _ = utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW)
    }

    /// The size in bytes of a regular file, or `nil` where there is none.
    static func size(of path: String) throws -> Int64? {
        try status(of: path)?.size
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

    /// Makes a file without bytes, where there is none.
    static func createEmpty(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(errno: errno, "create", at: path) }
        close(descriptor)
    }

    /// Gives `body` the bytes of a file in pieces of 256 KB. The buffer is valid during the call.
    static func read(_ path: String, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(errno: errno, "open", at: path) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset: off_t = 0
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StoreError(errno: errno, "read", at: path) }
            guard count > 0 else { return }
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += off_t(count)
        }
    }

    /// The names in a directory, none where it does not exist.
    static func names(in path: String) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            guard isDirectory(path) else { return [] }
            throw StoreError(.io, "cannot list the directory", at: path, cause: error)
        }
    }

    /// The absolute path without symbolic links.
    static func resolve(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else { throw StoreError(errno: errno, "realpath", at: path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func move(_ source: String, to target: String) throws {
        guard rename(source, target) == 0 else { throw StoreError(errno: errno, "rename", at: target) }
    }

    /// Removes a file; one that is not there is fine.
    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw StoreError(errno: errno, "unlink", at: path) }
    }

    /// Removes a SQLite database, closed, with its log.
    static func removeDatabase(_ path: String) throws {
        // The log first: it means nothing to the database that comes next.
        for suffix in ["-wal", "-shm", "-journal", ""] { try remove(path + suffix) }
    }

    /// Removes a directory with all that is in it; one that is not there is fine.
    static func removeTree(_ path: String) throws {
        guard isDirectory(path) else { return try remove(path) }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw StoreError(.io, "cannot remove the directory", at: path, cause: error)
        }
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

    /// Makes files that were written and moved into place safe from a power cut, and the directories that
    /// name them. Blocks until the device has them.
    ///
    /// Linux: one syncfs(2) for the whole file system. 7,000 files with an fsync each take about 1.8 s, one
    /// file of the same size 0.26 s: each fsync is a journal commit and a flush of the device's cache, and a
    /// batch needs both once. The price is that what other programs wrote to this file system goes along.
    /// syncfs reports a write error only to descriptors that were open before it (since Linux 5.8), so
    /// `descriptor` is the store's lock file, open as long as the store.
    ///
    /// Darwin has no syncfs, and its fsync leaves the bytes in the device's cache. So each file and directory
    /// is handed to the device with fsync, and one `F_FULLFSYNC` at the end makes the device empty its cache.
    static func sync(_ paths: some Sequence<String>, onFileSystemOf descriptor: CInt, at location: String) throws {
        #if canImport(Darwin)
            var directories: Set<String> = []
            for path in paths {
                try syncOne(path)
                var parent = path[...]
                while parent.utf8.count > location.utf8.count, let slash = parent.lastIndex(of: "/") {
                    parent = parent[..<slash]
                    guard directories.insert(String(parent)).inserted else { break }
                }
            }
            for directory in directories { try syncOne(directory) }
            guard fcntl(descriptor, F_FULLFSYNC) == 0 else { throw StoreError(errno: errno, "sync", at: location) }
        #else
            guard container_syncfs(descriptor) == 0 else { throw StoreError(errno: errno, "syncfs", at: location) }
        #endif
    }

    /// Makes one file, or the names in one directory, safe from a power cut. Blocks until the device has it.
    static func secure(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(errno: errno, "open", at: path) }
        defer { close(descriptor) }
        #if canImport(Darwin)
            // Where the file system has none, as on some network volumes, fsync is all there is.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw StoreError(errno: errno, "fsync", at: path) }
    }

    /// Hands one file or directory to the device. On Darwin it may stay in the device's cache for a while.
    static func syncOne(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(errno: errno, "open", at: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StoreError(errno: errno, "fsync", at: path) }
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
