// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@testable import ContainerTesting

/// Runs `body` with a server, and stops the server afterwards, also if `body` throws.
func withOrigin<Result: Sendable>(
    _ configuration: OriginServer.Configuration, _ body: @Sendable (OriginServer) async throws -> Result
) async throws -> Result {
    let server = try await OriginServer.start(configuration)
    do {
        let result = try await body(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

/// Runs `body` with a forward proxy, and stops the proxy afterwards, also if `body` throws.
func withProxy<Result: Sendable>(
    _ configuration: ForwardProxy.Configuration = .init(),
    _ body: @Sendable (ForwardProxy) async throws -> Result
) async throws -> Result {
    let proxy = try await ForwardProxy.start(configuration)
    do {
        let result = try await body(proxy)
        await proxy.stop()
        return result
    } catch {
        await proxy.stop()
        throw error
    }
}
