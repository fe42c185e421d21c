// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@_spi(Fuzzing) @_spi(Facade) @testable import BodyBridge

@MainActor
@Suite("Legacy bridge", .timeLimit(.minutes(3)))
struct LegacyBridgeTests {
    private final class Host: LegacyHosting {
        var asked: [String] = []

        func origin(ofDocument url: String) -> WebOrigin? {
            WebOrigin(url: url).flatMap { $0.scheme == "https" ? $0 : nil }
        }

        func cookieLine(of message: Data, fromDocument url: String) throws -> String {
            asked.append("\(url) \(String(decoding: message, as: UTF8.self))")
            guard !message.isEmpty else { throw ResourceError(.invalidRequest, "no cookie") }
            return "a=b; Path=/"
        }

        /// The results by message, and the number of requests for each.
        var found: [String: Result<Data?, any Error>] = [:]
        var isLookedFor: [String: Int] = [:]
        var cancelled = 0
        private var waiting: [String: AsyncStream<Void>.Continuation] = [:]

        func prefetched(_ message: Data, for origin: WebOrigin, by bridge: LegacyBridge) async throws -> Data? {
            let name = "\(origin) \(String(decoding: message, as: UTF8.self))"
            isLookedFor[name, default: 0] += 1
            if found[name] == nil {
                let (told, waiter) = AsyncStream.makeStream(of: Void.self)
                waiting[name] = waiter
                for await _ in told {}
            }
            if Task.isCancelled { cancelled += 1 }
            try Task.checkCancellation()
            return try found[name]?.get()
        }

        func find(_ name: String, _ result: Result<Data?, any Error>) {
            found[name] = result
            waiting[name]?.finish()
        }
    }

    private let host = Host()
    private let token = BridgeToken()
    private let page = WebOrigin(scheme: "https", authority: "shop.example")
    private let frame = WebOrigin(scheme: "https", authority: "other.example")
    private let bridge: LegacyBridge

