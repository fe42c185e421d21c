// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTransport
import NIOTransport
import ResourceLoading
import Testing
import WebSyntax

/// The transports of the conformance suite.
enum Subject: String, CaseIterable, CustomTestStringConvertible {
    case asyncHTTPClient
    case urlSession

    var testDescription: String { rawValue }

    /// The transports that accept the test's certificate authorities, so that tests with TLS can run.
    static let withAuthorities: [Subject] = [.asyncHTTPClient]

    /// The limits and other options of a transport under test.
    struct Limits {
        var read: Duration?
        var write: Duration?
        var connect: Duration = .seconds(10)
        var events: Duration?
        /// The interval of PING frames, for transports that support HTTP/2.
        var ping: Duration? = .seconds(30)
        /// The trusted certificate authorities, for transports that support them.
        var authorities: [CertificateAuthority] = []
        /// The resolver of host names, for transports that support one.
        var addresses: (any AddressResolving)?
    }

    /// The limits for silence and for the time in the queue in a default configuration.
    var defaultLimits: [Duration?] {
        switch self {
        case .asyncHTTPClient:
            let configuration = AsyncHTTPTransport.Configuration()
            return [
                configuration.readTimeout, configuration.writeTimeout, configuration.eventStreamTimeout,
                configuration.lineTimeout,
            ]
        case .urlSession:
            let configuration = URLSessionTransport.Configuration()
            return [
                configuration.readTimeout, configuration.writeTimeout, configuration.eventStreamTimeout,
                configuration.lineTimeout,
            ]
        }
    }

    /// Runs `body` with a transport of this kind, and shuts the transport down afterwards, also if `body` throws.
    func with<Result: Sendable>(
        _ limits: Limits = Limits(), _ body: @Sendable (any HTTPTransporting) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .asyncHTTPClient:
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.readTimeout = limits.read
            configuration.writeTimeout = limits.write
            // This transport does not add the limits. With a short connect timeout, tests would depend on the load of
            // the machine.
            configuration.connectTimeout = max(limits.connect, .seconds(10))
            configuration.eventStreamTimeout = limits.events
            configuration.pingInterval = limits.ping
            configuration.authorities = limits.authorities
            configuration.addresses = limits.addresses
            return try await withTransport(configuration) { try await body($0) }
        case .urlSession:
            var configuration = URLSessionTransport.Configuration()
            configuration.readTimeout = limits.read
            configuration.writeTimeout = limits.write
            configuration.connectTimeout = limits.connect
            configuration.eventStreamTimeout = limits.events
            let transport = URLSessionTransport(configuration)
            defer { transport.shutDown() }
            return try await body(transport)
        }
    }
}
