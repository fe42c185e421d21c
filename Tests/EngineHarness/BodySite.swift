// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerTesting
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading

/// The server of the matrix of bodies: its page, and a record of what it is sent.
struct BodySite {
    static let host = "forms.example"

    let origin: OriginServer
    let recorder: BodyRecorder

    /// - Parameter folder: the files of the page.
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

    /// A script reads it, and a form's frame shows it.
    private static var answer: OriginResponse {
        OriginResponse(
            headers: [.contentType: "text/html", .cacheControl: "no-store"],
            body: .bytes(.init("recorded".utf8)))
    }

    /// A proxy that leads to the server by the name of its page, for an engine without a container.
    func proxy() async throws -> ForwardProxy {
        try await .leading(to: origin)
    }

    /// The container's network: a real transport, which finds the server by its address.
    func transport() throws -> AddressedTransport {
        try AddressedTransport(to: origin)
    }
}

extension ForwardProxy {
    /// A proxy for which every host is one server.
    static func leading(to origin: OriginServer) async throws -> ForwardProxy {
        var configuration = ForwardProxy.Configuration()
        configuration.route = { [port = origin.port] _ in .loopback(port) }
        return try await ForwardProxy.start(configuration)
    }
}

/// A transport for which every host is one server.
struct AddressedTransport: HTTPTransporting {
    let base: AsyncHTTPTransport
    let authority: String

    init(to origin: OriginServer) throws {
        var settings = AsyncHTTPTransport.Configuration()
        settings.authorities = [try CertificateAuthority(pem: origin.authorityPEM ?? "")]
        base = AsyncHTTPTransport(settings)
        authority = "127.0.0.1:\(origin.port)"
    }

    /// - Parameter port: of a server without TLS on this machine.
    init(toPort port: Int) {
        base = AsyncHTTPTransport(AsyncHTTPTransport.Configuration())
        authority = "127.0.0.1:\(port)"
    }

    var capabilities: TransportCapabilities { base.capabilities }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        var request = request
        request.authority = authority
        return try await base.send(request, body: body)
    }
}
