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

/// Input and output on file descriptors. Interrupted calls are repeated. Calls block their thread.
public enum FileIO {
    /// The maximum size in bytes of a chunk that ``forEachPiece(of:_:)`` reads.
    public static let pieceSize = 256 << 10

    /// Opens a file, with `O_CLOEXEC`.
    /// - Parameters:
    ///   - path: the path of the file, absolute or relative to the working directory.
    ///   - flags: the flags of open(2).
    ///   - mode: the permissions of a file that is created.
    /// - Returns: a descriptor that the caller closes.
    public static func open(_ path: String, _ flags: CInt, mode: UInt32 = 0) throws(SystemError) -> CInt {
        let descriptor = openFile(path, flags | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw SystemError("open", at: path) }
        return descriptor
    }

    /// Writes all bytes.
    public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) throws(SystemError) {
        try writeAll(bytes) { writeBytes(descriptor, $0.baseAddress, $0.count) }
    }

    /// Writes all bytes at an offset from the start of the file.
    public static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: Int64
    ) throws(SystemError) {
        var position = off_t(offset)
        try writeAll(bytes) { rest in
            let count = pwrite(descriptor, rest.baseAddress, rest.count, position)
            if count > 0 { position += off_t(count) }
            return count
        }
    }

    private static func writeAll(
        _ bytes: UnsafeRawBufferPointer, by call: (UnsafeRawBufferPointer) -> Int
    ) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = call(rest)
            if count < 0, errno == EINTR { continue }
            // write(2) does not set `errno` if it writes nothing.
            guard count != 0 else { throw SystemError("write", number: EIO) }
            guard count > 0 else { throw SystemError("write") }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Reads the next bytes.
    /// - Returns: the number of bytes, 0 at the end of the file.
    public static func read(into buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt) throws(SystemError)
        -> Int
    {
        while true {
            let count = readBytes(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw SystemError("read") }
        }
    }

    /// Reads bytes at an offset from the start of the file.
    /// - Returns: the number of bytes, which may be smaller than the buffer; 0 at the end of the file.
    public static func read(
        into buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: Int64
    ) throws(SystemError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw SystemError("read") }
        }
    }

    /// Reads bytes at an offset from the start of the file, until the buffer is full or the file ends.
    /// - Returns: the number of bytes.
    public static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: Int64
    ) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try read(into: rest, from: descriptor, at: offset + Int64(done))
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Passes all bytes of a file to `body`, in chunks of at most ``pieceSize`` bytes. The buffer is valid only during
    /// the call.
    /// - Throws: ``SystemError``, or the error of `body`.
    public static func forEachPiece(of descriptor: CInt, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try read(into: buffer, from: descriptor, at: offset)
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }

    /// Flushes a file's content or a directory's names to the device. Blocks until that is done.
    ///
    /// On Darwin, fsync(2) leaves the bytes in the device's cache; `F_FULLFSYNC` flushes that cache.
    /// - Parameters:
    ///   - descriptor: an open file or directory.
    ///   - isThrough: a Boolean value that indicates whether the device's cache is flushed too. It has an effect only
    ///     on Darwin. A caller that syncs many files flushes the cache once, with the last file.
    public static func sync(_ descriptor: CInt, isThrough: Bool = true) throws(SystemError) {
        #if canImport(Darwin)
            // Some file systems, such as network volumes, support only fsync.
            if isThrough, fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
    }

    /// Flushes the file system of a descriptor to the device, including files of other programs. Blocks until that is
    /// done.
    ///
    /// On Linux this is one syncfs(2) call. Since Linux 5.8, the call reports a write error only to descriptors that
    /// were open before the error. Darwin has no syncfs: the caller flushes each file with ``sync(_:isThrough:)``
    /// first, and one `F_FULLFSYNC` flushes the device's cache.
    public static func syncFileSystem(of descriptor: CInt) throws(SystemError) {
        #if canImport(Darwin)
            try sync(descriptor)
        #else
            guard container_syncfs(descriptor) == 0 else { throw SystemError("syncfs") }
        #endif
    }
}

// These functions are outside of the type because its methods have the names of the C functions.

private func openFile(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { open(path, flags, mode) }

private func writeBytes(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func readBytes(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
