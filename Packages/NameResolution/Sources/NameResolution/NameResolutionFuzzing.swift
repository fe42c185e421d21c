// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebSyntax

/// The entry points of the fuzz targets.
@_spi(Fuzzing) public enum NameResolutionFuzzing {
    /// Reads arbitrary bytes as an answer to the question that they contain, and checks the invariants of the result.
    /// - Returns: `true` if all invariants hold or the bytes are rejected.
    public static func messageHolds(_ bytes: [UInt8]) -> Bool {
        guard let question = question(of: bytes) else { return true }
        guard let message = try? AnswerMessage(bytes, to: question) else { return true }
        guard message.records.count <= AnswerMessage.Limits.records,
            message.records.allSatisfy({ $0.timeToLive < 1 << 31 && isValid($0.owner) })
        else { return false }
        guard let answer = try? ResolvedAnswer(message, to: question) else { return true }
        let family: IPAddress.Family = question.type == .aaaa ? .ipv6 : .ipv4
        return isValid(answer.name) && answer.addresses.allSatisfy { $0.family == family }
            && (answer.isNegative || answer.timeToLive != nil)
            && QueryMessage.encode(question).count.isMultiple(of: QueryMessage.blockLength)
    }

    /// Reads arbitrary bytes as the body of each HTTPDNS dialect.
    /// - Returns: `true` if all invariants hold or the bytes are rejected.
    public static func bodyHolds(_ bytes: [UInt8]) -> Bool {
        guard let server = try? ResolverServer(url: "https://192.0.2.1") else { return false }
        let dialects: [any HTTPDNSDialect] = [
            AlibabaDialect(server: server, account: "1"), TencentDialect(server: server, token: "1"),
        ]
        return dialects.allSatisfy { dialect in
            guard let answer = try? dialect.answer(in: bytes, for: "host.example") else { return true }
            return answer.addresses.count <= HTTPDNSAnswer.maxAddresses && answer.timeToLive >= 0
        }
    }

    /// Reads arbitrary bytes as the tables of routes and neighbours of Linux, in three parts of about the same length.
    /// - Returns: `true` if all invariants hold.
    public static func networkHolds(_ bytes: [UInt8]) -> Bool {
        let (first, second) = (bytes.count / 3, bytes.count * 2 / 3)
        let tables = NetworkTables(
            routes: Array(bytes[..<first]), ipv6Routes: Array(bytes[first..<second]),
            neighbours: Array(bytes[second...]))
        let status = tables.status
        guard let identity = status.identity else { return !status.isIPv6Only || tables.ipv6 != nil }
        return identity.name.utf8.count <= NetworkIdentity.maxBytes && tables.ipv4 != nil && !status.isIPv6Only
    }

    /// Reads arbitrary bytes as a document of stored answers.
    /// - Returns: `true` if all invariants hold or the bytes are rejected.
    public static func documentHolds(_ bytes: [UInt8]) -> Bool {
        guard let document = try? StoredNetworks(json: Data(bytes)) else { return true }
        return document.networks.allSatisfy { network in
            var cache = AnswerCache(network: network.network)
            cache.restore(network, now: .zero, time: network.time)
            return cache.count <= StoredNetworks.maxNames
                && (cache.stored(now: .zero, time: 0)?.answers ?? []).allSatisfy { isHost($0.host) }
        }
    }

    /// Reads arbitrary bytes as the hosts of a page.
    /// - Returns: `true` if all invariants hold or the bytes are rejected.
    public static func hostsHold(_ bytes: [UInt8]) -> Bool {
        guard let list = try? PageHosts(json: bytes) else { return true }
        return list.hosts.count <= PageHosts.maxHosts && list.hosts.allSatisfy(isHost)
            && Set(list.hosts).count == list.hosts.count && !list.page.contains { $0 == "?" || $0 == "#" }
            && PageHosts(page: list.page, hosts: list.hosts) == list
    }

    private static func isHost(_ name: String) -> Bool { (try? DomainName(host: name)) != nil }

    private static func question(of bytes: [UInt8]) -> DNSQuestion? {
        var reader = MessageReader(bytes)
        guard (try? reader.readOctets(MessageReader.headerOctets)) != nil, let name = try? reader.readName(),
            let number = try? reader.readUInt16(), let type = RecordType(rawValue: number)
        else { return nil }
        return DNSQuestion(name: name, type: type)
    }

    /// Returns a Boolean value that indicates whether the octets are labels within the limits of RFC 1035.
    private static func isValid(_ name: DomainName) -> Bool {
        guard (1...DomainName.maxOctets).contains(name.octets.count) else { return false }
        var start = 0
        while name.octets[start] > 0 {
            guard name.octets[start] <= DomainName.maxLabelOctets else { return false }
            start += Int(name.octets[start]) + 1
            guard start < name.octets.count else { return false }
        }
        return start == name.octets.count - 1
    }
}
