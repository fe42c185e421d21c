// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Carries one answer from the loaders to a session: in order, and never after a stop.
///
/// Unchecked: `life`, `work` and `report` are touched on `thread` alone, which is the session's own and no actor's.
final class ProtocolDelivery: @unchecked Sendable {
    /// Of a file, and of a body that is read before it is sent.
    private static let pieceSize = 1 << 20

    private let head: HTTPRequest
    private let face: URLProtocolFace
    private let settings: SessionSettings
    private let request: URLRequest
    private let thread: ClientThread
    private let silence: InactivityTimer
    private var life = ResponseDeliveryState()
    private var work: Task<Void, Never>?
    private var report: URLProtocolFace.Report

    /// To be made where the session starts the protocol.
    init(of head: HTTPRequest, to routed: RoutedProtocol, by face: URLProtocolFace, _ settings: SessionSettings) {
        self.head = head
        self.face = face
        self.settings = settings
        silence = InactivityTimer(face.clock)
        request = routed.request
        thread = ClientThread(routed)
        report = URLProtocolFace.Report(head)
    }

    // MARK: What the session calls, on its thread

    /// Asks for the answer and delivers it.
    /// - Parameter refusal: why it fails instead.
    func start(refusal: String?) {
        _ = life.accept(.start)
        face.begin(head)
        work = Task { await self.run(refusal: refusal) }
    }

    /// Takes the steps that wait.
    func turn() {
        thread.turn()
    }

    /// The session stopped the request: it hears nothing from here on.
    func stop() {
        guard !life.isOver else { return }
        _ = life.accept(.stop)
        work?.cancel()
        end(.stopped)
    }

    /// The last thing that is done on the thread.
    private func end(_ outcome: URLProtocolFace.Report.Outcome) {
        report.ended = .now
        report.outcome = outcome
        face.end(head)
        face.observer(report)
        thread.leave()
    }

    // MARK: The answer

    private func run(refusal: String?) async {
        do {
            if let refusal { throw ResourceError(.invalidRequest, refusal, at: head.urlText) }
            guard let limit = settings.timeout(of: request) else { return try await deliver() }
            try await silence.run(limit: limit) { [head] in
                ResourceError(.timedOut, "nothing came for \(limit)", at: head.urlText)
            } _: {
                try await self.deliver()
            }
        } catch {
            let error = ResourceError(error, at: head.urlText)
            // One that is over by now is not told, nor is one that was stopped.
            try? await step(.fail) { routed, client in
                client.urlProtocol(routed, didFailWithError: error.urlError(at: routed.request.url))
                self.end(.failed(error))
            }
        }
    }

    private func deliver() async throws {
        let (response, url) = try await answer()
        guard let location = URL(string: url), let answer = response.head.urlResponse(of: location) else {
            throw ResourceError(.internal, "not a URL, or no answer of HTTP", at: url)
        }
        if request.cachePolicy == .returnCacheDataDontLoad, response.isUnkept {
            throw ResourceError(.offline, "nothing is kept of it, and the network may not be asked", at: url)
        }
        try await step(.response) { routed, client in
            self.report.responded = .now
            self.report.head = response.head
            self.report.provenance = response.provenance
            client.urlProtocol(routed, didReceive: answer, cacheStoragePolicy: .notAllowed)
        }
        try await hand(response.body)
        try await step(.finish) { routed, client in
            client.urlProtocolDidFinishLoading(routed)
            self.end(.finished)
        }
    }

    /// The answer, after all redirects, and the URL that it comes from.
    private func answer() async throws -> (ResourceResponse, url: String) {
        var next = ResourceRequest(head, body: try await body())
        settings.complete(&next.head, of: request)
        let jar = SessionCookies(settings, request)
        for _ in 0...Redirect.limit {
            jar.addCookies(to: &next.head)
            guard let response = try await face.loader.load(next) else {
                throw ResourceError(.internal, "no loader answered", at: next.head.urlText)
            }
            silence.recordActivity()
            jar.keepCookies(of: response.head.headerFields, from: next.head.urlText)
            guard let redirect = try Redirect(of: response.head, to: next.head) else {
                return (response, next.head.urlText)
            }
            next = try redirect.following(next)
        }
        throw ResourceError(.tooManyRedirects, "more than \(Redirect.limit) redirects", at: head.urlText)
    }

    /// The request's body: bytes where it is short, so that a redirect can send it again, though Apple's systems make a
    /// stream of all.
    private func body() async throws -> ResourceBody {
        guard let stream = request.httpBodyStream else {
            return request.httpBody.map { $0.isEmpty ? .empty : .bytes($0) } ?? .empty
        }
        let length = head.headerFields[.contentLength].flatMap { Int64($0) }
        let source = InputStreamBytes(stream) { self.silence.recordActivity() }
        var start: [Data] = []
        var size = 0
        while size <= Self.pieceSize {
            guard let piece = try await source.next() else { return size == 0 ? .empty : .bytes(Data(start.joined())) }
            start.append(piece)
            size += piece.count
        }
        return .stream(ByteStream(StartedBytes(start, then: source), length: length))
    }

    private func hand(_ body: ResourceBody) async throws {
        #if canImport(FoundationNetworking)
            // Of several pieces, a completion handler gets the last one alone.
            var whole = Data()
            switch body {
            case .empty: break
            case .bytes, .file: whole = try await body.collect(upTo: face.limits.wholeBody)
            case .stream(let stream):
                for try await data in stream {
                    silence.recordActivity()
                    guard whole.count + data.count <= face.limits.wholeBody else {
                        throw ResourceError(.tooLarge, "body of more than \(face.limits.wholeBody) bytes")
                    }
                    whole.append(data)
                }
            }
            if !whole.isEmpty { try await hand(whole) }
        #else
            switch body {
            case .empty: break
            case .bytes(let data): try await hand(data)
            case .file(let slice):
                for offset in stride(from: 0, to: slice.range.count, by: Self.pieceSize) {
                    try await hand(slice.read(at: offset, count: min(Self.pieceSize, slice.range.count - offset)))
                }
            case .stream(let stream):
                for try await data in stream where !data.isEmpty { try await hand(data) }
            }
        #endif
    }

    private func hand(_ data: Data) async throws {
        silence.recordActivity()
        try await step(.data) { routed, client in
            self.report.bytes += Int64(data.count)
            client.urlProtocol(routed, didLoad: data)
        }
    }

    /// One synchronous step of "may I?" and "do it".
    private func step(
        _ event: ResponseDeliveryState.Event,
        _ body: @escaping @Sendable (RoutedProtocol, any URLProtocolClient) -> Void
    ) async throws {
        try await thread.perform { routed in
            switch self.life.accept(event) {
            case .deliver: break
            case .drop: throw CancellationError()
            case .outOfOrder: throw ResourceError(.internal, "url protocol: \(event) out of order")
            }
            guard let client = routed.client else { throw CancellationError() }
            body(routed, client)
        }
    }
}

extension ResourceResponse {
    /// A cache's word that it has nothing and may not ask (RFC 9111, section 5.2.1.7).
    fileprivate var isUnkept: Bool { head.status == .gatewayTimeout && provenance.source == .synthetic }
}
