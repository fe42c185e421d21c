// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import LoopbackServer
internal import WebEngine

/// The port that makes an engine trust the certificates of the loopback proxy or the local server. The engine is not
/// retained.
struct CertificateTrust: CertificateTrusting {
    private let trust: @MainActor @Sendable (EngineCertificate, String) async throws -> Void

    @MainActor
    init(_ engine: some WebEngineDriver) {
        trust = { [weak engine] certificate, host in
            guard let engine else { throw EngineError(.processEnded, "the engine was released") }
            // A URL encloses an IPv6 address in brackets (RFC 3986, section 3.2.2).
            try await engine.networking.trust(certificate, for: host.contains(":") ? "[\(host)]" : host)
        }
    }

    func trust(_ certificate: [UInt8], for host: String) async throws {
        try await trust(EngineCertificate(der: certificate), host)
    }
}
