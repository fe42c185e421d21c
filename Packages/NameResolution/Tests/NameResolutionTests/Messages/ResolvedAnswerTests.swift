// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@_spi(Fuzzing) @testable import NameResolution

/// Aliases, negative answers and foreign names (RFC 1035, section 3.6.2; RFC 2181, section 10.1; RFC 2308).
@Suite(.timeLimit(.minutes(1)))
struct ResolvedAnswerTests {
    @Test("Aliases are followed, and the lowest time to live counts")
    func aliases() throws {
        // The order of records has no meaning.
        let message = TestMessage(
            "host.example",
            answers: [
                .a("c.example", "192.0.2.1", timeToLive: 100), .cname("b.example", "c.example", timeToLive: 50),
                .cname("host.example", "b.example", timeToLive: 200),
            ])
        let answer = try message.resolve()
        #expect(answer.name.description == "c.example" && answer.addresses == IPAddress.list("192.0.2.1"))
        #expect(answer.timeToLive == 50)
    }

    @Test("Loops and long chains of aliases are rejected")
    func loops() throws {
        var message = TestMessage("host.example", answers: [.cname("host.example", "host.example")])
        #expect(message.failure() == .tooManyAliases)
        message.answers = [.cname("host.example", "b.example"), .cname("b.example", "host.example")]
        #expect(message.failure() == .tooManyAliases)
        message.answers = [.cname("host.example", "n1.example")]
        for number in 1..<ResolvedAnswer.maxAliases {
            message.answers.append(.cname("n\(number).example", "n\(number + 1).example"))
        }
        message.answers.append(.a("n\(ResolvedAnswer.maxAliases).example", "192.0.2.1"))
        #expect(try message.resolve().addresses.count == 1)
        message.answers.append(.cname("n\(ResolvedAnswer.maxAliases).example", "end.example"))
        #expect(message.failure() == .tooManyAliases)
    }

    @Test("A name has one canonical name")
    func twoAliases() throws {
        var message = TestMessage(
            "host.example",
            answers: [.cname("host.example", "a.example"), .cname("host.example", "A.example", timeToLive: 5)])
        message.answers.append(.a("a.example", "192.0.2.1"))
        #expect(try message.resolve().timeToLive == 5)
        message.answers.append(.cname("host.example", "b.example"))
        #expect(message.failure() == .badMessage)
    }

    @Test("Addresses of names that the question does not lead to are ignored")
    func foreignNames() throws {
        let message = TestMessage(
            "host.example",
            answers: [
                .a("other.example", "192.0.2.9"), .a("host.example", "192.0.2.1"), .a("example", "192.0.2.9"),
                .aaaa("host.example", "2001:db8::9"), .cname("other.example", "host.example", timeToLive: 1),
            ])
        let answer = try message.resolve()
        #expect(answer.addresses == IPAddress.list("192.0.2.1") && answer.timeToLive == 300)
        let foreign = TestMessage("host.example", answers: [.a("other.example", "192.0.2.9")])
        #expect(try foreign.resolve().isNegative)
    }

    @Test("The number of addresses is limited, and duplicates are omitted")
    func limits() throws {
        var message = TestMessage("host.example")
        for number in 0..<100 { message.answers.append(.a("host.example", "192.0.2.\(number)")) }
        #expect(try message.resolve().addresses.count == ResolvedAnswer.maxResults)
    }

    @Test("A negative answer is valid for the lower value of the zone's record and its minimum")
    func negative() throws {
        for flags: UInt16 in [0x8180, 0x8183] {
            var message = TestMessage("host.example")
            message.flags = flags
            message.authorities = [.soa("example", minimum: 60, timeToLive: 900)]
            #expect(try message.resolve().isNegative)
            #expect(try message.resolve().timeToLive == 60)
            message.authorities = [.soa("example", minimum: 900, timeToLive: 30)]
            #expect(try message.resolve().timeToLive == 30)
            message.answers = [.cname("host.example", "b.example", timeToLive: 7)]
            #expect(try message.resolve().timeToLive == 7)
            // Without the zone, and with the zone of another name.
            message.authorities = []
            #expect(try message.resolve().timeToLive == nil)
            message.authorities = [.soa("other", minimum: 60)]
            #expect(try message.resolve().timeToLive == nil)
        }
    }

    @Test("A name that does not exist has no addresses, although the answer has some")
    func nameError() throws {
        var message = TestMessage("host.example", answers: [.a("host.example", "192.0.2.1")])
        message.flags = 0x8183
        #expect(try message.resolve().isNegative)
    }

    @Test("The invariants of the fuzz target hold for changed messages")
    func fuzzing() {
        let message = TestMessage(
            "host.example",
            answers: [
                .cname("host.example", "b.example"), .a("b.example", "192.0.2.1"), .aaaa("b.example", "2001:db8::1"),
            ])
        let bytes = message.bytes
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 0x3F, 0x80, 0xC0, 0xFF] {
                var changed = bytes
                changed[index] = value
                #expect(NameResolutionFuzzing.messageHolds(changed), "octet \(index) is \(value)")
            }
        }
        for body in ["", "{}", "0", "192.0.2.1,60", #"{"host":"host.example","ttl":1}"#] {
            #expect(NameResolutionFuzzing.bodyHolds(Array(body.utf8)))
        }
    }
}
