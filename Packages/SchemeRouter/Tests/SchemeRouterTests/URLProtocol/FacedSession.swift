// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A loader whose responses a test defines, and which records its requests.
final class AnsweringLoader: ResourceLoader {
    let requests = Mutex<[ResourceRequest]>([])
    private let answer: @Sendable (ResourceRequest) async throws -> ResourceResponse?

    init(_ answer: @escaping @Sendable (ResourceRequest) async throws -> ResourceResponse?) {
        self.answer = answer
    }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        requests.withLock { $0.append(request) }
        return try await answer(request)
    }

    /// Returns a text response.
    static func text(_ text: String, _ fields: HTTPFields = [:]) -> ResourceResponse {
        response(200, .bytes(Data(text.utf8)), fields)
    }

    static func response(
        _ status: Int, _ body: ResourceBody = .empty, _ fields: HTTPFields = [:]
    ) -> ResourceResponse {
        ResourceResponse(
            head: HTTPResponse(status: .init(code: status), headerFields: fields), body: body,
            provenance: Provenance(.synthetic, reason: "a test"))
    }

    static func redirect(_ status: Int, to location: String, _ fields: HTTPFields = [:]) -> ResourceResponse {
        var fields = fields
        fields[.location] = location
        return response(status, .empty, fields)
    }
}

/// A substitute for the network of a session, for requests that no face handles.
final class SessionNetwork: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override class func requestIsCacheEquivalent(_ one: URLRequest, to other: URLRequest) -> Bool { false }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url,
            let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("the session".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}

/// A face and a session that uses it.
struct FacedSession {
    let face: URLProtocolFace
    let session: URLSession
    let cookies: HTTPCookieStorage

    init(
        _ face: URLProtocolFace, change: (URLSessionConfiguration) -> Void = { _ in }
    ) throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [SessionNetwork.self]
        guard let cookies = configuration.httpCookieStorage else { throw CancellationError() }
        change(configuration)
        face.install(in: configuration)
        self.face = face
        self.cookies = cookies
        session = URLSession(configuration: configuration)
    }

    /// Creates a face that covers `app.example`, and its session.
    init(
        _ loader: AnsweringLoader, limits: URLProtocolFace.Limits = .init(),
        outgoing: OutgoingRequests = OutgoingRequests(), clock: any Clock<Duration> = ContinuousClock(),
        observer: @escaping @Sendable (URLProtocolFace.Report) -> Void = { _ in },
        change: (URLSessionConfiguration) -> Void = { _ in }
    ) throws {
        let face = URLProtocolFace(
            loader, limits: limits, outgoing: outgoing, clock: clock, covering: { $0.authority == "app.example" },
            observer: observer)
        try self.init(face, change: change)
    }

    func data(_ request: URLRequest) async throws -> (text: String, head: HTTPURLResponse) {
        let (data, response) = try await session.data(for: request)
        guard let head = response as? HTTPURLResponse else { throw CancellationError() }
        return (String(decoding: data, as: UTF8.self), head)
    }

    func data(_ url: String) async throws -> (text: String, head: HTTPURLResponse) {
        try await data(Self.request(url))
    }

    static func request(_ url: String, _ method: String = "GET", body: String? = nil) throws -> URLRequest {
        guard let url = URL(string: url) else { throw CancellationError() }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }
}
