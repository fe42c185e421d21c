// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file that is read and replaced as a whole: after a kill or a power cut the old bytes are there, or the new ones. Of
/// mode 0600. Symbolic links are not followed. One writer at a time.
struct AtomicFile: Sendable {
    /// What has just been done; for tests that stop there.
    enum Step: Sendable, CaseIterable {
        case created, halfWritten, written, synced, renamed, folderSynced
    }

    let path: String
    /// Called after each step; what it throws ends the writing right there, as a kill would.
    let step: @Sendable (Step) throws -> Void

    /// Where the new bytes are until they are whole. What a kill has left there is in no one's way.
    var temporaryPath: String { path + ".new" }
    /// Where a damaged file is put.
    var damagedPath: String { path + ".damaged" }

    private var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }

    /// Reads all.
    /// - Returns: `nil` where there is no file, and no bytes but their number where there are too many.
    func read(upTo limit: Int) throws(CookieFileError) -> (bytes: Data, isTooLarge: Bool)? {
        // A pipe in its place must not keep us waiting.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP
                ? CookieFileError(.symbolicLink, "is a symbolic link", at: path) : failure("open", path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat", path) }
        try checkKind(status.st_mode)
        guard [0, geteuid()].contains(status.st_uid) else {
            throw CookieFileError(.foreign, "belongs to user \(status.st_uid)", at: path)
        }
        guard status.st_size <= limit else { return (Data(), true) }
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let size = buffer.count
            let count = buffer.withUnsafeMutableBytes { Self.read(descriptor, $0.baseAddress, size) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return (bytes, false) }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= limit else { return (Data(), true) }
        }
    }

    /// Puts these bytes in the place of what is there; they are on the device when this returns.
    func replace(with bytes: Data) throws {
        var status = stat()
        if lstat(path, &status) == 0 { try checkKind(status.st_mode) }
        let descriptor = try create()
        do {
            try step(.created)
            let half = bytes.count / 2
            try write(bytes.prefix(half), to: descriptor)
            try step(.halfWritten)
            try write(bytes.dropFirst(half), to: descriptor)
            try step(.written)
            try sync(descriptor, temporaryPath)
            try step(.synced)
        } catch {
            close(descriptor)
            if error is CookieFileError { unlink(temporaryPath) }
            throw error
        }
        guard close(descriptor) == 0, rename(temporaryPath, path) == 0 else {
            let failure = failure("rename", temporaryPath)
            unlink(temporaryPath)
            throw failure
        }
        try step(.renamed)
        try syncFolder()
        try step(.folderSynced)
    }

    /// Puts the file where nobody takes it for a good one; one that is there already goes.
    func setAside() throws(CookieFileError) {
        guard rename(path, damagedPath) == 0 else { throw failure("rename", path) }
        try syncFolder()
    }

    private func create() throws(CookieFileError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        var descriptor = open(temporaryPath, flags, 0o600)
        if descriptor < 0, errno == EEXIST {
            // Left by a kill, or a link that somebody has put there: the name goes, and what it leads to stays.
            unlink(temporaryPath)
            descriptor = open(temporaryPath, flags, 0o600)
        }
        guard descriptor >= 0 else { throw failure("create", temporaryPath) }
        // Whatever the process's mask takes away from it.
        guard fchmod(descriptor, 0o600) == 0 else {
            let failure = failure("fchmod", temporaryPath)
            close(descriptor)
            unlink(temporaryPath)
            throw failure
        }
        return descriptor
    }

    private func write(_ bytes: Data, to descriptor: Int32) throws(CookieFileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write", temporaryPath) }
            rest = rest.dropFirst(count)
        }
    }

    private func sync(_ descriptor: Int32, _ path: String) throws(CookieFileError) {
        #if canImport(Darwin)
            // There fsync() leaves the bytes in the drive's own memory.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw failure("fsync", path) }
    }

    private func syncFolder() throws(CookieFileError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", folder) }
        defer { close(descriptor) }
        try sync(descriptor, folder)
    }

    private func checkKind(_ mode: mode_t) throws(CookieFileError) {
        switch mode & S_IFMT {
        case S_IFREG: return
        case S_IFLNK: throw CookieFileError(.symbolicLink, "is a symbolic link", at: path)
        default: throw CookieFileError(.notAFile, "is no file", at: path)
        }
    }

    private func failure(_ call: String, _ path: String) -> CookieFileError {
        CookieFileError(.io, "\(call): \(String(cString: strerror(errno)))", at: path)
    }

    #if canImport(Glibc)
        private static let (read, write) = (Glibc.read, Glibc.write)
    #elseif canImport(Musl)
        private static let (read, write) = (Musl.read, Musl.write)
    #else
        private static let (read, write) = (Darwin.read, Darwin.write)
    #endif
}
