// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import WebSyntax

/// The text form of HTTPDNS that Tencent Cloud uses: `/d?dn=&token=&ttl=1&type=addrs`.
///
/// The body is `ip;ip,ttl-ip;ip,ttl`: IPv4 addresses, a hyphen and IPv6 addresses. A family without addresses is empty
/// or `0`, and the hyphen with the second family can be absent.
public struct TencentDialect: HTTPDNSDialect {
    public let server: ResolverServer
    private let token: String
    private let sign: (@Sendable (HTTPRequest) throws -> HTTPRequest)?

    /// Creates a dialect.
    /// - Parameters:
    ///   - server: the server. Its path is the prefix of the paths of requests.
    ///   - token: the token of the account.
    ///   - sign: a closure that changes a request before it is sent, or `nil`.
    public init(
        server: ResolverServer, token: String, sign: (@Sendable (HTTPRequest) throws -> HTTPRequest)? = nil
    ) {
        self.server = server
        self.token = token
        self.sign = sign
    }

    public func request(for host: String) throws -> HTTPRequest {
        var query = QueryBuilder()
        query.append("dn", try DomainName(host: host).description)
        query.append("token", token)
        query.append("ttl", "1")
        query.append("type", "addrs")
        let request = server.request("d", query)
        return try sign?(request) ?? request
    }

    public func answer(in body: [UInt8], for host: String) throws -> HTTPDNSAnswer {
        guard body.count <= HTTPDNSAnswer.maxBytes else {
            throw NameResolutionError(.tooLarge, "a body of more than \(HTTPDNSAnswer.maxBytes) bytes", at: host)
        }
        let text = Substring(decoding: body, as: UTF8.self).trimmingFieldWhitespace
        let families = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard families.count <= 2 else { throw NameResolutionError(.badMessage, "more than two families", at: host) }
        var addresses: [IPAddress] = []
        var lowest: Int64?
        for (bytes, family) in zip(families, [IPAddress.Family.ipv4, .ipv6]) {
            guard !bytes.isEmpty, !bytes.elementsEqual("0".utf8) else { continue }
            let parts = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard parts.count == 2, let timeToLive = Int64(decimalDigits: parts[1]) else {
                throw NameResolutionError(.badMessage, "no time to live", at: host)
            }
            for part in parts[0].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
                guard let address = IPAddress(Substring(part)), address.family == family,
                    addresses.count < HTTPDNSAnswer.maxAddresses
                else { throw NameResolutionError(.badMessage, "no address or too many addresses", at: host) }
                addresses.append(address)
            }
            lowest = min(timeToLive, lowest ?? HTTPDNSAnswer.maxTimeToLive)
        }
        // A negative answer has no time to live, and is not stored.
        return HTTPDNSAnswer(addresses: addresses, timeToLive: Int(lowest ?? 0))
    }
}

extension ResolverServer {
    /// Returns a GET request for a path below the path of the server.
    func request(_ relativePath: String, _ query: QueryBuilder) -> HTTPRequest {
        let prefix = path.hasSuffix("/") ? path : path + "/"
        return HTTPRequest(
            method: .get, scheme: "https", authority: authority.authority(isSecure: true),
            path: prefix + relativePath + query.text)
    }
}
