// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The sockets of this process.
enum OwnSockets {
    /// Returns a Boolean value that indicates whether this process has the other end of an IPv4 loopback connection.
    ///
    /// The search reads the addresses of all open descriptors, and takes some ten microseconds. Networking of the
    /// system without descriptors is not found.
    static func containPeer(of channel: any Channel) -> Bool {
        guard let near = channel.localAddress?.port, let far = channel.remoteAddress?.port,
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
        else { return false }
        return descriptors.lazy.compactMap { CInt($0) }.contains { descriptor in
            port(of: descriptor, by: getsockname) == far && port(of: descriptor, by: getpeername) == near
        }
    }

    /// Returns the port of an IPv4 socket or of its peer; `nil` for another descriptor.
    private static func port(
        of descriptor: CInt,
        by query: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> Int? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { query(descriptor, $0, &size) }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
