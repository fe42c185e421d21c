// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel
public import ResourceLoading

/// Something that happened to a server on loopback. Kinds are added over time: keep a default when switching.
public enum LoopbackEvent: Sendable {
    /// It listens on this port of 127.0.0.1, which the engine has to be told.
    case listening(port: Int)
    /// Another program has the port that it had, or was to have: it listens on another one. Pages at the old one have lost
    /// their origin, where the port is part of it.
    case portTaken(Int)
    /// The system took its listener away, or it could not be made again yet.
    case deaf(reason: String)
    /// The system does not show which user's process is at the other end of connections, so that processes of other users
    /// are not refused for that reason. The credentials of the launch, or its token, are required as ever. Sent once for
    /// each listener, with its first connection.
    case peersUnchecked(reason: String)
    /// A connection was refused.
    case refused(LoopbackRefusal)
    /// The engine has made TLS with the server in a host's place: its next request there waits for no connection.
    case connected(HostPort)
    /// A connection to there was asked for, and could not be made or opened: the engine was told no more than that.
    case unreachable(HostPort, ResourceError)
}

/// Why a connection or a request was refused.
public enum LoopbackRefusal: Sendable, Hashable {
    /// It came from a process of another user, by the user's number.
    case otherUser(UInt32)
    /// It did not know the credentials of this launch, or its token.
    case credentials
    /// It said nothing in time, or there were too many like it.
    case unidentified
    /// There are as many connections as there may be.
    case tooMany
    /// It was for no site that is served, by the name it asked for; empty for none.
    case unknownSite(String)
    /// A page of this origin asked for something of another site.
    case foreignOrigin(String)
    /// It did not speak as a server or a proxy is spoken to.
    case malformed(String)
}

/// Hears what happens to a server on loopback and to its requests.
///
/// Isolation: any, and concurrently; told on an event loop, so that it is to be short.
public protocol LoopbackObserving: Sendable {
    /// Something happened.
    func happened(_ event: LoopbackEvent)
    /// A request has ended.
    func ended(_ exchange: ExchangeReport)
}
