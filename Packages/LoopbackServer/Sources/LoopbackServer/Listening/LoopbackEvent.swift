// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading
public import WebSyntax

/// An event of a loopback server. Cases may be added: use a default when switching.
public enum LoopbackEvent: Sendable {
    /// The server listens on this port of 127.0.0.1. The app must configure the engine with the port.
    case listening(port: Int)
    /// Another program uses the preferred port, so the server listens on another port. For the local server, whose port
    /// is part of the origin, pages then have a new origin.
    case portTaken(Int)
    /// The system closed the listener, or an attempt to listen again failed.
    case deaf(reason: String)
    /// The system does not report the user of connecting processes, so processes of other users are not refused. The
    /// credentials or the token of the launch are still required. The event is sent once per listener, with its first
    /// connection.
    case peersUnchecked(reason: String)
    /// A connection or a request was refused.
    case refused(LoopbackRefusal)
    /// The engine completed a TLS handshake for a host, and its next request to the host can use the connection.
    case connected(HostPort)
    /// The engine does not send all requests through the proxy with its credentials, for this reason in one line. Pages
    /// open in another mode than `loopbackProxy`. The event is not sent by the proxy itself.
    case unproven(reason: String)
    /// A requested connection failed or could not be intercepted. The engine receives no details. Its
    /// request had the credentials or the token of the launch.
    case unreachable(HostPort, ResourceError)
}

/// The reason that a connection or a request was refused.
public enum LoopbackRefusal: Sendable, Hashable {
    /// The connecting process belongs to another user, with this user ID.
    case otherUser(UInt32)
    /// The credentials or the token of the launch are missing or wrong.
    case credentials
    /// The connection did not identify itself in time, or too many connections that have not identified themselves were
    /// open.
    case unidentified
    /// The limit of connections was reached.
    case tooMany
    /// The requested site is not served. The value is the requested name, or empty.
    case unknownSite(String)
    /// A page of this origin requested a resource of another site.
    case foreignOrigin(String)
    /// A session of this process sent a request of the container itself, with this URL, back to the container. It is
    /// answered with status 508 (RFC 5842, section 7.2).
    case returned(String)
    /// The request violates the protocol of the server or the proxy.
    case malformed(String)
}

/// An observer of a loopback server and its requests.
///
/// Isolation: methods may be called from any isolation and concurrently. They are called on an event loop and must
/// not block.
public protocol LoopbackObserving: Sendable {
    /// Receives an event.
    func happened(_ event: LoopbackEvent)
    /// Receives the report of a request that has ended.
    func ended(_ exchange: ExchangeReport)
}
