// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTransport
import HTTPTypes
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import LoopbackInterception

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport of an app that sends its requests with a session that the container intercepts.
private final class SessionTransport: HTTPTransporting {
    let capabilities = TransportCapabilities.decodes
    let session = Mutex<URLSession?>(nil)
    let urls = Mutex<[String]>([])

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        urls.withLock { $0.append(request.urlText) }
        guard let session = session.withLock({ $0 }), let url = URL(string: request.urlText) else {
            throw ResourceError(.offline, "no session")
        }
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method.rawValue
        let (data, _) = try await session.data(for: outgoing)
        return TransportResponse(head: HTTPResponse(status: .ok), body: .bytes(data))
    }
}

/// Content of an app that is loaded with a session that the container intercepts.
private final class SessionContent: ResourceLoader {
    let session = Mutex<URLSession?>(nil)
    let urls = Mutex<[String]>([])

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let count = urls.withLock { urls in
            urls.append(request.head.urlText)
            return urls.count
        }
        // Without the mark, the request would come back again and again.
        guard count < 5, let session = session.withLock({ $0 }), let url = URL(string: request.head.urlText) else {
            throw ResourceError(.offline, "no session")
        }
        let (data, _) = try await session.data(from: url)
        return ResourceResponse(
            head: HTTPResponse(status: .ok), body: .bytes(data), provenance: Provenance(.memory, reason: "a test"))
    }
}

/// The network of a session, for requests that the container does not handle.
private final class SessionNetwork: URLProtocol {
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

@MainActor
@Suite("Requests of the container that come back", .timeLimit(.minutes(2)))
struct ReturnedRequestTests {
    private let fixture = Fixture()
    private let transport = SessionTransport()

    private func container(
        _ mode: InterceptionMode, content: [HostContent] = []
    ) async throws -> Container<FakeEngine> {
        if mode == .loopbackProxy {
            fixture.engine.traits.keepsCookies = true
            fixture.engine.traits.preflights = true
        }
        let container = try await fixture.container(covering: ["shop.example"]) { [transport] configuration in
            configuration.network.transport = transport
            configuration.network.hostContent = content
            configuration.pages.mode = mode
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [SessionNetwork.self]
        container.intercept(configuration)
        let session = URLSession(configuration: configuration)
        transport.session.withLock { $0 = session }
        return container
    }

    private func text(_ url: String) async throws -> String {
        let session = try #require(transport.session.withLock { $0 })
        let (data, _) = try await session.data(from: #require(URL(string: url)))
        return String(decoding: data, as: UTF8.self)
    }

    private var urls: [String] { transport.urls.withLock { $0 } }

    @Test(
        "A request of the app or of a page that comes back is recognised at once",
        arguments: [InterceptionMode.customScheme, .loopbackProxy])
    func once(mode: InterceptionMode) async throws {
        let container = try await container(mode)
        let odd = "https://shop.example/a|b?c={d}"
        for _ in 0..<2 { #expect(try await text("https://shop.example/a") == "the session") }
        #expect(urls == ["https://shop.example/a", "https://shop.example/a"])
        #expect(container.counters.returnedRequests == 2)
        let page = try await container.open("https://shop.example/")
        if mode == .customScheme {
            let place = "containerkit://shop.example/a|b?c={d}"
            #expect(try await fixture.text(place, from: page.view, of: container) == "the session")
        } else {
            let requests = LoopbackRequests(pipeline: container.path, pages: PageAttributor())
            let response = try await requests.load(ResourceRequest(try #require(HTTPRequest(urlText: odd))))
            #expect(try await response?.body.collect(upTo: 100) == Data("the session".utf8))
        }
        #expect(urls.dropFirst(2) == [odd] && container.counters.returnedRequests == 3)
        await container.shutDown()
    }

    @Test("Interleaved requests pass the container once at most")
    func interleaved() async throws {
        let container = try await container(.customScheme)
        var generator = SystemRandomNumberGenerator()
        let asked = (0..<60).map { _ in "https://shop.example/\(UInt8.random(in: 0..<8, using: &generator))" }
        let requests = asked.map { url in Task { try await text(url) } }
        for request in requests { #expect(try await request.value == "the session") }
        // While a request is in progress, equal requests of the app go to the network.
        #expect(urls.count <= asked.count && Set(urls) == Set(asked))
        let returned = container.counters.returnedRequests
        #expect(returned <= urls.count && returned >= Set(urls).count)
        await container.shutDown()
    }

    @Test("A request of the app's content that comes back is recognised at once")
    func content() async throws {
        let own = SessionContent()
        let host = try #require(HostPattern("shop.example"))
        let content = HostContent("own", for: [host], coversHosts: true, contains: { _ in true }, loader: own)
        let container = try await container(.customScheme, content: [try #require(content)])
        own.session.withLock { [transport] in $0 = transport.session.withLock { $0 } }
        #expect(try await text("https://shop.example/a") == "the session")
        #expect(own.urls.withLock { $0 } == ["https://shop.example/a"] && urls.isEmpty)
        #expect(container.counters.returnedRequests == 1)
        await container.shutDown()
    }
}
