// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A transport that records the traffic of another transport without changing it.
struct WatchingTransport: HTTPTransporting {
    let base: any HTTPTransporting
    let log: TrafficLog

    var capabilities: TransportCapabilities { base.capabilities }
    var authorities: [CertificateAuthority] { base.authorities }

    var forBackgroundTransfers: any HTTPTransporting {
        WatchingTransport(base: base.forBackgroundTransfers, log: log)
    }

    func useSystemProxies(_ proxies: SystemProxies) { base.useSystemProxies(proxies) }

    func useAddresses(_ addresses: any AddressResolving) { base.useAddresses(addresses) }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        guard let sent = log.begin(request) else { return try await base.send(request, body: body) }
        return recording(try await base.send(request, body: recording(body, as: sent)), to: sent)
    }

    func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse {
        guard let sent = log.begin(request) else {
            return try await base.send(request, body: body, progress: progress)
        }
        return recording(try await base.send(request, body: recording(body, as: sent), progress: progress), to: sent)
    }

    private func recording(_ response: TransportResponse, to sent: TrafficLog.Body) -> TransportResponse {
        var response = response
        response.body = recording(response.body, as: log.record(response.head, to: sent))
        return response
    }

    /// Returns the body as a stream that records its bytes. The content of a file is not recorded.
    private func recording(_ body: ResourceBody, as entry: TrafficLog.Body) -> ResourceBody {
        switch body {
        case .empty: log.record(nil, of: entry)
        case .bytes(let data):
            log.record(data, of: entry)
            log.record(nil, of: entry)
        case .file: break
        case .stream(let stream):
            let tapped = TappedStream(base: stream) { [log] piece in log.record(piece, of: entry) }
            return .stream(ByteStream(tapped, length: stream.length))
        }
        return body
    }
}

/// A stream that passes its pieces and its regular end to a closure.
private struct TappedStream: AsyncSequence, Sendable {
    typealias Element = Data

    let base: ByteStream
    let send: @Sendable (Data?) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), send: send) }

    struct Iterator: AsyncIteratorProtocol {
        var base: ByteStream.Iterator
        let send: @Sendable (Data?) -> Void

        mutating func next() async throws -> Data? {
            let piece = try await base.next()
            send(piece)
            return piece
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            let piece = try await base.next(isolation: actor)
            send(piece)
            return piece
        }
    }
}
