// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import HTTPTransport

@Suite("What is started again when it was lost", .timeLimit(.minutes(3)))
struct StartupTests {
    private struct Failed: Error {}

    private func isIdle(_ startup: Startup<Int>) -> Bool {
        if case .idle = startup.phase { true } else { false }
    }

    private func value(_ startup: Startup<Int>) -> Int? {
        if case .ready(let value) = startup.phase { value } else { nil }
    }

    private func begin(_ startup: inout Startup<Int>) {
        startup.begin { number in Task { number } }
    }

    @Test("One that comes late speaks of its own start alone")
    func late() {
        var startup = Startup<Int>(.idle)
        begin(&startup)
        startup.finish(1, .failure(Failed()))
        #expect(isIdle(startup))
        begin(&startup)
        // A second one that waited for the first start.
        startup.finish(1, .failure(Failed()))
        #expect(!isIdle(startup) && startup.number == 2)
        startup.finish(1, .success(1))
        #expect(value(startup) == nil)
        startup.finish(2, .success(2))
        startup.finish(1, .failure(Failed()))
        startup.finish(2, .failure(Failed()))
        #expect(value(startup) == 2)
    }

    @Test("What is lost is started again, and only what is there can be lost")
    func lost() {
        var startup = Startup<Int>(.idle)
        begin(&startup)
        startup.finish(1, .success(1))
        startup.lose(1)
        #expect(isIdle(startup))
        begin(&startup)
        startup.finish(2, .success(2))
        startup.lose(1)
        #expect(value(startup) == 2)
        // Lost before anybody heard that it was there.
        startup.lose(2)
        begin(&startup)
        startup.lose(3)
        startup.finish(3, .success(3))
        #expect(isIdle(startup))
    }

    @Test("What has ended is not started again")
    func ended() {
        var startup = Startup<Int>(.idle)
        begin(&startup)
        _ = startup.end()
        startup.finish(1, .success(1))
        startup.lose(1)
        begin(&startup)
        #expect(startup.number == 1 && value(startup) == nil && !isIdle(startup))
    }
}
