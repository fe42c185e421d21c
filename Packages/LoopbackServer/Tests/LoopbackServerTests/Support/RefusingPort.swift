// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import NIOCore

/// A port of loopback that is taken and where nobody listens: connections are refused, and no other server can come.
final class RefusingPort: Sendable {
    let number: Int
    private let descriptor: CInt

    init() throws {
        #if os(Linux)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        self.descriptor = descriptor
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = try SocketAddress(ipAddress: "127.0.0.1", port: 0).withSockAddr { address, _ in
            bind(descriptor, address, size)
        }
        var name = sockaddr_in()
        let named = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        number = Int(UInt16(bigEndian: name.sin_port))
        guard bound == 0, named == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
    }

    deinit {
        close(descriptor)
    }
}
