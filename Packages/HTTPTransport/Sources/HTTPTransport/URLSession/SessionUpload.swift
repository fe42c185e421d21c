// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

/// A request body in a form that a session accepts: bytes, or a file that is removed with this object.
///
/// A stream is written to a file first. A session accepts a stream only as an `InputStream`, and requires a new one for
/// a retry. On Linux, reads of an `InputStream` block the queue of all requests of the session.
final class SessionUpload: Sendable {
    enum Source {
        case none
        case bytes(Data)
        case file(URL)
    }

    /// The length in bytes up to which a file slice is read into memory.
    private static let inMemory = 1 << 20
    /// The limit of bytes that are written to a file: 1 GiB.
    private static let limit: Int64 = 1 << 30
    let source: Source
    private let isTemporary: Bool

    private init(_ source: Source, isTemporary: Bool = false) {
        self.source = source
        self.isTemporary = isTemporary
    }

    deinit {
        if isTemporary, case .file(let file) = source { try? FileManager.default.removeItem(at: file) }
    }

    /// Creates an upload from a body.
    /// - Throws: `ResourceError` with code `tooLarge` or `io`, or an error of the body.
    static func make(_ body: ResourceBody, at url: String) async throws -> SessionUpload {
        guard let chunks = BodyChunks(body, sentTo: url) else { return SessionUpload(.none) }
        if case .bytes(let data) = body { return SessionUpload(.bytes(data)) }
        if case .file(let slice) = body, slice.range.count <= inMemory {
            return SessionUpload(.bytes(try slice.read()))
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
        // Removes the file on any error after this line.
        let upload = SessionUpload(.file(file), isTemporary: true)
        guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw ResourceError(.io, "cannot create a file for the request body", at: url) }
        let handle: FileHandle
        do {
            handle = try FileHandle(forWritingTo: file)
        } catch {
            throw ResourceError(.io, "cannot open the file for the request body", at: url, cause: error)
        }
        defer { try? handle.close() }
        var written: Int64 = 0
        for try await data in chunks {
            try Task.checkCancellation()
            written += Int64(data.count)
            guard written <= limit else {
                throw ResourceError(.tooLarge, "the request body has more than \(limit) bytes", at: url)
            }
            do {
                try handle.write(contentsOf: data)
            } catch {
                throw ResourceError(.io, "cannot write the request body to a file", at: url, cause: error)
            }
        }
        guard body.length.map({ $0 == written }) ?? true else {
            throw ResourceError(
                .invalidRequest,
                TransportFailure(.send, "the request body does not have the announced length"), at: url)
        }
        return upload
    }
}
