// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Has the engine trust the certificates that the proxy shows it.
///
/// Isolation: any, and concurrently.
public protocol CertificateTrusting: Sendable {
    /// Has the engine trust exactly this certificate (X.509, DER) for exactly this host. In effect for connections that
    /// begin after the return, wherever in the engine: the proxy does not let one begin before.
    /// - Throws: any error: the host is not opened then.
    func trust(_ certificate: [UInt8], for host: String) async throws
}
