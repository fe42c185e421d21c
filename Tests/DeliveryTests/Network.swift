// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import NIOTransport
import ResourceLoading

@testable import OfflinePackage

/// A server on loopback and a transport for requests to the server.
struct Network: Sendable {
    let server: OriginServer
    let transport: AsyncHTTPTransport

    var loader: any ResourceLoader { NetworkLoader(transport) }

    /// Runs `body` with a running server.
    static func run<Value>(
        _ configuration: OriginServer.Configuration, _ body: (Network) async throws -> Value
    ) async throws -> Value {
        let network = Network(server: try await .start(configuration), transport: AsyncHTTPTransport())
        do {
            let value = try await body(network)
            try await network.transport.shutDown()
            await network.server.stop()
            return value
        } catch {
            try? await network.transport.shutDown()
            await network.server.stop()
            throw error
        }
    }

    static func run<Value>(_ file: OriginFile, _ body: (Network) async throws -> Value) async throws -> Value {
        try await run(OriginServer.Configuration(routes: [try file.route("/a.zip")]), body)
    }
}

/// Returns a configuration with immediate retries and deterministic jitter.
func promptly() -> PackageUpdater.Configuration.Downloads {
    var configuration = PackageUpdater.Configuration.Downloads()
    configuration.retry.firstWait = .zero
    configuration.reserve = 0
    return configuration
}

/// Returns deterministic text for a seed, which compresses to about half.
func text(_ count: Int, seed: UInt64) -> Data {
    var state = seed
    var data = Data(capacity: count)
    while data.count < count {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        data.append(contentsOf: String(state >> 24, radix: 16).utf8)
    }
    return data.prefix(count)
}
