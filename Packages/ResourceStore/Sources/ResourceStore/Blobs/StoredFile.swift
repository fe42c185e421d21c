// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An open file of the store. The descriptor is closed when the last reference is released. A sweep unlinks files and
/// never changes them, so that the bytes stay readable.
///
/// Isolation: any. Two values are equal if they were opened by the same path.
public final class StoredFile: Sendable, Hashable {
    /// The path of the file, for messages. After a sweep it may not exist any more.
    public let path: String
    /// The descriptor, readable while this object lives. Its file offset is unspecified: read with `pread` or `mmap`.
    public let descriptor: CInt

    init(_ descriptor: CInt, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Returns a Boolean value that indicates whether both files were opened by the same path.
    public static func == (left: StoredFile, right: StoredFile) -> Bool { left.path == right.path }

    /// Hashes the path.
    public func hash(into hasher: inout Hasher) { hasher.combine(path) }

    func status() throws -> FileStatus { try mapping { try FileStatus(descriptor: descriptor) } }

    /// Passes the bytes to `body` in chunks of 256 KB. The buffer is valid only during the call.
    func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try mapping { try FileIO.forEachPiece(of: descriptor, body) }
    }

    /// Appends bytes.
    func write(_ data: Data) throws {
        try data.withUnsafeBytes { try write($0) }
    }

    /// Appends bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try mapping { try FileIO.write(bytes, to: descriptor) }
    }

    /// Sets the modification time. Ignores errors.
    /// - Parameter time: the time in nanoseconds since 1970.
    func setModificationTime(_ time: Int64) {
        // Seconds are rounded down, because the nanoseconds of a time before 1970 count forward too.
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time =
            rest < 0
            ? timespec(tv_sec: time_t(seconds - 1), tv_nsec: Int(rest + 1_000_000_000))
            : timespec(tv_sec: time_t(seconds), tv_nsec: Int(rest))
        _ = futimens(descriptor, [time, time])
    }

    /// Flushes the content to the device. Blocks until that is done.
    /// - Parameter isThrough: see `FileIO.sync(_:isThrough:)`.
    func sync(isThrough: Bool = true) throws {
        try mapping { try FileIO.sync(descriptor, isThrough: isThrough) }
    }

    private func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        try StoreError.mappingSystem(at: path, body)
    }
}
