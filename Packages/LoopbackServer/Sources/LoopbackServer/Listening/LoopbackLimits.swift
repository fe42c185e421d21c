// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The limits of a loopback server. Connections and requests beyond a limit are refused and reported as events.
public struct LoopbackLimits: Sendable, Hashable {
    /// The limit of open connections; 1,024 by default.
    public var connections = 1_024
    /// The limit of connections that have not identified themselves; 512 by default. Above it, the oldest is closed.
    ///
    /// An engine opens connections to many hosts at once. A low limit would close some of them.
    public var unidentifiedPeers = 512
    /// The time limit for a connection to identify itself, or its site at the local server; 5 s by default.
    public var introduction = Duration.seconds(5)
    /// The time limit for idle connections, between requests or after authentication; 120 s by default.
    public var idle = Duration.seconds(120)
    /// The time limit for the next part of a request or of a TLS handshake from the engine; 60 s by default.
    public var patience = Duration.seconds(60)
    /// The time limit for a connection to a host, and again for its TLS handshake; 30 s by default. Responses have no
    /// limit.
    public var connect = Duration.seconds(30)
    /// The time without data after which a tunnel that should end is closed; 30 s by default.
    public var rest = Duration.seconds(30)
    /// The limit of hosts whose certificates are cached, and of sites of the local server; 512 by default.
    public var hosts = 512
    /// The time limit for requests in progress when the server stops; 5 s by default.
    public var grace = Duration.seconds(5)

    /// Creates limits with the default values.
    public init() {}
}
