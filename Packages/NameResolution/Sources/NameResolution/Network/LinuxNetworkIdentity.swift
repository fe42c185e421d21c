// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import SystemSupport

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// The network of a Linux device, from the default routes and the hardware address of the gateway.
    package struct LinuxNetworkIdentity: NetworkIdentifying {
        /// Creates a source.
        package init() {}

        /// Reads three small files of /proc/net. A file that cannot be read counts as empty.
        package func currentNetwork() -> NetworkStatus {
            NetworkTables(
                routes: Self.content(of: "/proc/net/route"), ipv6Routes: Self.content(of: "/proc/net/ipv6_route"),
                neighbours: Self.content(of: "/proc/net/arp")
            ).status
        }

        /// Reads a file of /proc, whose status has the size zero, up to one byte more than the limit.
        static func content(of path: String) -> [UInt8] {
            guard let descriptor = try? FileIO.open(path, O_RDONLY) else { return [] }
            defer { close(descriptor) }
            var content: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            while content.count <= NetworkTables.maxBytes {
                let count = buffer.withUnsafeMutableBytes { (try? FileIO.read(into: $0, from: descriptor)) ?? 0 }
                guard count > 0 else { break }
                content += buffer.prefix(count)
            }
            return content
        }
    }
#endif
