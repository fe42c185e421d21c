// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A source of the identity of the network that a device uses.
public protocol NetworkIdentifying: Sendable {
    /// Returns the current network. Reads files or asks the system, so that it is called on a queue that may block.
    func currentNetwork() -> NetworkStatus
}

/// The network that a device uses at a moment.
public struct NetworkStatus: Sendable, Hashable {
    /// The identity; `nil` if it is unknown.
    public var identity: NetworkIdentity?
    /// A Boolean value that indicates whether the network has a default route for IPv6 and none for IPv4, so that IPv4
    /// servers are reached by NAT64 if at all.
    public var isIPv6Only: Bool

    /// Creates a value.
    public init(identity: NetworkIdentity?, isIPv6Only: Bool = false) {
        self.identity = identity
        self.isIPv6Only = isIPv6Only
    }
}

/// The network that a device uses, for example its default route and gateway. Answers are valid in one network only.
public struct NetworkIdentity: Sendable, Hashable, Codable {
    /// The maximum number of bytes of a name.
    static let maxBytes = 256

    /// The text that distinguishes networks.
    public let name: String

    /// Creates an identity.
    /// - Parameter name: a text that distinguishes networks, of at most 256 bytes; a longer one is cut.
    public init(name: String) {
        self.name = String(Substring(name.utf8.prefix(Self.maxBytes)))
    }
}
