// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import HTTPTypes
public import ResourceLoading

extension HTTPTransporting {
    /// For transports that do not know better: what was pulled from the body counts as sent.
    public func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse {
        guard let chunks = BodyChunks(body) else { return try await send(request, body: body) }
        let counted = CountedChunks(base: chunks, total: body.length, progress: progress)
        return try await send(request, body: .stream(ByteStream(counted, length: body.length)))
    }
}

/// Tells how many bytes have been pulled: those of a piece when the next one is asked for.
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

/// How much of a request's body has been sent.
public struct UploadProgress: Sendable, Hashable {
    /// Bytes so far.
    public var sent: Int64
    /// All bytes; `nil` where nobody knows.
    public var total: Int64?

    public init(sent: Int64, total: Int64? = nil) {
        self.sent = sent
        self.total = total
    }
}
