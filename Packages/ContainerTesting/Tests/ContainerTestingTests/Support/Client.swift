// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Runs `body` with a new client.
func withClient<Result: Sendable>(
    proxy: Int? = nil, trusting authorityPEM: String? = nil,
    _ body: @Sendable (HTTPClient) async throws -> Result
) async throws -> Result {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout = .init(connect: .seconds(10), read: .seconds(30))
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.proxy = proxy.map { .server(host: "127.0.0.1", port: $0) }
    if let authorityPEM {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(authorityPEM.utf8), format: .pem)])
        configuration.tlsConfiguration = tls
    }
    let client = HTTPClient(
        eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body(client))
    } catch {
        result = .failure(error)
    }
    try? await client.shutdown()
    return try result.get()
}

/// A response with its complete body.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
}

extension HTTPClient {
    func sendRequest(
        _ url: String, _ method: HTTPMethod = .GET, headers: HTTPHeaders = [:], body: [UInt8]? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers = headers
        request.body = body.map { .bytes($0) }
        let response = try await execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 16 * 1_048_576)
        return Answer(
            status: Int(response.status.code), headers: response.headers, body: Array(bytes.readableBytesView))
    }
}
