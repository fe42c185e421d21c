// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import WebSyntax

/// The form of the requests and responses of an HTTPDNS service.
///
/// An HTTPDNS service returns the addresses of a name over HTTPS, in a form of its own. ``AlibabaDialect`` and
/// ``TencentDialect`` are two of them.
public protocol HTTPDNSDialect: Sendable {
    /// The server.
    var server: ResolverServer { get }

    /// Returns the request for the IPv4 and IPv6 addresses of a host.
    /// - Parameter host: a host name in lower case.
    /// - Throws: ``NameResolutionError`` with code `invalidName`, or the error of signing.
    func request(for host: String) throws -> HTTPRequest

    /// Returns the answer in the body of a response with status 200.
    /// - Parameters:
    ///   - body: the whole body, at most 64 KiB.
    ///   - host: the host name of the request.
    /// - Throws: ``NameResolutionError``.
    func answer(in body: [UInt8], for host: String) throws -> HTTPDNSAnswer
}

/// The addresses that an HTTPDNS service has for a host.
public struct HTTPDNSAnswer: Sendable, Hashable {
    /// The maximum number of addresses.
    static let maxAddresses = 64
    /// The maximum number of bytes of a body.
    static let maxBytes = 65_536
    /// The maximum time to live in seconds (RFC 2181, section 8).
    static let maxTimeToLive: Int64 = 1 << 31 - 1

    /// The addresses in the order of the answer; empty if the host has none.
    public let addresses: [IPAddress]
    /// The time for which the answer is valid, in seconds.
    public let timeToLive: Int

    /// Creates an answer.
    public init(addresses: [IPAddress], timeToLive: Int) {
        self.addresses = addresses
        self.timeToLive = timeToLive
    }
}

/// The query of a URL, built from names and values.
struct QueryBuilder {
    private(set) var text = ""

    /// Appends a parameter.
    /// - Parameters:
    ///   - name: the name, of unreserved characters.
    ///   - value: the value. Bytes other than unreserved characters are escaped.
    mutating func append(_ name: String, _ value: String) {
        append(name, verbatim: PercentEncoding.encode(value, keeping: .unreserved))
    }

    /// Appends a parameter whose value needs no escapes.
    mutating func append(_ name: String, verbatim value: String) {
        text += "\(text.isEmpty ? "?" : "&")\(name)=\(value)"
    }
}
