// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) import ResourceLoading
import Testing

@Suite("Order and status of response heads", .timeLimit(.minutes(1)))
struct ResponseHeadStateTests {
    @Test("Accepts informational heads, one final head and trailers")
    func accepted() throws {
        var state = ResponseHeadState()
        let heads = [
            try state.receive(status: 100), try state.receive(statusFields: ["103"], endsMessage: false),
            try state.receive(statusFields: ["200"], endsMessage: false),
            try state.receive(statusFields: [], endsMessage: true),
        ]
        #expect(heads == [.informational, .informational, .final, .trailers])
        for status in [200, 204, 304, 404, 599, 600, 999] {
            var state = ResponseHeadState()
            let head = try state.receive(status: status, endsMessage: true)
            #expect(head == .final)
        }
    }

    @Test("Rejects a status outside 100 to 999", arguments: [Int.min, -200, -1, 0, 1, 12, 20, 99, 1_000, Int.max])
    func range(status: Int) {
        var state = ResponseHeadState()
        #expect(throws: ResponseHeadState.Violation.self) { try state.receive(status: status) }
    }

    @Test(
        "Rejects a :status that is not three digits",
        arguments: ["", "-1", "-20", "+20", "20", "0200", "1000", "2 0", "2OO", "٢٠٠", "200 ", "99999999999999999999"])
    func digits(text: String) {
        var state = ResponseHeadState()
        #expect(throws: ResponseHeadState.Violation.self) {
            try state.receive(statusFields: [text], endsMessage: false)
        }
    }

    @Test("Rejects 101 unless the request offered an upgrade")
    func upgrade() throws {
        var plain = ResponseHeadState()
        #expect(throws: ResponseHeadState.Violation.self) { try plain.receive(status: 101) }
        var upgrade = ResponseHeadState(allowsUpgrade: true)
        let head = try upgrade.receive(status: 101)
        #expect(head == .final)
    }

    @Test("Rejects more than 100 informational heads")
    func informational() throws {
        var state = ResponseHeadState()
        for _ in 0..<100 { try state.receive(status: 103) }
        var endless = state
        #expect(throws: ResponseHeadState.Violation.self) { try endless.receive(status: 103) }
        let head = try state.receive(status: 200)
        #expect(head == .final)
    }

    @Test("Rejects heads out of order")
    func order() throws {
        var ended = ResponseHeadState()
        #expect(throws: ResponseHeadState.Violation.self) { try ended.receive(status: 103, endsMessage: true) }
        var twice = ResponseHeadState()
        try twice.receive(status: 200)
        #expect(throws: ResponseHeadState.Violation.self) { try twice.receive(status: 200) }
        #expect(throws: ResponseHeadState.Violation.self) { try twice.receive(status: 100) }
        #expect(throws: ResponseHeadState.Violation.self) { try twice.receive(statusFields: [], endsMessage: false) }
        var missing = ResponseHeadState()
        #expect(throws: ResponseHeadState.Violation.self) { try missing.receive(statusFields: [], endsMessage: true) }
        var several = ResponseHeadState()
        #expect(throws: ResponseHeadState.Violation.self) {
            try several.receive(statusFields: ["200", "200"], endsMessage: false)
        }
    }
}
