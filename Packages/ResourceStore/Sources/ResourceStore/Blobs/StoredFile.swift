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

    func status() throws -> FileStatus { try mapping { try FileStatus(descriptor: descriptor) } }

    /// Gives `body` the bytes in pieces of 256 KB. The buffer is valid during the call.
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
        try sync()
    }

    /// Makes the bytes safe from a power cut.
    /// - Parameter isThrough: see `FileIO.sync(_:isThrough:)`.
    func sync(isThrough: Bool = true) throws {
        try mapping { try FileIO.sync(descriptor, isThrough: isThrough) }
    }

    private func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        try SystemError.mapping(body) { StoreError($0, at: path) }
    }
}
