// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// A query of DNS with one question in class IN (RFC 1035, section 4.1).
struct DNSQuery: Sendable {
    /// The identifier.
    let identifier: UInt16
    /// The name in lower case, without the final dot.
    let name: String
    /// The type of the records.
    let type: UInt16
    /// The bytes of the question, which the answer repeats.
    let question: [UInt8]
    /// A Boolean value that indicates whether the query has an OPT record (RFC 6891).
    let hasOptions: Bool

    private static let headerSize = 12
    private static let maxSize = 65_535

    /// Parses a query. Returns `nil` for other bytes.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard (Self.headerSize...Self.maxSize).contains(bytes.count) else { return nil }
        let field = { (place: Int) in UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]) }
        // A query has no response flag, opcode 0, one question and no answer.
        guard field(2) & 0xF800 == 0, field(4) == 1, field(6) == 0, field(8) == 0, field(10) <= 1 else { return nil }
        var labels: [String] = []
        var place = Self.headerSize
        while place < bytes.count, bytes[place] > 0 {
            let end = place + 1 + Int(bytes[place])
            guard bytes[place] < 64, end < bytes.count else { return nil }
            labels.append(String(decoding: bytes[(place + 1)..<end], as: UTF8.self).lowercased())
            place = end
        }
        let end = place + 5
        guard end <= bytes.count, field(place + 3) == 1 else { return nil }
        identifier = field(0)
        name = labels.joined(separator: ".")
        type = field(place + 1)
        question = Array(bytes[Self.headerSize..<end])
        hasOptions = field(10) == 1
    }
}

/// The answer of a DNS server, built from valid or invalid parts.
struct DNSAnswer: Sendable {
    /// The types of records that a zone has.
    enum RecordType: UInt16, Sendable {
        case a = 1
        case cname = 5
        case soa = 6
        case aaaa = 28
        case opt = 41
        case https = 65
    }

    /// A record of the answer section.
    struct Record: Sendable {
        let owner: String
        let type: UInt16
        let data: [UInt8]
        let timeToLive: UInt32
    }

    /// The start of a zone.
    struct Zone: Sendable {
        let name: String
        let timeToLive: UInt32
    }

    /// The response code SERVFAIL.
    static let serverFailure: UInt16 = 2
    /// The response code NXDOMAIN.
    static let nameError: UInt16 = 3
    /// The size of a UDP message that EDNS announces. It has no meaning over HTTP.
    private static let udpSize: UInt16 = 1_232

    private let query: DNSQuery
    /// The response code.
    var code: UInt16 = 0
    /// A Boolean value that indicates whether the truncation flag is set.
    var isTruncated = false
    /// A Boolean value that indicates whether the bytes are not a DNS message.
    var isGarbage = false
    /// The name of the question in place of the name of the query; `nil` for the latter.
    var questionName: String?
    /// The start of the zone in the authority section.
    var zone: Zone?
    private(set) var records: [Record] = []

    init(to query: DNSQuery) {
        self.query = query
    }

    /// Appends a record to the answer section.
    mutating func add(_ owner: String, _ type: RecordType?, _ data: [UInt8], timeToLive: UInt32) {
        guard let type else { return }
        records.append(Record(owner: owner, type: type.rawValue, data: data, timeToLive: timeToLive))
    }

    /// The lowest time to live in seconds; 0 without records.
    var timeToLive: UInt32 { (records.map(\.timeToLive) + (zone.map { [$0.timeToLive] } ?? [])).min() ?? 0 }

    /// The bytes of the message.
    var bytes: [UInt8] {
        guard !isGarbage else { return Array("not a DNS message".utf8) }
        // A response with the flags RD and RA: recursion is desired and available.
        var bytes: [UInt8] = []
        let flags: UInt16 = 0x8180 | (isTruncated ? 0x0200 : 0) | code
        for field in [query.identifier, flags, 1, UInt16(records.count), zone == nil ? 0 : 1, query.hasOptions ? 1 : 0]
        {
            bytes += Self.big(field)
        }
        bytes += questionName.map { Self.name($0) + query.question.suffix(4) } ?? query.question
        for record in records {
            bytes += owner(record.owner) + Self.fields(record.type, record.timeToLive, record.data)
        }
        if let zone {
            let names = Self.name("ns.invalid") + Self.name("mail.invalid")
            // The serial number, refresh, retry and expiry, and then the minimum.
            let numbers = [1, 3_600, 600, 86_400, zone.timeToLive].flatMap { Self.big($0) }
            bytes += Self.name(zone.name) + Self.fields(RecordType.soa.rawValue, zone.timeToLive, names + numbers)
        }
        if query.hasOptions {
            bytes += [0] + Self.big(RecordType.opt.rawValue) + Self.big(Self.udpSize) + [0, 0, 0, 0, 0, 0]
        }
        return bytes
    }

    /// Returns a name, as a pointer to the question if that has the same name (RFC 1035, section 4.1.4).
    private func owner(_ name: String) -> [UInt8] {
        name == query.name && questionName == nil ? [0xC0, 12] : Self.name(name)
    }

    /// Returns a record without its owner, in class IN.
    private static func fields(_ type: UInt16, _ timeToLive: UInt32, _ data: [UInt8]) -> [UInt8] {
        big(type) + big(UInt16(1)) + big(timeToLive) + big(UInt16(truncatingIfNeeded: data.count)) + data
    }

    /// Returns the labels of a name.
    static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) } + [0]
    }

    /// Returns an address of a test.
    static func address(_ text: String) -> IPAddress {
        // Invariant: the text is a constant of a test. Another text is a fault of the test, which must not continue.
        guard let address = IPAddress(text) else { preconditionFailure("\(text) is not an IP address") }
        return address
    }

    /// Returns the octets of an address of a test.
    static func octets(_ text: String) -> [UInt8] { address(text).octets }

    /// Returns the data of an HTTPS record (RFC 9460, section 2.2). Its parameters have increasing keys.
    static func data(of service: NameZone.Service) -> [UInt8] {
        var bytes = big(service.priority) + name(service.target)
        let hints = service.hints.map(octets)
        let protocols = service.protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        let parameters: [(key: UInt16, value: [UInt8])] = [
            (1, protocols), (3, service.port.map(big) ?? []),
            (4, hints.filter { $0.count == 4 }.flatMap { $0 }), (6, hints.filter { $0.count == 16 }.flatMap { $0 }),
        ]
        for parameter in parameters where !parameter.value.isEmpty {
            bytes += big(parameter.key) + big(UInt16(truncatingIfNeeded: parameter.value.count)) + parameter.value
        }
        return bytes
    }

    private static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<MemoryLayout<Number>.size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * Number($0))) }
    }
}
