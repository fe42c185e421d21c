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
        var read: Duration = .seconds(30)
        var write: Duration = .seconds(30)
        var connect: Duration = .seconds(10)
        var events: Duration?
    }

    /// Runs `body` with a transport of this kind, and ends it whatever happens.
    func with<Result: Sendable>(
        _ limits: Limits = Limits(), authorities: [CertificateAuthority] = [],
        addresses: (any AddressResolving)? = nil, _ body: @Sendable (any HTTPTransporting) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .asyncHTTPClient:
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.readTimeout = limits.read
            configuration.writeTimeout = limits.write
            // The limits are not summed there: a short one would only be a matter of the machine's load.
            configuration.connectTimeout = max(limits.connect, .seconds(10))
            configuration.eventStreamTimeout = limits.events
            configuration.authorities = authorities
            configuration.addresses = addresses
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
