// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTransport
import ResourceLoading
import Testing

/// The transports that the conformance suite holds to the same rules.
enum Subject: String, CaseIterable, CustomTestStringConvertible {
    case asyncHTTPClient
    case urlSession

    var testDescription: String { rawValue }

    /// The transports that take authorities of the test, so that tests with TLS can run.
    static let withAuthorities: [Subject] = [.asyncHTTPClient]

    /// Limits that a test may make small.
    struct Limits {
        var read: Duration?
        var write: Duration?
        var connect: Duration = .seconds(10)
        var events: Duration?
        /// The interval of PING frames, for transports that speak HTTP/2.
        var ping: Duration? = .seconds(30)
        /// Authorities that are trusted, for transports that can.
        var authorities: [CertificateAuthority] = []
        /// The addresses of names, for transports that can.
        var addresses: (any AddressResolving)?
    }

    /// The limits for silence, and for the wait in line, of a configuration that nobody has changed.
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

    /// Runs `body` with a transport of this kind, and ends it whatever happens.
    func with<Result: Sendable>(
        _ limits: Limits = Limits(), _ body: @Sendable (any HTTPTransporting) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .asyncHTTPClient:
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.readTimeout = limits.read
            configuration.writeTimeout = limits.write
            // The limits are not summed there: a short one would only be a matter of the machine's load.
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
