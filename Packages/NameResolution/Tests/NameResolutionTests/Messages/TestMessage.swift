// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import WebSyntax

@testable import NameResolution

/// The bytes of a DNS message, built field by field, so that a test can make each field wrong.
struct TestMessage {
    /// A record before its encoding.
    struct Record {
        var owner: [UInt8]
        var type: UInt16
        var recordClass: UInt16 = 1
        var timeToLive: UInt32 = 300
        var data: [UInt8]

        init(
            _ owner: String, _ type: UInt16, _ data: [UInt8], timeToLive: UInt32 = 300, recordClass: UInt16 = 1
        ) {
            self.owner = TestMessage.name(owner)
            self.type = type
            self.data = data
            self.timeToLive = timeToLive
            self.recordClass = recordClass
        }

        static func a(_ owner: String, _ address: String, timeToLive: UInt32 = 300) -> Record {
            Record(owner, 1, IPAddress(address)?.octets ?? [], timeToLive: timeToLive)
        }

        static func aaaa(_ owner: String, _ address: String, timeToLive: UInt32 = 300) -> Record {
            Record(owner, 28, IPAddress(address)?.octets ?? [], timeToLive: timeToLive)
        }

        static func cname(_ owner: String, _ target: String, timeToLive: UInt32 = 300) -> Record {
            Record(owner, 5, TestMessage.name(target), timeToLive: timeToLive)
        }

        static func soa(_ owner: String, minimum: UInt32, timeToLive: UInt32 = 300) -> Record {
            let data = TestMessage.name("ns.example") + TestMessage.name("mail.example")
            return Record(
                owner, 6, data + [UInt8](repeating: 1, count: 16) + TestMessage.bytes(minimum), timeToLive: timeToLive)
        }

        var bytes: [UInt8] {
            owner + TestMessage.bytes(type) + TestMessage.bytes(recordClass) + TestMessage.bytes(timeToLive)
                + TestMessage.bytes(UInt16(data.count)) + data
        }
    }

    var identifier: UInt16 = 0
    var flags: UInt16 = 0x8180
    /// The number of questions; `nil` for the number of `questions`.
    var questionCount: UInt16?
    var questions: [[UInt8]]
    var answers: [Record] = []
    var authorities: [Record] = []
    var additional: [Record] = []
    /// The bytes after the last record.
    var trailing: [UInt8] = []

    /// Creates an answer without records.
    init(_ host: String, type: UInt16 = 1, answers: [Record] = []) {
        questions = [Self.name(host) + Self.bytes(type) + Self.bytes(UInt16(1))]
        self.answers = answers
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for field in [
            identifier, flags, questionCount ?? UInt16(questions.count), UInt16(answers.count),
            UInt16(authorities.count), UInt16(additional.count),
        ] { bytes += Self.bytes(field) }
        for question in questions { bytes += question }
        for record in answers + authorities + additional { bytes += record.bytes }
        return bytes + trailing
    }

    /// Returns the labels of a name, which is not checked.
    static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    /// Parses the bytes as the answer to a question.
    func parse(_ host: String = "host.example", _ type: RecordType = .a) throws -> AnswerMessage {
        try AnswerMessage(bytes, to: DNSQuestion(name: DomainName(host: host), type: type))
    }

    /// Parses the bytes as the answer to a question, and evaluates it.
    func resolve(_ host: String = "host.example", _ type: RecordType = .a) throws -> ResolvedAnswer {
        let question = DNSQuestion(name: try DomainName(host: host), type: type)
        return try ResolvedAnswer(AnswerMessage(bytes, to: question), to: question)
    }

    /// Returns the code of the error that evaluating the bytes throws.
    func failure(_ host: String = "host.example", _ type: RecordType = .a) -> NameResolutionError.Code? {
        do {
            _ = try resolve(host, type)
            return nil
        } catch {
            return (error as? NameResolutionError)?.code
        }
    }
}

extension IPAddress {
    /// Returns the addresses of texts, all of which must be valid.
    static func list(_ texts: String...) -> [IPAddress] { texts.compactMap { IPAddress($0) } }
}
