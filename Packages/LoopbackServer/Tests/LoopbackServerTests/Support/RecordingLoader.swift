// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import LoopbackServer
import ResourceLoading
import WebSyntax

/// A loader with a test's responses that records its requests.
struct RecordingLoader: ResourceLoader {
    let receivedRequests = Log<ResourceRequest>()
    var immediate: (@Sendable (ResourceRequest) -> ResourceResponse?)?
    let answer: @Sendable (ResourceRequest) async throws -> ResourceResponse?

    init(_ answer: @escaping @Sendable (ResourceRequest) async throws -> ResourceResponse?) {
        self.answer = answer
    }

    @concurrent func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        receivedRequests.append(request)
        return try await answer(request)
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        guard let response = immediate?(request) else { return .later }
        return .known(response)
    }

    /// The recorded requests, such as `GET https://shop.test/`.
    var requests: [String] { receivedRequests.entries.map { "\($0.head.method.rawValue) \($0.head.urlText)" } }
}

extension ResourceResponse {
    init(_ status: Int = 200, _ fields: HTTPFields = [:], _ body: ResourceBody = .empty) {
        self.init(
            head: HTTPResponse(status: .init(code: status), headerFields: fields), body: body,
            provenance: Provenance(.synthetic, reason: "a test"))
    }

    static func text(_ text: String) -> ResourceResponse {
        ResourceResponse(200, [.contentType: "text/plain"], .bytes(Data(text.utf8)))
    }

    /// Returns a response with a streamed body of chunks, followed by an error if it is not `nil`.
    static func pieces(
        _ pieces: [String], length: Int64? = nil, error: (any Error)? = nil, _ status: Int = 200
    ) -> ResourceResponse {
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            for piece in pieces { continuation.yield(Data(piece.utf8)) }
            continuation.finish(throwing: error)
        }
        return ResourceResponse(status, [:], .stream(ByteStream(stream, length: length)))
    }
}

/// An observer that records all events and reports.
struct Witness: LoopbackObserving {
    let events = Log<LoopbackEvent>()
    let reports = Log<ExchangeReport>()

    func happened(_ event: LoopbackEvent) { events.append(event) }
    func ended(_ exchange: ExchangeReport) { reports.append(exchange) }

    func refusal(_ expected: LoopbackRefusal) async throws {
        _ = try await events.value("\(expected)") { events in
            events.contains { if case .refused(expected) = $0 { true } else { false } } ? true : nil
        }
    }

    var refusals: [LoopbackRefusal] {
        events.entries.compactMap { if case .refused(let refusal) = $0 { refusal } else { nil } }
    }
}

extension ExchangeReport.Outcome {
    /// The name of the outcome, with the code of a failure.
    var word: String {
        switch self {
        case .finished: "finished"
        case .failed(let error): "failed \(error.code)"
        case .stopped: "stopped"
        case .upgraded: "upgraded"
        }
    }
}

/// A policy that intercepts the hosts of a list.
struct HostListPolicy: InterceptPolicy {
    var hosts: Set<String> = ["shop.test"]
    var permitsWebSockets = true

    func opens(_ target: HostPort) -> Bool { hosts.contains(target.host) }

    func permitsWebSocket(_ request: ResourceRequest) -> Bool { permitsWebSockets }
}

/// A policy that intercepts all hosts or none.
final class SwitchablePolicy: InterceptPolicy {
    let opens: Atomic<Bool>

    init(opens: Bool) { self.opens = Atomic(opens) }

    func opens(_ target: HostPort) -> Bool { opens.load() }
}

/// A policy that returns the results of a list one after another, and then repeats the last result.
final class SequencePolicy: InterceptPolicy {
    private let words: Mutex<[Bool]>

    init(_ words: [Bool]) { self.words = Mutex(words) }

    func opens(_ target: HostPort) -> Bool {
        words.withLock { words in words.count > 1 ? words.removeFirst() : words[0] }
    }
}

/// A `CertificateTrusting` that records the hosts of certificates.
struct Trusting: CertificateTrusting {
    let shown = Log<String>()
    var act: @Sendable (String) async throws -> Void = { _ in }

    @concurrent func trust(_ certificate: [UInt8], for host: String) async throws {
        shown.append(host)
        try await act(host)
    }
}
