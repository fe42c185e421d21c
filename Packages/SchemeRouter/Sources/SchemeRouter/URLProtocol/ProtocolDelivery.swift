// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
@_spi(Facade) internal import ResourceLoading
internal import WebSyntax

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The delivery of one response from the loaders to a session, in order and never after a stop.
///
/// Unchecked: `life`, `work` and `report` are used only on `thread`, which belongs to the session and not to an actor.
final class ProtocolDelivery: @unchecked Sendable {
    /// The piece size of files, and the limit of a body that is read before it is sent, in bytes.
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

    /// Creates a delivery; must be called on the thread on which the session starts the protocol.
    init(of head: HTTPRequest, to routed: RoutedProtocol, by face: URLProtocolFace, _ settings: SessionSettings) {
        self.head = head
        self.face = face
        self.settings = settings
        silence = InactivityTimer(face.clock)
        request = routed.request
        thread = ClientThread(routed)
        report = URLProtocolFace.Report(head)
    }

    // MARK: Calls of the session, on its thread

    /// Loads the response and delivers it.
    /// - Parameter refusal: The reason if the request fails without loading.
    func start(refusal: String?) {
        _ = life.accept(.start)
        face.begin(head)
        work = Task { await self.run(refusal: refusal) }
    }

    /// Runs the waiting steps.
    func turn() {
        thread.turn()
    }

    /// Stops the delivery. The session receives no further events.
    func stop() {
        guard !life.isOver else { return }
        _ = life.accept(.stop)
        work?.cancel()
        end(.stopped)
    }

    /// Ends the delivery; the last action on the thread.
    private func end(_ outcome: RequestRecord.Outcome) {
        report.ended = .now
        report.outcome = outcome
        face.end(head)
        face.observer(report)
        thread.release()
    }

    // MARK: Response

    private func run(refusal: String?) async {
        do {
            if let refusal { throw ResourceError(.invalidRequest, refusal, at: head.urlText) }
            guard let limit = settings.timeout(of: request) else { return try await deliver() }
            try await silence.run(limit: limit) { [head] in
                ResourceError(.timedOut, "no progress for \(limit)", at: head.urlText)
            } _: {
                try await self.deliver()
            }
        } catch {
            let error = ResourceError(error, at: head.urlText)
            // A delivery that has ended or was stopped does not report the error.
            try? await step(.fail) { routed, client in
                client.urlProtocol(routed, didFailWithError: error.urlError(at: routed.request.url))
                self.end(.failed(error))
            }
        }
    }

    private func deliver() async throws {
        let (response, url) = try await answer()
        guard let location = URL(string: url), let answer = response.head.urlResponse(of: location) else {
            throw ResourceError(.internal, "not a valid URL or HTTP response", at: url)
        }
        if request.cachePolicy == .returnCacheDataDontLoad, response.isCacheMiss {
            throw ResourceError(.offline, "there is no stored response, and the network must not be used", at: url)
        }
        try await step(.response) { routed, client in
            self.report.responded = .now
            self.report.head = response.head
            self.report.provenance = response.provenance
            client.urlProtocol(routed, didReceive: answer, cacheStoragePolicy: .notAllowed)
        }
        try await send(response.body)
        try await step(.finish) { routed, client in
            client.urlProtocolDidFinishLoading(routed)
            self.end(.finished)
        }
    }

    /// Returns the response after all redirects, and its URL.
    private func answer() async throws -> (ResourceResponse, url: String) {
        var next = ResourceRequest(head, body: try await body())
        settings.complete(&next.head, of: request)
        let jar = SessionCookies(settings, request)
        for _ in 0...Redirect.limit {
            jar.addCookies(to: &next.head)
            guard let response = try await face.loader.load(next) else {
                throw ResourceError(.internal, "no loader returned a response", at: next.head.urlText)
            }
            silence.recordActivity()
            jar.storeCookies(of: response.head.headerFields, from: next.head.urlText)
            guard let redirect = try Redirect(of: response.head, to: next.head) else {
                return (response, next.head.urlText)
            }
            next = try redirect.following(next)
        }
        throw ResourceError(.tooManyRedirects, "more than \(Redirect.limit) redirects", at: head.urlText)
    }

    /// Returns the body of the request. A short body is returned as bytes, so that a redirect can send it again. Apple
    /// platforms provide every body as a stream.
    private func body() async throws -> ResourceBody {
        guard let stream = request.httpBodyStream else {
            return request.httpBody.map { $0.isEmpty ? .empty : .bytes($0) } ?? .empty
        }
        let length = head.headerFields[.contentLength].flatMap { Int64(decimalDigits: $0.utf8) }
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

    private func send(_ body: ResourceBody) async throws {
        #if canImport(FoundationNetworking)
            // A completion handler receives only the last of several pieces.
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
            if !whole.isEmpty { try await send(whole) }
        #else
            for try await data in body.pieces(upTo: Self.pieceSize) { try await send(data) }
        #endif
    }

    private func send(_ data: Data) async throws {
        silence.recordActivity()
        try await step(.data) { routed, client in
            self.report.bytes += Int64(data.count)
            client.urlProtocol(routed, didLoad: data)
        }
    }

    /// Checks the delivery state and calls the client in one synchronous step.
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
    /// A Boolean value that indicates whether a cache has no stored response and must not use the network (RFC 9111,
    /// section 5.2.1.7).
    fileprivate var isCacheMiss: Bool { head.status == .gatewayTimeout && provenance.source == .synthetic }
}
