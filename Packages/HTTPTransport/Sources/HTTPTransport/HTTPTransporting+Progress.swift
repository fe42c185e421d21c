// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import HTTPTypes
public import ResourceLoading

extension HTTPTransporting {
    /// Sends a request, and reports bytes of its body as sent when they have been read.
    ///
    /// This default is for transports that cannot measure the bytes that were sent.
    public func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse {
        guard let chunks = BodyChunks(body) else { return try await send(request, body: body) }
        let counted = CountedChunks(base: chunks, total: body.length, progress: progress)
        return try await send(request, body: .stream(ByteStream(counted, length: body.length)))
    }
}

/// A sequence that reports the number of bytes read. The bytes of a chunk count when the next chunk is requested.
private struct CountedChunks: AsyncSequence, Sendable {
    let base: BodyChunks
    let total: Int64?
    let progress: @Sendable (UploadProgress) -> Void

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), state: UploadProgress(sent: 0, total: total), progress: progress)
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: BodyChunks.Iterator
        var state: UploadProgress
        let progress: @Sendable (UploadProgress) -> Void

        mutating func next() async throws -> Data? {
            if state.sent > 0 { progress(state) }
            let data = try await base.next()
            state.sent += Int64(data?.count ?? 0)
            return data
        }
    }
}

/// The progress of sending a request body.
public struct UploadProgress: Sendable, Hashable {
    /// The number of bytes sent.
    public var sent: Int64
    /// The length of the body in bytes; `nil` if unknown.
    public var total: Int64?

    /// Creates a progress value.
    public init(sent: Int64, total: Int64? = nil) {
        self.sent = sent
        self.total = total
    }
}
