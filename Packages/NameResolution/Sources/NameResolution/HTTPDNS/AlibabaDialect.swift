// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import StrictJSON
public import WebSyntax

/// The JSON form of HTTPDNS that Alibaba Cloud uses: `/{account}/d?host=&ip=&query=4,6`.
public struct AlibabaDialect: HTTPDNSDialect {
    public let server: ResolverServer
    /// The identifier of the account.
    public let account: String
    /// The address whose network the answer is for, or `nil` for the address that the request comes from.
    public let clientAddress: IPAddress?
    private let sign: (@Sendable (HTTPRequest) throws -> HTTPRequest)?

    /// Creates a dialect.
    /// - Parameters:
    ///   - server: the server. Its path is the prefix of the paths of requests.
    ///   - account: the identifier of the account.
    ///   - clientAddress: the address whose network the answer is for.
    ///   - sign: a closure that adds the signature to a request, or `nil` for requests without a signature.
    public init(
        server: ResolverServer, account: String, clientAddress: IPAddress? = nil,
        sign: (@Sendable (HTTPRequest) throws -> HTTPRequest)? = nil
    ) {
        self.server = server
        self.account = account
        self.clientAddress = clientAddress
        self.sign = sign
    }

    public func request(for host: String) throws -> HTTPRequest {
        var query = QueryBuilder()
        query.append("host", try DomainName(host: host).description)
        if let clientAddress { query.append("ip", clientAddress.description) }
        query.append("query", verbatim: "4,6")
        let request = server.request("\(PercentEncoding.encode(account, keeping: .unreserved))/d", query)
        return try sign?(request) ?? request
    }

    /// Reads `{"host": …, "ips": […], "ipsv6": […], "ttl": …}`. Unknown members are ignored.
    public func answer(in body: [UInt8], for host: String) throws -> HTTPDNSAnswer {
        guard body.count <= HTTPDNSAnswer.maxBytes else {
            throw NameResolutionError(.tooLarge, "a body of more than \(HTTPDNSAnswer.maxBytes) bytes", at: host)
        }
        var name: String?
        var addresses: [IPAddress] = []
        var timeToLive: Int64?
        do {
            try body.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes, limits: .init(depth: 8))
                try scanner.readObject { scanner, member in
                    if scanner.equals(member, "host") {
                        name = try scanner.readAsText()
                    } else if scanner.equals(member, "ips") {
                        addresses += try Self.readAddresses(.ipv4, &scanner)
                    } else if scanner.equals(member, "ipsv6") {
                        addresses += try Self.readAddresses(.ipv6, &scanner)
                    } else if scanner.equals(member, "ttl"), scanner.isAtNumber() {
                        timeToLive = try scanner.readInteger().flatMap { scanner.integer($0) }
                    } else {
                        try scanner.skipValue()
                    }
                }
                try scanner.finish()
            }
        } catch let error as JSONError {
            throw NameResolutionError(.badMessage, "\(error)", at: host)
        }
        guard let name, let timeToLive, timeToLive >= 0, addresses.count <= HTTPDNSAnswer.maxAddresses else {
            throw NameResolutionError(.badMessage, "no host, no time to live or too many addresses", at: host)
        }
        guard try DomainName(host: name) == DomainName(host: host) else {
            throw NameResolutionError(.otherQuestion, "the answer for another host", at: host)
        }
        return HTTPDNSAnswer(
            addresses: addresses, timeToLive: Int(min(timeToLive, HTTPDNSAnswer.maxTimeToLive)))
    }

    /// Reads an array of addresses of one family.
    private static func readAddresses(_ family: IPAddress.Family, _ scanner: inout JSONScanner) throws -> [IPAddress] {
        if try scanner.readNull() { return [] }
        var addresses: [IPAddress] = []
        try scanner.readArray { scanner in
            guard let text = try scanner.readAsText(), let address = IPAddress(text), address.family == family else {
                throw scanner.failure("not an address")
            }
            addresses.append(address)
        }
        return addresses
    }
}
