// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import CookieJar
import Foundation
import Testing

/// Tests of "remove excess cookies" (RFC 6265bis, section 5.7).
@Suite(.timeLimit(.minutes(3)))
struct EvictionTests {
    let jar: Jar

    init() {
        var limits = CookieStore.Limits()
        limits.perDomain = 3
        limits.total = 5
        jar = Jar(limits: limits)
    }

    @Test func `The default limits`() throws {
        let jar = Jar()
        for number in 0..<200 { try jar.set("c\(number)=v") }
        #expect(jar.jar.cookies.count == 180)
        for site in 0..<3_500 { try jar.set("c=v", from: "https://s\(site).example/") }
        #expect(jar.jar.cookies.count == 3_000)
        #expect(try jar.sent(to: "https://s3499.example/") == "c=v")
        #expect(try jar.sent() == "")
    }

    @Test func `Expired cookies are removed first`() throws {
        try set("a=1; Secure", "b=2; Max-Age=2", "c=3")
        jar.clock.advance(by: 5)
        try set("d=4")
        #expect(names == ["a", "c", "d"])
    }

    @Test func `Within a domain, cookies without Secure are removed first, then the least recently used`() throws {
        try set("a=1; Secure", "b=2; Path=/b", "c=3; Path=/c")
        // Now `c` is the least recently used cookie without Secure.
        jar.clock.advance(by: 1)
        _ = try jar.sent(to: "https://shop.example/b")
        try set("d=4; Secure")
        #expect(names == ["a", "b", "d"])
        try set("e=5; Secure")
        #expect(names == ["a", "d", "e"])
        try set("f=6; Secure")
        #expect(names == ["d", "e", "f"])
        // A cookie without Secure is removed if all others are Secure.
        try set("g=7")
        #expect(names == ["d", "e", "f"])
    }

    @Test func `In total, the least recently used cookie is removed, Secure or not`() throws {
        try set("a=1; Secure", "b=2")
        try jar.set("c=3", from: "https://one.example/")
        jar.clock.advance(by: 1)
        try jar.set("d=4", from: "https://two.example/")
        jar.clock.advance(by: 1)
        _ = try jar.sent()
        try jar.set("e=5", from: "https://three.example/")
        try jar.set("f=6", from: "https://four.example/")
        #expect(names == ["a", "b", "d", "e", "f"])
        jar.clock.advance(by: 1)
        try jar.set("g=7", from: "https://five.example/")
        #expect(names == ["a", "b", "e", "f", "g"])
        // Of two cookies with the same last access time, the cookie that was stored first is removed.
        try jar.set("h=8", from: "https://six.example/")
        #expect(names == ["b", "e", "f", "g", "h"])
    }

    @Test func `A replacement needs no space, and each removed cookie is reported`() throws {
        let reported = Mutex<[String]>([])
        jar.jar.observe { change in reported.withLock { $0.append("\(change.cause) \(change.identity.name)") } }
        try set("a=1", "b=2", "c=3", "a=4", "d=5")
        #expect(reported.withLock { $0 } == ["set a", "set b", "set c", "overwritten a", "set d", "evicted b"])
    }

    @Test func `The limits also apply to the initial cookies`() {
        var limits = CookieStore.Limits()
        limits.total = 2
        let cookies = ["a", "b", "c"].map { jar.cookie($0, domain: "\($0).example") } + [jar.cookie("", "")]
        #expect(Jar(limits: limits, cookies: cookies).jar.cookies.map(\.identity.name) == ["b", "c"])
    }

    private func set(_ fields: String...) throws {
        for field in fields {
            jar.clock.advance(by: 1)
            try jar.set(field)
        }
    }

    private var names: [String] { jar.jar.cookies.map(\.identity.name) }
}
