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

/// A file of the store, open as a descriptor, which is closed with the last reference. A sweep unlinks files and never
/// changes them, so that the bytes stay readable.
///
/// Isolation: any. Two are the same if they were opened by the same path.
public final class StoredFile: Sendable, Hashable {
    /// The path of the file, for messages: after a sweep it may lead nowhere.
    public let path: String
    /// Readable while the object lives. Its own offset means nothing: read with `pread` or `mmap`.
    public let descriptor: CInt

    init(_ descriptor: CInt, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Returns a Boolean value that indicates whether both were opened by the same path.
    public static func == (left: StoredFile, right: StoredFile) -> Bool { left.path == right.path }

    /// Adds the path.
    public func hash(into hasher: inout Hasher) { hasher.combine(path) }

    func attributes() throws -> stat { try Self.attributes(of: descriptor, at: path) }

    func status() throws -> FileStatus { FileStatus(try attributes()) }

    static func attributes(of descriptor: CInt, at path: String) throws -> stat {
        var attributes = stat()
        guard fstat(descriptor, &attributes) == 0 else { throw StoreError(errno: errno, "stat", at: path) }
        return attributes
    }

    /// Gives `body` the bytes in pieces of 256 KB. The buffer is valid during the call.
    func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset: off_t = 0
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StoreError(errno: errno, "read", at: path) }
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += off_t(count)
        }
    }

    /// Appends bytes.
    func write(_ data: Data) throws {
        try data.withUnsafeBytes { try write($0) }
    }

    /// Appends bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let base = bytes.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            let count = SystemCall.write(descriptor, base + done, bytes.count - done)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StoreError(errno: errno, "write", at: path) }
            done += count
        }
    }

    /// Sets the time at which the bytes were last changed. Where that cannot be, it stays as it is.
    /// - Parameter time: nanoseconds since 1970.
    func setModificationTime(_ time: Int64) {
        // Seconds are rounded down: the nanoseconds of a time before 1970 count forward too.
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time =
            rest < 0
            ? timespec(tv_sec: time_t(seconds - 1), tv_nsec: Int(rest + 1_000_000_000))
            : timespec(tv_sec: time_t(seconds), tv_nsec: Int(rest))
        _ = futimens(descriptor, [time, time])
    }

    /// Makes the bytes safe from a power cut. Blocks until the device has them.
    func secure() throws {
        try Self.sync(descriptor, at: path)
    }

    /// Makes a file, or the names in a folder, safe from a power cut.
    /// - Parameter isThrough: whether to wait until the device has them too; only Darwin makes the difference.
    static func sync(_ descriptor: CInt, at path: String, isThrough: Bool = true) throws {
        #if canImport(Darwin)
            // Where the file system has none, as on some network volumes, fsync is all there is.
            if isThrough, fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw StoreError(errno: errno, "fsync", at: path) }
    }
}

/// The size and the times of a file.
struct FileStatus {
    /// In bytes.
    var size: Int64
    /// The time when its bytes, its name or its rights were last changed: nanoseconds since 1970.
    var changeTime: Int64
    /// The time when its bytes were last changed, or what the time was set to: nanoseconds since 1970.
    var modificationTime: Int64

    init(_ attributes: stat) {
        #if canImport(Darwin)
            let (change, modification) = (attributes.st_ctimespec, attributes.st_mtimespec)
        #else
            let (change, modification) = (attributes.st_ctim, attributes.st_mtim)
        #endif
        size = Int64(attributes.st_size)
        changeTime = FileSystem.nanoseconds(change)
        modificationTime = FileSystem.nanoseconds(modification)
    }
}
