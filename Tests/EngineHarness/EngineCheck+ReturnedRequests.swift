// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A transport of an app that sends its requests with a session that the container intercepts.
private final class SessionTransport: HTTPTransporting {
    let capabilities: TransportCapabilities = []
    private let session = Mutex<URLSession?>(nil)
    private let sent = Mutex<[String]>([])

    /// The URLs of the requests, in order.
    var urls: [String] { sent.withLock { $0 } }

    func use(_ session: URLSession) { self.session.withLock { $0 = session } }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        sent.withLock { $0.append(request.urlText) }
        guard let session = session.withLock({ $0 }), let url = URL(string: request.urlText) else {
            throw ResourceError(.offline, "no session", at: request.urlText)
        }
        let (data, _) = try await session.data(from: url)
        let type = request.path == "/" ? "text/html" : "text/javascript"
        return .page(String(decoding: data, as: UTF8.self), type: type)
    }
}

/// The network of the session: a document, and scripts.
private final class SessionNetwork: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override class func requestIsCacheEquivalent(_ one: URLRequest, to other: URLRequest) -> Bool { false }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url,
            let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
        else { return }
        let text =
            url.path == "/"
            ? "<!doctype html><title>-</title><script src='/a.js'></script><script src='/b.js?x=1'></script>"
            : "document.title += '\(url.lastPathComponent)'"
        client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(text.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}

// A transport of an app that uses an intercepted session.
extension EngineCheck {
    /// Checks that each request of a page passes the container once.
    /// - Parameter arguments: The mode.
    @MainActor
    func checkReturnedRequests(
        _ engine: WebKitGTKEngine, _ arguments: ArraySlice<String>, in folder: String
    ) async throws {
        guard let mode = arguments.first.flatMap({ InterceptionMode(rawValue: $0) }) else {
            throw CheckFailure(description: "specify a mode")
        }
        let transport = SessionTransport()
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.transport = transport
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = mode
        configuration.network.coveredHosts = ["shop.example"].compactMap { HostPattern($0) }
        let container = try await Container(engine: engine, configuration: configuration)
        let session = URLSessionConfiguration.ephemeral
        session.protocolClasses = [SessionNetwork.self]
        container.intercept(session)
        transport.use(URLSession(configuration: session))
        let page = try await open("https://shop.example/", in: container)
        // In document mode the engine loads the scripts itself, and their host does not exist.
        let isDocument = mode == .document
        try await seeInTime(page, "document.title", isDocument ? #""-""# : #""-a.jsb.js""#)
        let urls = ["https://shop.example/", "https://shop.example/a.js", "https://shop.example/b.js?x=1"]
        let expected = isDocument ? Array(urls.prefix(1)) : urls
        try expect(transport.urls.sorted() == expected, "\(transport.urls)")
        let returned = container.counters.returnedRequests
        try expect(returned == expected.count, "\(returned) requests came back")
        await container.shutDown()
    }
}