    init() throws {
        var limits = BodyLimits()
        (limits.bytes, limits.count) = (100, 3)
        bridge = LegacyBridge(try #require(LegacyMessages(prefix: "yx")), token: token, limits: limits, host: host)
    }

    private func say(_ word: String, _ json: String, from url: String = "https://shop.example/a#b") -> String? {
        bridge.answer(to: "\(bridge.prefix)\(word) \(url) \(json)")
    }

    private func store(_ id: String, _ body: String = #""x""#, from url: String = "https://shop.example/a") -> String? {
        say("body", #"{"requestId":"\#(id)","body":\#(body)}"#, from: url)
    }

    private func has(_ id: String, _ origin: WebOrigin) -> Bool { bridge.removeBody(id, for: origin) != nil }

    private func text(_ body: LegacyBody?) async throws -> String? {
        try await body.map(\.body)?.collect(upTo: 1_000).text
    }

    @Test("A body can be removed once, by a request of the origin that stored it")
    func once() async throws {
        #expect(store("1", #""é""#) == #"{"value":"1"}"#)
        #expect(!has("1", frame))
        #expect(!has("2", page))
        let body = bridge.removeBody("1", for: page)
        #expect(try await text(body) == "é")
        #expect(!has("1", page) && bridge.count == 0)
    }

    @Test("Ids are compared by bytes")
    func ids() async throws {
        #expect(store("\u{E9}", #""composed""#)?.hasPrefix(#"{"value""#) == true)
        #expect(!has("e\u{301}", page))
        #expect(store("e\u{301}", #""decomposed""#)?.hasPrefix(#"{"value""#) == true)
        #expect(bridge.count == 2 && !has("\u{212A}", page))
        #expect(try await text(bridge.removeBody("e\u{301}", for: page)) == "decomposed")
        #expect(try await text(bridge.removeBody("\u{E9}", for: page)) == "composed")
    }

    /// Polls with a ticket until there is a result.
    private func ending(of ticket: String) async throws -> String {
        while true {
            try Task.checkCancellation()
            let answer = try #require(say("prefetched", ticket))
            if answer != #"{"value":""}"# { return answer }
            await Task.yield()
        }
    }

    private func ticket(for message: String) throws -> String {
        let answer = try #require(say("prefetch", message))
        let value = try #require(JSONDecoder().decode([String: String].self, from: Data(answer.utf8))["value"])
        #expect(value.utf8.count == 32)
        return "\"\(value)\""
    }

    @Test("A document of the same origin can request a prefetched response once by its ticket")
    func fetchedAhead() async throws {
        let message = #"{"url":"https://shop.example/a"}"#
        let name = "https://shop.example \(message)"
        let ticket = try ticket(for: message)
        #expect(say("prefetched", ticket) == #"{"value":""}"#)
        host.find(name, .success(Data(#"{"status":200}"#.utf8)))
        while host.isLookedFor[name] == nil { await Task.yield() }
        #expect(say("prefetched", ticket, from: "https://other.example/") == #"{"value":"null"}"#)
        #expect(try await ending(of: ticket) == #"{"value":"{\"status\":200}"}"#)
        #expect(say("prefetched", ticket) == #"{"value":"null"}"#)
        #expect(host.isLookedFor == [name: 1])
        // The first lookup finds no response, and the second message is invalid.
        host.find("https://shop.example {}", .success(nil))
        #expect(try await ending(of: self.ticket(for: "{}")) == #"{"value":"null"}"#)
        host.find("https://shop.example []", .failure(ResourceError(.invalidRequest, "no message")))
        let refusal = try await ending(of: self.ticket(for: "[]"))
        #expect(refusal.hasPrefix(#"{"error":"#) && refusal.contains("no message"))
        #expect(say("prefetch", "{}", from: "data:text/html,x")?.hasPrefix(#"{"error":"#) == true)
        #expect(say("prefetched", "7")?.hasPrefix(#"{"error":"#) == true)
    }

    @Test("Lookups end with their document, and an origin has at most 32 lookups")
    func questionsEnd() async throws {
        let tickets = try (0..<32).map { try ticket(for: "{\"a\":\($0)}") }
        #expect(say("prefetch", "{}")?.hasPrefix(#"{"error":"#) == true)
        while host.isLookedFor.count < 32 { await Task.yield() }
        bridge.removeAll()
        while host.cancelled < 32 { await Task.yield() }
        #expect(say("prefetched", tickets[0]) == #"{"value":"null"}"#)
        _ = try ticket(for: "{}")
    }

    @Test("The lookups of a closed frame do not block other origins, and new lookups replace finished lookups")
    func questionsMakeRoom() async throws {
        let tickets = try (0..<32).map { try ticket(for: "{\"a\":\($0)}") }
        #expect(say("prefetch", "{}", from: "https://other.example/")?.hasPrefix(#"{"value":"#) == true)
        #expect(say("prefetch", "{}")?.hasPrefix(#"{"error":"#) == true)
        host.find(#"https://shop.example {"a":5}"#, .success(nil))
        while say("prefetch", "[]")?.hasPrefix(#"{"error":"#) == true { await Task.yield() }
        // Only the finished result was removed.
        #expect(say("prefetched", tickets[5]) == #"{"value":"null"}"#)
        #expect(say("prefetched", tickets[4]) == #"{"value":""}"#)
    }

    @Test("Two origins may use the same id, and each has the last body that it stored")
    func origins() async throws {
        _ = store("1", #""old""#)
        _ = store("1", #""frame's""#, from: "https://other.example/")
        _ = store("1", #""new""#)
        #expect(bridge.count == 2)
        #expect(try await text(bridge.removeBody("1", for: page)) == "new")
        #expect(try await text(bridge.removeBody("1", for: frame)) == "frame's")
    }

    @Test("A body, its fields and its type complete the request")
    func completes() throws {
        _ = say("body", #"{"requestId":"1","body":{"a":1},"headers":{"X-Own":"1","Accept":"a/b"}}"#)
        let own = try #require(HTTPField.Name("X-Own"))
        var head = try #require(
            HTTPRequest(
                method: .post, urlText: "https://shop.example/",
                headerFields: [.accept: "*/*", .contentLength: "0", .userAgent: "u"]))
        let body = try #require(bridge.removeBody("1", for: page))
        body.complete(&head)
        #expect(
            head.headerFields == [.accept: "a/b", .userAgent: "u", own: "1", .contentType: "application/json"])
        // A content type that the request already has remains.
        head.headerFields = [.contentType: "x/y"]
        body.complete(&head)
        #expect(head.headerFields[.contentType] == "x/y")
        if case .bytes(let bytes) = body.body(for: .put) { #expect(bytes == Data(#"{"a":1}"#.utf8)) }
        guard case .empty = body.body(for: .get) else {
            Issue.record("a body by GET")
            return
        }
    }

    @Test("A document without an origin cannot send a body")
    func noOrigin() {
        for url in ["null/", "about:srcdoc", "data:text/html,x", "file:///a", ""] {
            #expect(store("1", from: url)?.hasPrefix(#"{"error":"blocked"#) == true, "\(url)")
        }
        #expect(bridge.count == 0)
    }

    @Test("The limits apply to number and bytes; a refused body takes no space")
    func limits() {
        for id in 1...3 { #expect(store("\(id)") == #"{"value":"\#(id)"}"#) }
        #expect(store("4")?.contains("too-large") == true)
        // A page can replace its own body at the limit.
        #expect(store("3") == #"{"value":"3"}"#)
        bridge.removeAll()
        #expect(bridge.count == 0 && !has("1", page))
        let long = #""\#(String(repeating: "x", count: 101))""#
        for id in 1...5 { #expect(store("\(id)", long)?.contains("too-large") == true) }
        #expect(bridge.count == 0)
        #expect(store("1") == #"{"value":"1"}"#)
    }

    @Test("A body expires if no request removes it, and its request then gets no body")
    func patience() async throws {
        let clock = StoppedClock()
        let bridge = LegacyBridge(try #require(LegacyMessages(prefix: "yx")), token: token, clock: clock, host: host)
        let text = #"\#(bridge.prefix)body https://shop.example/ {"requestId":"1","body":"x"}"#
        #expect(bridge.answer(to: text) == #"{"value":"1"}"#)
        await clock.waits()
        clock.end()
        while bridge.count > 0 { await Task.yield() }
        #expect(bridge.removeBody("1", for: page) == nil)
    }

    @Test("Yen signs that represent backslashes are converted, and other yen signs remain")
    func yen() async throws {
        // The text of a dialog for `{"requestId":"1","body":"¥\\¥n\n\u00a5\"","headers":…}` in Shift_JIS, and in other
        // charsets.
        for backslash in ["\\", "¥"] {
            let body = #""\u00a5\\\u00a5n\n\\u00a5\"""#.replacing("\\", with: backslash)
            #expect(store("1", body) == #"{"value":"1"}"#)
            #expect(try await text(bridge.removeBody("1", for: page)) == "¥\\¥n\n\\u00a5\"")
        }
        _ = store("1", #"{"a":"\u00a5"}"#)
        #expect(try await text(bridge.removeBody("1", for: page)) == #"{"a":"¥"}"#)
    }

    @Test("The host converts cookie messages, and its error is returned")
    func cookies() {
        #expect(say("cookie", #"{"x":"a b"}"#) == #"{"value":"a=b; Path=\/"}"#)
        #expect(host.asked == [#"https://shop.example/a#b {"x":"a b"}"#])
        #expect(say("cookie", "") == #"{"error":"invalid-request: no cookie"}"#)
    }

    @Test("Equal refusals of a document are reported once, and at most 16 different ones")
    func refusals() throws {
        var reports: [String] = []
        let bridge = LegacyBridge(
            try #require(LegacyMessages(prefix: "yx")), token: token, host: host,
            onRefusal: {
                reports.append("\($0) \($2)"); #expect(!$1.isEmpty)
            })
        func send(_ word: String, _ json: String, from url: String = "https://shop.example/a") {
            _ = bridge.answer(to: "\(bridge.prefix)\(word) \(url) \(json)")
        }
        for _ in 0..<100 { send("body", "{}") }
        #expect(reports == ["body https://shop.example"])
        send("body", #"{"requestId":"1"}"#)
        send("cookie", "")
        send("body", #"{"requestId":{}}"#)
        send("body", "{}", from: "http://shop.example/")
        #expect(
            reports.dropFirst() == ["cookie https://shop.example", "body https://shop.example", "body another scheme"])
        bridge.removeAll()
        send("body", "{}")
        #expect(reports.count == 5)
        for length in 0..<100 { send("cookie", String(repeating: "x", count: 70_000 + length)) }
        #expect(reports.count == 4 + 16)
    }

    @Test(
        "Text that is not a message of the script gets no reply",
        arguments: ["", "body", "body https://shop.example/", "other https://shop.example/ {}", #"{"ask":"cookies"}"#])
    func notAsked(_ text: String) {
        #expect(bridge.answer(to: bridge.prefix + text) == nil)
        #expect(
            bridge.answer(to: #"\#(BridgeToken().text) body https://shop.example/ {"requestId":"1","body":""}"#) == nil)
        #expect(bridge.count == 0)
    }

    @Test("The script contains its token and names once, and is one statement that cannot run twice")
    func script() {
        #expect(bridge.page.hasPrefix("const _") && bridge.page.contains(#""callback":"yx_realxhr_callback""#))
        #expect(bridge.page.components(separatedBy: token.text).count == 2)
        #expect(bridge.page.utf8.count < 4_096)
    }
}

extension Data {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}

/// A clock whose sleepers wait until `end()`.
private final class StoppedClock: Clock {
    typealias Instant = ContinuousClock.Instant
    let now = ContinuousClock.now
    let minimumResolution = Duration.zero
    private let sleeps = AsyncStream<Void>.makeStream()
    private let ends = AsyncStream<Void>.makeStream()

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        sleeps.continuation.yield()
        for await _ in ends.stream {}
    }

    func waits() async { for await _ in sleeps.stream { break } }
    func end() { ends.continuation.finish() }
}
