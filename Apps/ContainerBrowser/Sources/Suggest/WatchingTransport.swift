// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading

/// Notes what goes through another transport, which it does not change.
struct WatchingTransport: HTTPTransporting {
    let base: any HTTPTransporting
    let log: TrafficLog

    var capabilities: TransportCapabilities { base.capabilities }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        guard let sent = log.begin(request) else { return try await base.send(request, body: body) }
        return noting(try await base.send(request, body: noting(body, as: sent)), to: sent)
    }

    func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse {
        guard let sent = log.begin(request) else {
            return try await base.send(request, body: body, progress: progress)
        }
        return noting(try await base.send(request, body: noting(body, as: sent), progress: progress), to: sent)
    }

    private func noting(_ response: TransportResponse, to sent: TrafficLog.Body) -> TransportResponse {
        var response = response
        response.body = noting(response.body, as: log.note(response.head, to: sent))
        return response
    }

    /// A file is not read for this, and so never known whole.
    private func noting(_ body: ResourceBody, as noted: TrafficLog.Body) -> ResourceBody {
        switch body {
        case .empty: log.note(nil, of: noted)
        case .bytes(let data):
            log.note(data, of: noted)
            log.note(nil, of: noted)
        case .file: break
        case .stream(let stream):
            let tapped = TappedStream(base: stream) { [log] piece in log.note(piece, of: noted) }
            return .stream(ByteStream(tapped, length: stream.length))
        }
        return body
    }
}

/// A stream that tells its pieces to somebody else, too, and its end, unless it fails.
private struct TappedStream: AsyncSequence, Sendable {
    typealias Element = Data

    let base: ByteStream
    let tell: @Sendable (Data?) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), tell: tell) }

    struct Iterator: AsyncIteratorProtocol {
        var base: ByteStream.Iterator
        let tell: @Sendable (Data?) -> Void

        mutating func next() async throws -> Data? {
            let piece = try await base.next()
            tell(piece)
            return piece
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            let piece = try await base.next(isolation: actor)
            tell(piece)
            return piece
        }
    }
}
