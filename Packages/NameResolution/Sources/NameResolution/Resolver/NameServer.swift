// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A server that resolves names for a ``NameResolver``.
public enum NameServer: Sendable {
    /// The method of requests of DNS over HTTPS (RFC 8484, section 4.1).
    public enum Method: String, Sendable {
        /// The query is in the URL, so that HTTP caches can store the answer.
        case get
        /// The query is the body.
        case post
    }

    /// DNS over HTTPS.
    case doh(ResolverServer, method: Method = .get)
    /// HTTPDNS.
    case httpDNS(any HTTPDNSDialect)

    /// The server.
    package var server: ResolverServer {
        switch self {
        case .doh(let server, _): server
        case .httpDNS(let dialect): dialect.server
        }
    }
}
