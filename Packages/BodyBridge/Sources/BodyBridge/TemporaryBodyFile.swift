// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An unlinked temporary file, which the system removes when the object is released.
final class TemporaryBodyFile: Sendable {
    private let descriptor: CInt

    /// The maximum number of bytes to read at a time.
    static let pieceLength = 1 << 20

    /// Creates an empty file that only this user can read.
    /// - Throws: `ResourceError` with code `io`.
    init(in folder: String = FileManager.default.temporaryDirectory.path) throws {
        let path = "\(folder)/containerkit-body-\(BridgeToken().text)"
        descriptor = try SystemError.mapping {
            try FileIO.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        } to: {
            ResourceError(.io, "cannot create a file for the body of a form: \($0.reason)")
        }
        unlink(path)
    }

    deinit { close(descriptor) }

    /// Writes bytes at an offset.
    /// - Throws: `ResourceError` with code `io`.
    func write(_ bytes: Data, at offset: Int64) throws {
        try SystemError.mapping {
            try bytes.withUnsafeBytes { try FileIO.write($0, to: descriptor, at: offset) }
        } to: {
            ResourceError(.io, "cannot write the body of a form to its file: \($0.reason)")
        }
    }

    /// Reads bytes at an offset. The bytes must have been written before.
    /// - Throws: `ResourceError` with code `io`.
    func read(_ count: Int, at offset: Int64) throws -> Data {
        var data = Data(count: count)
        let read = try SystemError.mapping {
            try data.withUnsafeMutableBytes { try FileIO.fill($0, from: descriptor, at: offset) }
        } to: {
            ResourceError(.io, "cannot read the body of a form from its file: \($0.reason)")
        }
        guard read == count else {
            throw ResourceError(.io, "cannot read the body of a form from its file: it ends early")
        }
        return data
    }
}
