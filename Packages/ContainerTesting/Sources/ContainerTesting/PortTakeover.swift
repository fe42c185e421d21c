// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A helper that takes the port of a listener of this process without notifying its event loop. The listener's
/// descriptor becomes an idle socket, and another socket listens on the port.
///
/// Isolation: any.
public final class PortTakeover: Sendable {
    /// The port of 127.0.0.1 that was taken.
    public let port: Int
    private let descriptor: CInt

    /// Takes a port.
    /// - Throws: `IOError`, with code `ENOENT` if this process does not listen on the port.
    public init(of port: Int) throws {
        self.port = port
        guard let victim = Self.listener(at: port) else { throw IOError(errnoCode: ENOENT, reason: "no listener") }
        #if os(Linux)
            let stream = CInt(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        // Replaces the listener with a socket that neither listens nor is connected. This closes the listener.
        let blank = socket(AF_INET, stream, 0)
        guard dup2(blank, victim) == victim else { throw IOError(errnoCode: errno, reason: "dup2") }
        close(blank)
        descriptor = socket(AF_INET, stream, 0)
        var (on, size) = (CInt(1), socklen_t(MemoryLayout<CInt>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = try SocketAddress(ipAddress: "127.0.0.1", port: port).withSockAddr { [descriptor] address, _ in
            bind(descriptor, address, size)
        }
        guard isBound == 0, listen(descriptor, 16) == 0 else {
            let reason = errno
            close(descriptor)
            throw IOError(errnoCode: reason, reason: "bind")
        }
    }

    /// Releases the port.
    public func release() {
        close(descriptor)
    }

    /// Returns the descriptor of this process that listens on a port of 127.0.0.1, or `nil`.
    public static func listener(at port: Int) -> CInt? {
        sockets(at: port).first { descriptor in
            var (value, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
            return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value == 1
        }
    }

    /// Returns the descriptors of this process that are bound to an IPv4 port: the listener and its accepted
    /// connections.
    public static func sockets(at port: Int) -> [CInt] {
        (3..<CInt(4_096)).filter { descriptor in
            var name = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let named = withUnsafeMutablePointer(to: &name) { name in
                name.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            }
            return named == 0 && CInt(name.sin_family) == AF_INET && Int(UInt16(bigEndian: name.sin_port)) == port
        }
    }
}
