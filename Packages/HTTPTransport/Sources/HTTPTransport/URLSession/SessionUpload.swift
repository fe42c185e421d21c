// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

/// A request's body as a session takes it: bytes, or a file that goes with this.
///
/// A stream is written to a file first. A session takes one from an `InputStream` alone, whose reading blocks the queue
/// that all requests of the session share on Linux, and which it asks for a second time where it tries again.
final class SessionUpload: Sendable {
    enum Source {
        case none
        case bytes(Data)
        case file(URL)
    }

    /// A slice that is at most this long is read into memory.
    private static let inMemory = 1 << 20
    let source: Source
    private let isTemporary: Bool

    private init(_ source: Source, isTemporary: Bool = false) {
        self.source = source
        self.isTemporary = isTemporary
    }

    deinit {
        if isTemporary, case .file(let file) = source { try? FileManager.default.removeItem(at: file) }
    }

    /// Gathers a body.
    /// - Throws: `ResourceError` with code `tooLarge` or `io`; what the body throws.
    static func make(
        _ body: ResourceBody, _ configuration: URLSessionTransport.Configuration, at url: String
    ) async throws -> SessionUpload {
        guard let chunks = BodyChunks(body, sentTo: url) else { return SessionUpload(.none) }
        if case .bytes(let data) = body { return SessionUpload(.bytes(data)) }
        if case .file(let slice) = body, slice.range.count <= inMemory {
            return SessionUpload(.bytes(try slice.read()))
        }
        let folder =
            configuration.temporaryDirectory.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let file = folder.appending(path: "upload-\(UUID().uuidString)")
        // Removes the file whatever happens from here on.
        let upload = SessionUpload(.file(file), isTemporary: true)
        guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw ResourceError(.io, "cannot make a file for the request's body", at: url) }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var written: Int64 = 0
        for try await data in chunks {
            try Task.checkCancellation()
            written += Int64(data.count)
            guard written <= configuration.uploadLimit else {
                throw ResourceError(
                    .tooLarge, "a request's body of more than \(configuration.uploadLimit) bytes", at: url)
            }
            do {
                try handle.write(contentsOf: data)
            } catch {
                throw ResourceError(.io, "cannot write the request's body to a file", at: url, cause: error)
            }
        }
        guard body.length.map({ $0 == written }) ?? true else {
            throw ResourceError(
                .invalidRequest,
                TransportFailure(.send, "the request's body is not as long as it was said to be"), at: url)
        }
        return upload
    }
}
