// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

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

/// A temporary file without a name, which ends with its last reference.
final class TemporaryBodyFile: Sendable {
    private let descriptor: CInt

    /// The most bytes to read at a time.
    static let pieceLength = 1 << 20

    /// Makes an empty file that only this user can read.
    /// - Throws: `ResourceError` with code `io`.
    init(in folder: String = FileManager.default.temporaryDirectory.path) throws {
        let path = "\(folder)/containerkit-body-\(BridgeToken().text)"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.error("no file for the body of a form") }
        unlink(path)
    }

    deinit { close(descriptor) }

    /// Writes bytes that begin at an offset.
    /// - Throws: `ResourceError` with code `io`.
    func write(_ bytes: Data, at offset: Int64) throws {
        try bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = pwrite(
                    descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset) + off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.error("the body of a form cannot be written to a file") }
                done += count
            }
        }
    }

    /// Reads bytes that begin at an offset; all of them were written before.
    /// - Throws: `ResourceError` with code `io`.
    func read(_ count: Int, at offset: Int64) throws -> Data {
        var data = Data(count: count)
        var done = 0
        while done < count {
            let read = data.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset) + off_t(done))
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { throw Self.error("the body of a form cannot be read from its file") }
            done += read
        }
        return data
    }

    private static func error(_ message: String) -> ResourceError {
        ResourceError(.io, "\(message): \(String(cString: strerror(errno)))")
    }
}
