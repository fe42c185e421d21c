// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@testable import NameResolution

/// The form of answers (RFC 1035, section 4; RFC 2181; RFC 3596; RFC 6891).
@Suite(.timeLimit(.minutes(1)))
struct AnswerMessageTests {
    private let valid = TestMessage(
        "host.example",
        answers: [.a("host.example", "192.0.2.1", timeToLive: 60), .a("HOST.example", "192.0.2.2")])

    @Test("Records have an owner, a time to live and an address")
    func records() throws {
        let message = try valid.parse()
        #expect(message.code == .noError && !message.isTruncated)
        #expect(message.records.map(\.timeToLive) == [60, 300])
        #expect(message.records.map(\.owner.description) == ["host.example", "host.example"])
        #expect(try valid.resolve().addresses == IPAddress.list("192.0.2.1", "192.0.2.2"))
        let ipv6 = TestMessage("host.example", type: 28, answers: [.aaaa("host.example", "2001:db8::1")])
        #expect(try ipv6.resolve("host.example", .aaaa).addresses == IPAddress.list("2001:db8::1"))
    }

    @Test("The owner of a record can be a pointer to the question")
    func compressedOwner() throws {
        var message = valid
        message.answers[0].owner = [0xC0, 12]
        message.answers[1].owner = [0xC0, 12]
        #expect(try message.resolve().addresses.count == 2)
    }

    /// A change after which a message is not accepted.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: NameResolutionError.Code
        let apply: @Sendable (inout TestMessage) -> Void

        init(
            _ description: String, _ code: NameResolutionError.Code = .badMessage,
            _ apply: @escaping @Sendable (inout TestMessage) -> Void
        ) {
            testDescription = description
            self.code = code
            self.apply = apply
        }
    }

    @Test(
        "Malformed and foreign messages are rejected",
        arguments: [
            Change("a query") { $0.flags = 0x0100 },
            Change("another opcode") { $0.flags |= 0x0800 },
            Change("another identifier", .otherQuestion) { $0.identifier = 1 },
            Change("no question", .otherQuestion) { $0.questions = [] },
            Change("two questions", .otherQuestion) { $0.questions += $0.questions },
            Change("another name", .otherQuestion) { $0.questions = TestMessage("other.example").questions },
            Change("another type", .otherQuestion) { $0.questions = TestMessage("host.example", type: 28).questions },
            Change("another class", .otherQuestion) { $0.questions[0][17] = 3 },
            Change("truncated", .truncated) { $0.flags |= 0x0200 },
            Change("SERVFAIL", .serverFailure) { $0.flags |= 2 },
            Change("REFUSED", .serverFailure) { $0.flags |= 5 },
            Change("trailing octets") { $0.trailing = [0] },
            Change("an IPv4 address of 3 octets") { $0.answers[0].data = [1, 2, 3] },
            Change("an IPv4 address of 5 octets") { $0.answers[0].data = [1, 2, 3, 4, 5] },
            Change("an IPv6 address of 4 octets") { $0.answers[0].type = 28 },
            Change("an alias without a name") { $0.answers[0] = .init("host.example", 5, []) },
            Change("an alias with more than a name") { $0.answers[0] = .init("host.example", 5, [0, 0]) },
            Change("an alias that continues after its record") { $0.answers[0] = .init("host.example", 5, [9, 1]) },
            Change("a SOA record without a minimum") { $0.authorities = [.init("example", 6, zeros(18))] },
            Change("a SOA record with more fields") { $0.authorities = [.init("example", 6, zeros(23))] },
            Change("two SOA records") {
                $0.authorities = [.soa("example", minimum: 1), .soa("example", minimum: 1)]
            },
            Change("two OPT records") { $0.additional = [.init("", 41, []), .init("", 41, [])] },
            Change("an OPT record with a name") { $0.additional = [.init("host.example", 41, [])] },
            Change("an extended response code", .serverFailure) {
                $0.additional = [.init("", 41, [], timeToLive: 1 << 24)]
            },
        ])
    func rejected(change: Change) throws {
        #expect(valid.failure() == nil)
        var message = valid
        change.apply(&message)
        #expect(message.failure() == change.code)
    }

    @Test("A message that ends early is rejected, wherever it ends")
    func shortened() throws {
        var message = valid
        message.authorities = [.soa("example", minimum: 1)]
        message.additional = [.init("", 41, [0, 12, 0, 1, 0])]
        let bytes = message.bytes
        let question = DNSQuestion(name: try DomainName(host: "host.example"), type: .a)
        #expect(throws: Never.self) { try AnswerMessage(bytes, to: question) }
        for count in 0..<bytes.count {
            #expect(throws: NameResolutionError.self, "\(count)") {
                try AnswerMessage(Array(bytes.prefix(count)), to: question)
            }
        }
    }

    @Test("The number of records and the length of a message are limited")
    func limits() throws {
        var message = TestMessage("host.example")
        message.answers = Array(repeating: .a("host.example", "192.0.2.1"), count: AnswerMessage.Limits.records)
        #expect(try message.resolve().addresses.count == 1)
        message.additional = [.init("", 41, [])]
        #expect(message.failure() == .badMessage)
        message = TestMessage("host.example")
        message.trailing = [UInt8](repeating: 0, count: AnswerMessage.Limits.octets)
        #expect(message.failure() == .tooLarge)
    }

    @Test("Records of other types and classes and of the additional section have no effect")
    func ignored() throws {
        var message = valid
        message.answers = [
            .init("host.example", 46, [1, 2, 3]), .init("host.example", 1, [1, 2, 3, 4], recordClass: 3),
            .init("host.example", 1, [9, 9], recordClass: 3), .a("host.example", "192.0.2.1"),
        ]
        message.additional = [.a("host.example", "192.0.2.9"), .a("other.example", "192.0.2.9")]
        #expect(try message.resolve().addresses == IPAddress.list("192.0.2.1"))
    }

    @Test("A time to live with the highest bit set is zero")
    func negativeTimeToLive() throws {
        for (sent, expected): (UInt32, UInt32) in [
            (0, 0), (1, 1), (0x7FFF_FFFF, 0x7FFF_FFFF), (0x8000_0000, 0), (.max, 0),
        ] {
            let message = TestMessage("host.example", answers: [.a("host.example", "192.0.2.1", timeToLive: sent)])
            #expect(try message.resolve().timeToLive == expected)
        }
    }
}

/// Returns zeros. The first two are the names of a SOA record, both the root.
private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
