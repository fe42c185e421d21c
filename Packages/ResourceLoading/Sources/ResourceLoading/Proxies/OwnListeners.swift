// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import WebSyntax

/// The loopback ports of the listeners of all containers of this process.
///
/// A request that a container sends to one of them would come back to a container. The ports are those of the process,
/// because a loop can lead through several containers, and because no container knows the others.
///
/// Isolation: any.
@_spi(Facade) public enum OwnListeners {
    /// The number of listeners by port. A listener that the system has closed is removed late, when another one may
    /// already have its port.
    private static let ports = Mutex<[Int: Int]>([:])

    /// Adds the port of a listener that listens now.
    public static func insert(_ port: Int) { ports.withLock { $0[port, default: 0] += 1 } }

    /// Removes the port of a listener that was added.
    public static func remove(_ port: Int) {
        ports.withLock { ports in
            guard let count = ports[port] else { return }
            ports[port] = count > 1 ? count - 1 : nil
        }
    }

    /// Returns a Boolean value that indicates whether a listener has the loopback port.
    public static func contains(port: Int) -> Bool { ports.withLock { $0[port] != nil } }

    /// Returns a Boolean value that indicates whether the host is a loopback name or address with the port of a
    /// listener.
    public static func contains(_ host: HostPort) -> Bool { host.isLoopback && contains(port: host.port) }
}
