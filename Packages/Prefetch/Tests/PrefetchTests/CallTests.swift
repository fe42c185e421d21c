// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@_spi(Facade) @testable import Prefetch

/// Tests of pages that request responses by messages.
@Suite(.timeLimit(.minutes(1)))
struct CallTests {
    private let origin = WebOrigin(scheme: "https", authority: "m.example.com")
    private let call = #"{"url":"https://m.example.com/api?id=7"}"#

    private func sendRequest(
        _ fixture: Fixture, _ json: String, from origin: WebOrigin? = nil, waits: Bool = true
    ) async throws -> String? {
        let call = try PrefetchCall(json: Data(json.utf8))
        let response = try await fixture.loader.answer(
            call, of: fixture.page, from: origin ?? self.origin, waits: waits)
        guard let response else { return nil }
        return String(decoding: try await PrefetchReply(response).json, as: UTF8.self)
    }

    @Test("A message gets the response once. The reply contains status, headers and body, but no cookies")
    func reply() async throws {
        let fixture = Fixture()
        try fixture.open()
        var fields: HTTPFields = [.contentType: "application/json", .setCookie: "secret=1; HttpOnly"]
        fields.append(HTTPField(name: .cacheControl, value: "a"))
        fields.append(HTTPField(name: .cacheControl, value: "b"))
        try await fixture.upstream.exchange(1).answer(whole: #"{"a":"ü"}"#, fields)
        #expect(
            try await sendRequest(fixture, call)
                == #"{"status":200,"headers":{"content-type":"application/json","cache-control":"a, b"},"body":"{\"a\":\"ü\"}"}"#
        )
        #expect(try await sendRequest(fixture, call) == nil)
        #expect(fixture.upstream.count == 1 && fixture.loader.counters.hits + fixture.loader.counters.joins == 1)
    }

    @Test("If cookies are not stored, a message gets no response with cookies", arguments: [false, true])
    func cookies(isThere: Bool) async throws {
        let fixture = Fixture()
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        let fields: HTTPFields = [.setCookie: "session=2"]
        if isThere { ahead.answer(whole: "data", fields) }
        let call = try PrefetchCall(json: Data(call.utf8))
        let page = fixture.page
        async let refused = fixture.loader.answer(call, of: page, from: origin, keepsCookies: false)
        if !isThere {
            try await until { fixture.clock.sleeperCount == 2 }
            ahead.answer(whole: "data", fields)
        }
        #expect(try await refused == nil)
        let taken = try await fixture.loader.answer(call, of: page, from: origin)
        #expect(taken?.head.headerFields[.setCookie] == "session=2")
        #expect(fixture.upstream.count == 1)
    }

    @Test("A message waits for the response; a polling message gets `nil` before, which does not count as a miss")
    func polls() async throws {
        let fixture = Fixture()
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        for _ in 0..<3 { #expect(try await sendRequest(fixture, call, waits: false) == nil) }
        #expect(fixture.loader.counters.misses == 0 && fixture.loader.waitingCount == 1)
        async let reply = sendRequest(fixture, call)
        try await until { fixture.clock.sleeperCount == 2 }
        ahead.answer(whole: "data")
        #expect(try await reply == #"{"status":200,"headers":{},"body":"data"}"#)
    }

    @Test("A body is a string or JSON")
    func bodies() async throws {
        let interface = #"{"api":"https://m.example.com/api","method":"POST","body":{"a":1,"b":[]}}"#
        for body in [#"{"b":[],"a":1.0}"#, #""{\"b\": [], \"a\":1}""#] {
            let fixture = Fixture()
            try fixture.open(interface)
            try await fixture.upstream.exchange(1).answer(whole: "data")
            let json = #"{"url":"https://m.example.com/api","method":"post","body":\#(body)}"#
            #expect(try await sendRequest(fixture, #"{"url":"https://m.example.com/api","method":"post"}"#) == nil)
            #expect(try await sendRequest(fixture, json) == #"{"status":200,"headers":{},"body":"data"}"#)
        }
    }

    @Test("Another origin or another account gets nothing")
    func others() async throws {
        let fixture = Fixture()
        try fixture.open()
        try await fixture.upstream.exchange(1).answer(whole: "data")
        for origin in [WebOrigin.opaque, WebOrigin(scheme: "https", authority: "other.test")] {
            #expect(try await sendRequest(fixture, call, from: origin) == nil)
        }
        #expect(fixture.loader.waitingCount == 1)
        // The cookies have changed in the meantime.
        let changing = Fixture(ChangingFields())
        try changing.open()
        try await changing.upstream.exchange(1).answer(whole: "data")
        #expect(try await sendRequest(changing, call) == nil)
        #expect(changing.loader.counters.mismatches == 1 && changing.loader.waitingCount == 1)
    }

    @Test(
        "Invalid messages are refused",
        arguments: [
            ("", "bad-json: no JSON value (byte 0)"), ("[]", "bad-table: not an object"),
            ("{}", "bad-table: missing (url)"),
            (#"{"url":"/api"}"#, "bad-table: not an absolute http or https URL (url)"),
            (#"{"url":"https://a.test/","method":1}"#, "bad-table: not a string (method)"),
        ])
    func refused(_ json: String, _ message: String) {
        do throws(PrefetchError) {
            _ = try PrefetchCall(json: Data(json.utf8))
            #expect(Bool(false), "taken")
        } catch {
            #expect("\(error)" == message)
        }
    }

    /// A type that completes each request with the cookie of another user.
    private final class ChangingFields: PrefetchCompleting {
        private let count = Counter()

        func completed(_ request: ResourceRequest) async throws -> ResourceRequest {
            try await FixedFields(fields: [.cookie: "user=\(await count.next())"]).completed(request)
        }

        private actor Counter {
            private var value = 0

            func next() -> Int {
                value += 1
                return value
            }
        }
    }
}
