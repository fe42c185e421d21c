// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel
public import ResourceLoading

/// Something that happened to a proxy. Kinds are added over time: keep a default when switching.
public enum ProxyEvent: Sendable {
    /// It listens on this port of 127.0.0.1, which the engine has to be told.
    case listening(port: Int)
    /// The system took its listener away, or it could not be made again yet.
    case deaf(reason: String)
    /// A connection was refused.
    case refused(ProxyRefusal)
    /// A connection to there was asked for, and could not be made or opened: the engine was told no more than that.
    case unreachable(HostPort, ResourceError)
}

/// Why a connection to the proxy was refused.
public enum ProxyRefusal: Sendable, Hashable {
    /// It came from a process of another user, by the user's number.
    case otherUser(UInt32)
    /// It did not know the credentials of this launch.
    case credentials
    /// It said nothing in time, or there were too many like it.
    case stranger
    /// There are as many connections as there may be.
    case tooMany
    /// It did not speak HTTP or SOCKS5 as a proxy is spoken to.
    case malformed(String)
}

/// Hears what happens to a proxy and to its requests.
///
/// Isolation: any, and concurrently; told on an event loop, so that it is to be short.
public protocol ProxyObserving: Sendable {
    /// Something happened.
    func happened(_ event: ProxyEvent)
    /// A request has ended.
    func ended(_ exchange: ExchangeReport)
}
