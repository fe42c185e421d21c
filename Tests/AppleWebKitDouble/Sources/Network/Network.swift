// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import FoundationNetworking

// network/nwendpoint
public enum NWEndpoint: Sendable, Hashable {
    // network/nwendpoint/hostport(host:port:)
    case hostPort(host: Host, port: Port)

    // network/nwendpoint/host
    public enum Host: Sendable, Hashable, ExpressibleByStringLiteral {
        // network/nwendpoint/host/name(_:_:), without its interface
        case name(String)

        // network/nwendpoint/host/init(_:)
        public init(_ string: String) { self = .name(string) }
        // network/nwendpoint/host/init(stringliteral:)
        public init(stringLiteral: String) { self = .name(stringLiteral) }
    }

    // network/nwendpoint/port
    public struct Port: Sendable, Hashable, RawRepresentable, ExpressibleByIntegerLiteral {
        // network/nwendpoint/port/rawvalue-swift.property
        public let rawValue: UInt16

        // network/nwendpoint/port/init(rawvalue:)
        public init?(rawValue: UInt16) { self.rawValue = rawValue }
        // network/nwendpoint/port/init(integerliteral:)
        public init(integerLiteral: UInt16) { rawValue = integerLiteral }
    }
}

// network/ipv6address. Its name only, so that a use of another type with this name is ambiguous here too.
public struct IPv6Address: Sendable, Hashable {}
// network/ipaddress. Its name only, for the same reason.
public protocol IPAddress {
}

// network/nwparameters, without connections
public final class NWParameters {
    // network/nwparameters/privacycontext
    public final class PrivacyContext: Sendable {
        // network/nwparameters/privacycontext/resolverconfiguration
        public enum ResolverConfiguration: Sendable {
            // network/nwparameters/privacycontext/resolverconfiguration/https(_:serveraddresses:)
            case https(URL, serverAddresses: [NWEndpoint])
        }

        // network/nwparameters/privacycontext/default
        public static let `default` = PrivacyContext()
        // network/nwparameters/privacycontext/requireencryptednameresolution(_:fallbackresolver:)
        public func requireEncryptedNameResolution(
            _ requireEncryption: Bool, fallbackResolver: ResolverConfiguration?
        ) {}
    }
}

// network/nwprotocoltls
public enum NWProtocolTLS {
    // network/nwprotocoltls/options
    public final class Options: Sendable {
        // network/nwprotocoltls/options/init()
        public init() {}
    }
}

// network/proxyconfiguration
//
// A value that wraps a reference, as the documented method without `mutating` requires. Believed: a copy shares the
// credential. A device shows it by a copy that is changed later.
public struct ProxyConfiguration {
    @_spi(Driver) public enum Kind: Sendable { case socks5, httpCONNECT }
    private final class Credential { var value: (username: String, password: String)? }
    @_spi(Driver) public let kind: Kind
    @_spi(Driver) public let endpoint: NWEndpoint
    private let storage = Credential()

    // network/proxyconfiguration/init(socksv5proxy:)
    public init(socksv5Proxy endpoint: NWEndpoint) { (kind, self.endpoint) = (.socks5, endpoint) }
    // network/proxyconfiguration/init(httpconnectproxy:tlsoptions:)
    public init(httpCONNECTProxy endpoint: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) {
        (kind, self.endpoint) = (.httpCONNECT, endpoint)
    }
    // network/proxyconfiguration/applycredential(username:password:)
    public func applyCredential(username: String, password: String) { storage.value = (username, password) }
    // network/proxyconfiguration/excludeddomains
    public var excludedDomains: [String] = []
    // network/proxyconfiguration/matchdomains
    public var matchDomains: [String] = []
    // network/proxyconfiguration/allowfailover
    public var allowFailover = false

    @_spi(Driver) public var credential: (username: String, password: String)? { storage.value }
}

extension URLSessionConfiguration {
    // foundation/urlsessionconfiguration/proxyconfigurations, declared by Network
    public var proxyConfigurations: [ProxyConfiguration] {
        get { [] }
        set {}
    }
}
