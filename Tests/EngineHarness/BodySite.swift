// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerTesting
internal import HTTPTransport
internal import HTTPTypes
internal import NIOTransport
internal import ResourceLoading

/// The server of the body matrix: its page, and a record of received bodies.
struct BodySite {
    static let host = "forms.example"

    let origin: OriginServer
    let recorder: BodyRecorder

    /// Starts the server.
    /// - Parameter folder: The folder of the page's files.
    static func start(folder: String) async throws -> BodySite {
        guard let record = OriginPathPattern("/record/*"), let arrived = OriginPathPattern("/arrived/*") else {
            throw CheckFailure(description: "not a pattern")
        }
        let recorder = BodyRecorder()
        var routes: [OriginRoute] = [.get, .post, .put, .patch, .delete].map { method in
            OriginRoute(method, record) { request in
                recorder.record(request)
                return answer
            }
        }
        routes.append(
            OriginRoute(.get, arrived) { request in
                await recorder.arrival(of: request)
                return answer
            })
        var configuration = OriginServer.Configuration(folder: folder, routes: routes)
        configuration.usesTLS = true
        return BodySite(origin: try await OriginServer.start(configuration), recorder: recorder)
    }

    /// The response that a script reads and a form's frame shows.
    private static var answer: OriginResponse {
        OriginResponse(
            headers: [.contentType: "text/html", .cacheControl: "no-store"],
            body: .bytes(.init("recorded".utf8)))
    }

    /// Returns a proxy that connects the page's host to the server, for an engine without a container.
    func proxy() async throws -> ForwardProxy {
        try await .leading(to: origin)
    }

    /// Returns the transport of the container. It sends the requests for every host to the server.
    func transport() throws -> AddressedTransport {
        try AddressedTransport(to: origin)
    }
}

extension ForwardProxy {
    /// Starts a proxy that connects every host to one server.
    static func leading(to origin: OriginServer) async throws -> ForwardProxy {
        var configuration = ForwardProxy.Configuration()
        configuration.route = { [port = origin.port] _ in .loopback(port) }
        return try await ForwardProxy.start(configuration)
    }
}

/// A transport that sends requests for every host to one server.
struct AddressedTransport: HTTPTransporting {
    let base: AsyncHTTPTransport
    let authority: String

    init(to origin: OriginServer) throws {
        var settings = AsyncHTTPTransport.Configuration()
        settings.authorities = [try CertificateAuthority(pem: origin.authorityPEM ?? "")]
        base = AsyncHTTPTransport(settings)
        authority = "127.0.0.1:\(origin.port)"
    }

    /// Creates a transport.
    /// - Parameter port: The port of a server without TLS on loopback.
    init(toPort port: Int) {
        base = AsyncHTTPTransport(AsyncHTTPTransport.Configuration())
        authority = "127.0.0.1:\(port)"
    }

    var capabilities: TransportCapabilities { base.capabilities }
    var authorities: [CertificateAuthority] { base.authorities }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        var request = request
        request.authority = authority
        return try await base.send(request, body: body)
    }
}
