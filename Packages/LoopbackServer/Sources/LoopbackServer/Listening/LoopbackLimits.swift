// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a server on loopback takes at most. Whatever is beyond is refused, and told as an event.
public struct LoopbackLimits: Sendable, Hashable {
    /// Connections at a time; 1,024 by default.
    public var connections = 1_024
    /// Of these, such as have not said who they are; 512 by default. For one more the oldest goes. An engine makes a
    /// connection for each host at once, so that few would shut it out.
    public var unidentifiedPeers = 512
    /// How long a connection may take to say who it is, or at the local server for which site it is; 5 s by default.
    public var introduction = Duration.seconds(5)
    /// Bytes of a request's header fields; 256 KiB by default. One field may take 80 KiB.
    public var headBytes = 256 << 10
    /// Header fields of a request; 256 by default.
    public var headFields = 256
    /// How long a connection may be idle between two requests, or once it has said who it is; 120 s by default.
    public var idle = Duration.seconds(120)
    /// How long the engine may take for the next part of a request, or of a TLS handshake; 60 s by default.
    public var patience = Duration.seconds(60)
    /// The longest wait for a connection to a host, and then for TLS with it; 30 s by default. A response has no limit.
    public var connect = Duration.seconds(30)
    /// How long nothing may pass through a tunnel that is to end, until it does; 30 s by default.
    public var rest = Duration.seconds(30)
    /// Hosts whose certificates are kept; 512 by default.
    public var hosts = 512
    /// How long requests in flight may take to end when the server stops; 5 s by default.
    public var grace = Duration.seconds(5)

    /// The defaults.
    public init() {}
}
