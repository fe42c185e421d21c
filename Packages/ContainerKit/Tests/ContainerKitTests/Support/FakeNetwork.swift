// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTransport
import HTTPTypes
import ResourceLoading
import WebSyntax

/// A network that records every request, and responds with the URL of the request.
///
/// Paths that begin with `/to/` are redirects to the rest of the path, which every origin may read. `/endless` never
/// gets a response, and `/held` gets a response on demand. `/gone.js` does not exist, and `/refused` has an untrusted
/// certificate. Files that a test adds are served.
final class FakeNetwork: HTTPTransporting {
    let requests = Mutex<[HTTPRequest]>([])
    /// The bodies of the requests that are completely in memory.
    let bodies = Mutex<[Data]>([])
    private let files = Mutex<[String: (body: ResourceBody, fields: HTTPFields)]>([:])
    /// One element for each endless request that was cancelled.
    let endings: AsyncStream<Void>
    private let ends: AsyncStream<Void>.Continuation
    /// One element for each request for `/held` that has arrived.
    let holds: AsyncStream<Void>
    private let hold: AsyncStream<Void>.Continuation
    private let releases: AsyncStream<Void>
    private let release: AsyncStream<Void>.Continuation
    let capabilities: TransportCapabilities
    let authorities: [CertificateAuthority]
    /// The URLs of the requests that were sent as background transfers.
    let backgroundURLs = Mutex<[String]>([])
    /// The proxies of the system that the network has received.
    let proxies = Mutex<SystemProxies?>(nil)
    /// The resolver of host names that the network has received.
    let addresses = Mutex<(any AddressResolving)?>(nil)

    init(_ capabilities: TransportCapabilities = .decodes, authorities: [CertificateAuthority] = []) {
        self.capabilities = capabilities
        self.authorities = authorities
        (endings, ends) = AsyncStream.makeStream()
        (holds, hold) = AsyncStream.makeStream()
        (releases, release) = AsyncStream.makeStream()
    }

    /// Sends the response to one request for `/held`.
    func answerHeld() { release.yield() }

    /// The URLs of the requests.
    var urls: [String] { requests.withLock { $0.map(\.urlText) } }

    /// Serves a URL with a body from now on.
    func put(_ body: ResourceBody, at url: String, _ fields: HTTPFields = [:]) {
        files.withLock { $0[url] = (body, fields) }
    }

    func useSystemProxies(_ proxies: SystemProxies) { self.proxies.withLock { $0 = proxies } }

    func useAddresses(_ addresses: any AddressResolving) { self.addresses.withLock { $0 = addresses } }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        requests.withLock { $0.append(request) }
        if BackgroundTransfer.isCurrent { backgroundURLs.withLock { $0.append(request.urlText) } }
        if case .bytes(let bytes) = body { bodies.withLock { $0.append(bytes) } }
        if request.path == "/held" {
            hold.yield()
            for await _ in releases { break }
        }
        if request.path == "/refused" {
            throw ResourceError(.tls, "the certificate is not trusted", at: request.urlText)
        }
        if let file = files.withLock({ $0[request.urlText] }) {
            let tag = file.fields[.eTag]
            if let tag, request.headerFields[.ifNoneMatch] == tag {
                return TransportResponse(
                    head: HTTPResponse(status: .notModified, headerFields: file.fields), body: .empty)
            }
            return TransportResponse(head: HTTPResponse(status: .ok, headerFields: file.fields), body: file.body)
        }
        if request.path == "/gone.js" { return TransportResponse(head: HTTPResponse(status: .notFound), body: .empty) }
        if request.path == "/endless" {
            defer { ends.yield() }
            for await _ in AsyncStream<Void>.makeStream().stream {}
            try Task.checkCancellation()
        }
        if let path = request.path, path.hasPrefix("/to/") {
            return TransportResponse(
                head: HTTPResponse(
                    status: .found,
                    headerFields: [.location: String(path.dropFirst(4)), .accessControlAllowOrigin: "*"]),
                body: .empty)
        }
        return TransportResponse(
            head: HTTPResponse(status: .ok), body: .bytes(Data("network \(request.urlText)".utf8)))
    }
}
