// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The metadata of a local repository, under URLs that no network has.
struct LocalMetadata: Sendable {
    /// The URL below which the metadata is (RFC 6761, section 6.4).
    static let url = "https://repository.invalid/"

    let folder: String

    /// Returns the bytes of a document, or `nil` if there is none.
    /// - Returns: at most one byte more than the limit.
    /// - Throws: `CommandError` with ``ExitStatus/noInput`` if the folder does not exist or has no timestamp, or with
    ///   ``ExitStatus/io`` if the file cannot be read or is not a regular file.
    func document(at url: String, upTo limit: Int) throws -> Data? {
        let name = url.dropFirst(Self.url.count)
        // Names of roles are encoded, so that no name has a slash.
        guard url.hasPrefix(Self.url), !name.contains("/") else { return nil }
        let path = "\(folder)/\(name)"
        do {
            // A named pipe would block without the flag.
            let file = try FileIO.open(path, O_RDONLY | O_NONBLOCK)
            defer { close(file) }
            let status = try FileStatus(descriptor: file, path: path)
            guard status.kind == .file else { throw CommandError(.io, code: "io", "not a regular file", at: path) }
            var data = Data(count: Int(min(status.size, Int64(limit) + 1)))
            let count = try data.withUnsafeMutableBytes { try FileIO.fill($0, from: file, at: 0) }
            return data.prefix(count)
        } catch let error as SystemError where error.number == ENOENT || error.number == ENOTDIR {
            guard FileSystem.isDirectory(folder), name != "timestamp.json" else {
                throw CommandError(.noInput, code: "no-input", "no folder of metadata with a timestamp", at: folder)
            }
            return nil
        } catch let error as SystemError {
            throw CommandError(.io, code: "io", "\(error)", at: path)
        }
    }
}
