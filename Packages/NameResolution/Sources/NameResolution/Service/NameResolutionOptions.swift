// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The options of resolving names over HTTPS.
public struct NameResolutionOptions: Sendable {
    /// The servers in the order in which they are asked; at most 8, others are ignored.
    public var servers: [NameServer]
    /// The order of the resolvers for each host, and the hosts that are on the public internet. By default the system
    /// is asked first, and the servers if it fails.
    public var rules = ResolutionRules()
    /// The hosts of pages, which are resolved when the page opens; none by default.
    public var pages: [PageHosts] = []
    /// The identity of the network. Answers are stored on disk for an identified network only, and are valid in it
    /// only. By default the gateway of the default route on Linux, and none elsewhere.
    public var network: (any NetworkIdentifying)?

    /// Creates options.
    public init(servers: [NameServer]) {
        self.servers = servers
        #if os(Linux)
            network = LinuxNetworkIdentity()
        #endif
    }
}
