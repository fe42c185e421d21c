// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// A parsed answer of a recursive resolver (RFC 1035, section 4).
///
/// The parser checks the whole message. It stores the records of the answer section and the start of the zone in the
/// authority section. Records of the additional section are checked for their form only, so that an answer cannot set
/// the addresses of other names.
struct AnswerMessage: Sendable, Hashable {
    /// The limits of a message.
    enum Limits {
        /// The maximum number of octets, the maximum of DNS over HTTPS (RFC 8484, section 6).
        static let octets = 65_535
        /// The maximum number of records of all sections.
        static let records = 512
    }

    /// The data of a record of the answer section.
    enum Content: Sendable, Hashable {
        /// An address of an A or AAAA record.
        case address(IPAddress)
        /// The target of a CNAME record.
        case alias(DomainName)
        /// The content of an HTTPS record.
        case service(ServiceBinding)
    }

    /// A record of the answer section.
    struct Record: Sendable, Hashable {
        /// The name that owns the record.
        let owner: DomainName
        /// The time for which the record is valid, in seconds, at most 2^31 − 1.
        let timeToLive: UInt32
        /// The data.
        let content: Content
    }

    /// The start of the zone that a negative answer comes from (RFC 2308, section 3).
    struct Zone: Sendable, Hashable {
        /// The name of the zone.
        let name: DomainName
        /// The time for which the negative answer is valid, in seconds: the lower value of the record's time to live
        /// and its minimum (RFC 2308, section 5).
        let negativeTimeToLive: UInt32
    }

    /// The response code.
    private(set) var code: ResponseCode
    /// A Boolean value that indicates whether the server has omitted a part of the answer.
    let isTruncated: Bool
    /// The records of the answer section that are of a known type, in order.
    private(set) var records: [Record] = []
    /// The zone of a negative answer.
    private(set) var zone: Zone?

    private static let responseFlag: UInt16 = 0x8000
    private static let opcodeMask: UInt16 = 0x7800
    private static let truncationFlag: UInt16 = 0x0200

    /// Parses the answer to a question.
    /// - Parameters:
    ///   - bytes: the message without a length before it.
    ///   - question: the question of the query.
    /// - Throws: ``NameResolutionError`` with code `badMessage`, `tooLarge` or `otherQuestion`.
    init(_ bytes: [UInt8], to question: DNSQuestion) throws(NameResolutionError) {
        guard bytes.count <= Limits.octets else {
            throw NameResolutionError(.tooLarge, "a message of more than \(Limits.octets) octets")
        }
        var reader = MessageReader(bytes)
        let identifier = try reader.readUInt16()
        let flags = try reader.readUInt16()
        let questions = try reader.readUInt16()
        let answers = Int(try reader.readUInt16())
        let authorities = Int(try reader.readUInt16())
        let additional = Int(try reader.readUInt16())
        guard flags & Self.responseFlag != 0, flags & Self.opcodeMask == 0 else {
            throw reader.failure("not the answer to a query")
        }
        guard answers + authorities + additional <= Limits.records else {
            throw reader.failure("more than \(Limits.records) records")
        }
        // The query has the identifier 0 (RFC 8484, section 4.1) and one question.
        guard identifier == 0, questions == 1, try Self.readsQuestion(question, &reader) else {
            throw NameResolutionError(.otherQuestion, "the answer to another question", at: "\(question.name)")
        }
        code = ResponseCode(rawValue: flags & 0xF)
        isTruncated = flags & Self.truncationFlag != 0
        for _ in 0..<answers {
            let header = try RecordHeader(&reader)
            var data = try reader.readPart(header.length)
            guard header.isInternet, let content = try Self.readContent(header.type, &data) else { continue }
            try data.finish("the data of a record")
            records.append(Record(owner: header.owner, timeToLive: header.timeToLive, content: content))
        }
        for _ in 0..<authorities {
            let header = try RecordHeader(&reader)
            var data = try reader.readPart(header.length)
            guard header.isInternet, header.type == .soa else { continue }
            let minimum = try Self.readMinimum(&data)
            guard zone == nil else { throw reader.failure("two zones") }
            zone = Zone(name: header.owner, negativeTimeToLive: min(header.timeToLive, minimum))
        }
        var hasOptions = false
        for _ in 0..<additional {
            let header = try RecordHeader(&reader)
            _ = try reader.readPart(header.length)
            guard header.type == .opt else { continue }
            // RFC 6891, section 6.1.1: there is one OPT record at most, and its name is the root.
            guard !hasOptions, header.owner == .root else { throw reader.failure("a wrong OPT record") }
            hasOptions = true
            code = ResponseCode(rawValue: UInt16(header.extendedCode) << 4 | code.rawValue)
        }
        try reader.finish("the message")
    }

    /// Reads the question of an answer, and compares it with the question of the query.
    private static func readsQuestion(
        _ question: DNSQuestion, _ reader: inout MessageReader
    ) throws(NameResolutionError) -> Bool {
        let name = try reader.readName()
        let type = try reader.readUInt16()
        let recordClass = try reader.readUInt16()
        return name == question.name && type == question.type.rawValue && recordClass == DNSQuestion.internetClass
    }

    /// Reads the data of a record.
    /// - Returns: `nil` for a type that is not used.
    private static func readContent(
        _ type: RecordType?, _ data: inout MessageReader
    ) throws(NameResolutionError) -> Content? {
        switch type {
        case .a: .address(try readAddress(of: 4, &data))
        case .aaaa: .address(try readAddress(of: 16, &data))
        case .cname: .alias(try data.readName())
        case .https: .service(try ServiceBinding(&data))
        case .soa, .opt, nil: nil
        }
    }

    private static func readAddress(
        of octets: Int, _ data: inout MessageReader
    ) throws(NameResolutionError) -> IPAddress {
        guard let address = IPAddress(octets: try data.readOctets(octets)) else {
            throw data.failure("an address of another length")
        }
        return address
    }

    /// Reads the data of a SOA record (RFC 1035, section 3.3.13).
    /// - Returns: its last field, the minimum.
    private static func readMinimum(_ data: inout MessageReader) throws(NameResolutionError) -> UInt32 {
        _ = try data.readName()
        _ = try data.readName()
        _ = try data.readOctets(16)
        let minimum = try data.readUInt32()
        try data.finish("the data of a SOA record")
        return RecordHeader.timeToLive(minimum)
    }
}

/// The fields of a record before its data (RFC 1035, section 4.1.3).
private struct RecordHeader {
    let owner: DomainName
    let type: RecordType?
    let isInternet: Bool
    /// The highest eight bits of the response code, in an OPT record (RFC 6891, section 6.1.3).
    let extendedCode: UInt8
    let timeToLive: UInt32
    /// The number of octets of the data.
    let length: Int

    init(_ reader: inout MessageReader) throws(NameResolutionError) {
        owner = try reader.readName()
        type = RecordType(rawValue: try reader.readUInt16())
        isInternet = try reader.readUInt16() == DNSQuestion.internetClass
        let time = try reader.readUInt32()
        extendedCode = UInt8(time >> 24)
        timeToLive = Self.timeToLive(time)
        length = Int(try reader.readUInt16())
    }

    /// Returns a time to live; one with the highest bit set is zero (RFC 2181, section 8).
    static func timeToLive(_ value: UInt32) -> UInt32 { value >> 31 == 0 ? value : 0 }
}
