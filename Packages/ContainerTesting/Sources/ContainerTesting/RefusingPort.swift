// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A bound port on loopback without a listener. While this object exists, connections to it are refused, and no other
/// server can use it.
///
/// Isolation: any.
public final class RefusingPort: Sendable {
    /// The port of 127.0.0.1.
    public let number: Int
    private let descriptor: CInt

    /// The URL of the port with scheme `http` and a trailing slash.
    public var url: String { "http://127.0.0.1:\(number)/" }

    /// Binds a free port.
    /// - Throws: ``ContainerTestingError`` with code `cannotListen`.
    public init() throws {
        #if os(Linux)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        self.descriptor = descriptor
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var loopback = sockaddr_in()
        loopback.sin_family = sa_family_t(AF_INET)
        loopback.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &loopback) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        var name = sockaddr_in()
        let named = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        number = Int(UInt16(bigEndian: name.sin_port))
        guard bound == 0, named == 0 else {
            throw ContainerTestingError(.cannotListen, "cannot bind a port: \(SystemError.lastReason)")
        }
    }

    deinit {
        close(descriptor)
    }
}
