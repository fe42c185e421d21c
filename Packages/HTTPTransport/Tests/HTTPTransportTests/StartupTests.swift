// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import HTTPTransport

@Suite("Values that are started again after a loss", .timeLimit(.minutes(3)))
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

    @Test("A late result of an earlier start is ignored")
    func late() {
        var startup = Startup<Int>(.idle)
        begin(&startup)
        startup.finish(1, .failure(Failed()))
        #expect(isIdle(startup))
        begin(&startup)
        // Another caller that waited for the first start records its result.
        startup.finish(1, .failure(Failed()))
        #expect(!isIdle(startup) && startup.number == 2)
        startup.finish(1, .success(1))
        #expect(value(startup) == nil)
        startup.finish(2, .success(2))
        startup.finish(1, .failure(Failed()))
        startup.finish(2, .failure(Failed()))
        #expect(value(startup) == 2)
    }

    @Test("A lost value is started again, and only the current value can be lost")
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
        // The value is lost before the result of its start is recorded.
        startup.lose(2)
        begin(&startup)
        startup.lose(3)
        startup.finish(3, .success(3))
        #expect(isIdle(startup))
    }

    @Test("An ended value is not started again")
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
