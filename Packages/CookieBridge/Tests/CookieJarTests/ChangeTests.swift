// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Dispatch
import Foundation
import Testing

@testable import CookieJar

/// Tests of the changes that observers receive.
@Suite(.timeLimit(.minutes(3)))
struct ChangeTests {
    let jar = Jar()
    let log = Log()

    final class Log: Sendable {
        private let received = Mutex<[CookieChange]>([])

        var changes: [CookieChange] { received.withLock { $0 } }
        var lines: [String] {
            changes.map { change in
                let value = change.cookie.map { "=\($0.value)" } ?? ""
                let source = change.source.map { " by \($0)" } ?? ""
                return "\(change.version) \(change.cause) \(change.identity.name)\(value)\(source)"
            }
        }

        func append(_ change: CookieChange) {
            received.withLock { $0.append(change) }
        }
    }

    @Test func `Observers receive each change once, with its cause and its source`() throws {
        jar.jar.observe { [log] in log.append($0) }
        try jar.set("a=1; Max-Age=10")
        try jar.script("a=2; Max-Age=10")
        try jar.jar.insert(jar.cookie("b"))
        jar.clock.advance(by: 10)
        _ = try jar.sent()
        try jar.set("c=3")
        try jar.set("c=; Max-Age=0")
        try jar.set("c=; Max-Age=0")
        jar.jar.removeAll()
        #expect(
            log.lines == [
                "1 set a=1 by http", "2 overwritten a=2 by script", "3 set b=v by native", "4 expired a",
                "5 set c=3 by http",
                "6 expired c by http", "7 removed b by native",
            ])
        #expect(jar.jar.version == 7)
        #expect(log.changes.map { $0.previous?.value } == [nil, "1", nil, "2", nil, "3", "v"])
        #expect(jar.jar.snapshot == CookieSnapshot(version: 7, cookies: []))
    }

    @Test func `Storing an equal cookie is no change`() throws {
        jar.jar.observe { [log] in log.append($0) }
        for _ in 0..<3 {
            try jar.set("a=1")
            try jar.jar.insert(jar.cookie("a", "1"))
            jar.clock.advance(by: 1)
        }
        #expect(log.lines == ["1 set a=1 by http"])
        // Canonically equivalent strings have different bytes.
        try jar.set("a=\u{E9}")
        try jar.set("a=e\u{301}")
        #expect(log.changes.count == 3)
    }

    @Test func `Observers receive no refused cookie, and nothing after the cancellation`() throws {
        let observation = jar.jar.observe { [log] in log.append($0) }
        #expect(try jar.set("a=1; Domain=other.example") == .otherDomain)
        #expect(log.lines.isEmpty)
        try jar.set("a=1")
        observation.cancel()
        try jar.set("b=2")
        #expect(log.changes.count == 1)
    }

    @Test func `An observer may change the jar, and all observers receive the changes in order`() throws {
        let other = Log()
        jar.jar.observe { [jar] change in
            guard change.identity.name == "a" else { return }
            _ = try? jar.set("b=2")
            _ = jar.jar.remove(change.identity)
        }
        jar.jar.observe { [log] in log.append($0) }
        jar.jar.observe { other.append($0) }
        try jar.set("a=1")
        #expect(Array(log.lines.prefix(3)) == ["1 set a=1 by http", "2 set b=2 by http", "3 removed a by native"])
        #expect(other.changes == log.changes)
    }

    @Test func `Observers receive changes of many threads in the order in which they happened`() throws {
        jar.jar.observe { [log] in log.append($0) }
        let url = try #require(CookieURL("https://shop.example/"))
        DispatchQueue.concurrentPerform(iterations: 8) { [jar] thread in
            for turn in 0..<200 {
                jar.jar.store(setCookies: ["c\(thread)=\(turn)"], from: url)
                _ = jar.jar.cookieHeader(for: url)
            }
        }
        #expect(log.changes.map(\.version) == Array(1...1_600))
        // The received changes, applied in order, result in the contents of the jar.
        var model: [Cookie.Identity: String] = [:]
        for change in log.changes { model[change.identity] = change.cookie?.value }
        #expect(model == Dictionary(uniqueKeysWithValues: jar.jar.cookies.map { ($0.identity, $0.value) }))
    }

    @Test func `Cancelling the observation of a released jar does nothing`() {
        let observation = Jar().jar.observe { _ in }
        observation.cancel()
    }
}
