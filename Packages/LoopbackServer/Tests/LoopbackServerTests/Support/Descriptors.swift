// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import NIOCore

/// Looks into this process's own descriptors, as a system does that takes them away.
enum Descriptors {
    /// The one that listens on a port of 127.0.0.1.
    static func listening(at port: Int) -> CInt? {
        (3..<CInt(4_096)).first { descriptor in
            var (value, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
            guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0, value == 1 else {
                return false
            }
            var name = sockaddr_in()
            var nameSize = socklen_t(MemoryLayout<sockaddr_in>.size)
            let named = withUnsafeMutablePointer(to: &name) { name in
                name.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &nameSize) }
            }
            return named == 0 && Int(UInt16(bigEndian: name.sin_port)) == port
        }
    }
}

/// Takes the port of a listener away without its owner's event loop being told: the listener's descriptor becomes one
/// that nothing comes of, and somebody else listens on the port.
final class Thief: Sendable {
    private let descriptor: CInt

    init(of port: Int) throws {
        guard let victim = Descriptors.listening(at: port) else { throw Overdue(description: "no listener at \(port)") }
        #if os(Linux)
            let stream = CInt(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        // A socket that neither listens nor is connected takes the place of the listener, which is closed by that.
        let blank = socket(AF_INET, stream, 0)
        guard dup2(blank, victim) == victim else { throw IOError(errnoCode: errno, reason: "dup2") }
        close(blank)
        descriptor = socket(AF_INET, stream, 0)
        var (on, size) = (CInt(1), socklen_t(MemoryLayout<CInt>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = try SocketAddress(ipAddress: "127.0.0.1", port: port).withSockAddr { address, _ in
            bind(descriptor, address, size)
        }
        guard isBound == 0, listen(descriptor, 16) == 0 else {
            let reason = errno
            close(descriptor)
            throw IOError(errnoCode: reason, reason: "bind")
        }
    }

    func release() {
        close(descriptor)
    }
}
