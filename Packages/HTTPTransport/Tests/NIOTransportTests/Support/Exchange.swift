// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import NIOTransport
import ResourceLoading
import Testing

/// Runs `body` with an origin and a transport, and shuts both down afterwards, also if `body` throws.
func withOrigin<Result: Sendable>(
    _ routes: [OriginRoute] = [], faults: String? = nil, tls: Bool = false,
    transport configuration: AsyncHTTPTransport.Configuration = .init(),
    _ body: @Sendable (OriginServer, AsyncHTTPTransport) async throws -> Result
) async throws -> Result {
    var settings = OriginServer.Configuration(routes: routes)
    settings.faults = try faults.map(Fault.parse) ?? []
    settings.usesTLS = tls
    let server = try await OriginServer.start(settings)
    do {
        let result = try await withTransport(configuration) { transport in try await body(server, transport) }
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

/// Runs `body` with a transport, and shuts it down afterwards, also if `body` throws.
func withTransport<Result: Sendable>(
    _ configuration: AsyncHTTPTransport.Configuration = .init(),
    _ body: @Sendable (AsyncHTTPTransport) async throws -> Result
) async throws -> Result {
    let transport = AsyncHTTPTransport(configuration)
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body(transport))
    } catch {
        result = .failure(error)
    }
    try await transport.shutDown()
    return try result.get()
}

/// Creates a route from the text of its path.
func route(
    _ method: HTTPRequest.Method = .get, _ path: String,
    _ answer: @escaping @Sendable (OriginRequest) async throws -> OriginResponse
) throws -> OriginRoute {
    OriginRoute(method, try #require(OriginPathPattern(path)), answer: answer)
}

extension HTTPTransporting {
    func send(
        _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], body: ResourceBody = .empty
    ) async throws -> TransportResponse {
        try await send(
            try #require(HTTPRequest(method: method, urlText: url, headerFields: fields)), body: body)
    }

    /// Returns the complete body of a response.
    func get(_ url: String) async throws -> Data {
        try await send(url).body.collect(upTo: 256 << 20)
    }
}

/// Expects a `ResourceError` with a code and the URL as its location.
func expectFailure<Value>(
    _ code: ResourceError.Code, at url: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async {
    await #expect(sourceLocation: sourceLocation) {
        _ = try await body()
    } throws: { error in
        guard let error = error as? ResourceError else { return false }
        return error.code == code && (url == nil || error.location == url) && !error.message.contains("\n")
    }
}
