// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import Prefetch
import ResourceLoading
import Testing

@testable import TableSuggestions

/// Prefetch tables suggested from observed requests.
@Suite(.timeLimit(.minutes(1)))
struct PrefetchSuggestionTests {
    private static let page = "https://m.example.com/help/new?id=163&itemId=126"
    private static let api = "https://m.example.com/api/info"
    /// The date 2026-03-01T12:00:00Z.
    private static let now = Date(timeIntervalSince1970: 1_772_366_400)

    /// Returns a request of a script with a JSON response.
    private func seen(
        _ url: String = api, _ method: HTTPRequest.Method = .get, body: String = "",
        _ change: (inout ObservedRequest) throws -> Void = { _ in }
    ) throws -> ObservedRequest {
        var head = try #require(HTTPRequest(method: method, urlText: url))
        head.headerFields[.userAgent] = "engine"
        head.headerFields[.cookie] = "a=1"
        if !body.isEmpty { head.headerFields[.contentType] = "application/json; charset=utf-8" }
        var response = HTTPResponse(status: .ok)
        response.headerFields[.contentType] = "application/json"
        var observed = ObservedRequest(head, body: Data(body.utf8), response: response)
        try change(&observed)
        return observed
    }

    private func destination() throws -> HTTPField.Name { try #require(HTTPField.Name("Sec-Fetch-Dest")) }

    private func suggestion(
        _ runs: [[ObservedRequest]], page: String = page, limits: PrefetchLimits = .default
    ) throws -> PrefetchSuggestion {
        try PrefetchSuggestion(page: page, runs: runs, now: Self.now, limits: limits)
    }

    /// Returns the requests that the suggested table defines for a page.
    private func asked(_ suggestion: PrefetchSuggestion, on page: String = page) throws -> [String] {
        try PrefetchTable(json: suggestion.json(version: "1")).requests(for: page).map { request in
            let body = request.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
            return "\(request.method.rawValue) \(request.url)\(body)"
        }
    }

    /// Returns the reason to omit the single request, or `nil` if it is included.
    private func reason(_ observed: ObservedRequest, runs: Int = 2, page: String = page) throws -> String? {
        let suggestion = try suggestion(Array(repeating: [observed], count: runs), page: page)
        #expect(suggestion.count + suggestion.leftOut.count == 1)
        return suggestion.leftOut.first?.reason
    }

    // MARK: Positions of the page's parameters

    @Test(
        "The page's parameters are found at the positions that a row can express, and apply to another page",
        arguments: [
            ("?id=163&itemId=126", "", "?id=9&x=y", ""),
            ("?v=2&size=20&id=163&itemId=126", "", "?v=2&size=20&id=9&x=y", ""),
            ("", #"{"itemId":126,"kind":"a","id":163}"#, "", #" {"kind":"a","id":9,"x":"y"}"#),
            ("", #"{"id":163,"itemId":126}"#, "", #" {"id":9,"x":"y"}"#),
            (
                "?id=163&itemId=126", #"{"n":{"m":1},"id":163,"itemId":126}"#, "?id=9&x=y",
                #" {"n":{"m":1},"id":9,"x":"y"}"#
            ),
            ("?size=20", #"{"size":20}"#, "?size=20", #" {"size":20}"#),
        ])
    func parameters(_ query: String, _ body: String, _ otherQuery: String, _ otherBody: String) throws {
        let method: HTTPRequest.Method = body.isEmpty ? .get : .post
        let observed = try seen(Self.api + query, method, body: body)
        let suggestion = try suggestion([[observed], [observed]])
        #expect(suggestion.leftOut.isEmpty)
        let other = try asked(suggestion, on: "https://m.example.com/help/new?id=9&x=y")
        #expect(other == ["\(method.rawValue) \(Self.api)\(otherQuery)\(otherBody)"])
    }

    @Test(
        "A page parameter at a position that a row cannot express excludes the request",
        arguments: [
            (api + "?id=163", ""), (api + "?itemId=126&id=163", ""), (api + "?key2=163", ""),
            ("https://m.example.com/api/163/info", ""), ("https://m.example.com/item/163.json", ""),
            (api, #"{"id":"163","itemId":"126"}"#), (api, #"{"visit":{"id":163}}"#), (api, #"{"id":163}"#),
        ])
    func strayParameters(_ url: String, _ body: String) throws {
        let reason = try reason(try seen(url, body.isEmpty ? .get : .post, body: body))
        #expect(try #require(reason).hasPrefix("the page's parameter "))
    }

    @Test("A short value counts as a page parameter only if it has the parameter's name")
    func shortValues() throws {
        #expect(try reason(try seen(Self.api + "?size=7"), page: "https://m.example.com/new?id=7") == nil)
        #expect(try reason(try seen(Self.api + "?size=7&id=7"), page: "https://m.example.com/new?id=7") == nil)
        #expect(
            try reason(try seen(Self.api + "?id=7&size=7"), page: "https://m.example.com/new?id=7&n=1")
                == "the page's parameter id is at a position that a table cannot express")
    }

    // MARK: Runs

    @Test(
        "Equal requests are included; requests that differ between runs are omitted, and the reason lists the parameters"
    )
    func runs() throws {
        func run(_ number: Int) throws -> [ObservedRequest] {
            try [
                seen(Self.api + "?size=20&seed=\(number)"), seen("https://m.example.com/api/list?size=20"),
                seen("https://m.example.com/api/items", .post, body: #"{"size":20,"draw":\#(number)}"#),
            ]
        }
        let suggestion = try suggestion([run(1), run(2)])
        #expect(try asked(suggestion) == ["GET https://m.example.com/api/list?size=20"])
        #expect(
            Set(suggestion.leftOut.map { "\($0.method) \($0.url): \($0.reason)" }) == [
                "GET \(Self.api): it differs from run to run in seed",
                "POST https://m.example.com/api/items: it differs from run to run in draw",
            ])
    }

    @Test("A request of one run only is omitted")
    func notInEveryRun() throws {
        let (one, other) = (try seen(), try seen("https://m.example.com/api/late"))
        let suggestion = try suggestion([[one], [other, one]])
        #expect(try asked(suggestion) == ["GET \(Self.api)"])
        #expect(suggestion.leftOut.map(\.reason) == ["it does not occur in every run"])
    }

    @Test("A request that occurs twice in a run is listed once; a request with other parameters is listed separately")
    func repeated() throws {
        let run = try [seen(), seen(), seen(Self.api + "?size=1")]
        #expect(try asked(try suggestion([run, run])) == ["GET \(Self.api)", "GET \(Self.api)?size=1"])
    }

    @Test("A POST must occur equally in two runs")
    func posts() throws {
        let post = try seen(Self.api, .post, body: #"{"size":20}"#)
        #expect(try reason(post) == nil)
        #expect(try reason(post, runs: 1) == "a POST must occur equally in two runs")
        #expect(try reason(try seen(Self.api, .post)) == nil)
    }

    @Test("An error in any run excludes a request")
    func errors() throws {
        let failed = try seen { $0.response?.status = .serviceUnavailable }
        let suggestion = try suggestion([[try seen()], [failed]])
        #expect(suggestion.count == 0 && suggestion.leftOut.map(\.reason) == ["it received the status 503"])
    }

    // MARK: Data requests

    @Test("Scripts, images, documents and preflights are neither data nor reported as omitted")
    func noData() throws {
        func typed(_ type: String, _ destination: String?, _ method: HTTPRequest.Method = .get) throws
            -> ObservedRequest
        {
            try seen(Self.api, method) { observed in
                observed.response?.headerFields[.contentType] = type
                if let destination { observed.request.headerFields[try self.destination()] = destination }
            }
        }
        let run = try [
            typed("text/javascript", "script"), typed("application/json", "manifest"), typed("text/html", "document"),
            typed("image/png", "empty"), typed("text/css", nil), typed("application/json", nil, .options),
        ]
        let suggestion = try suggestion([run])
        #expect(suggestion.count == 0 && suggestion.leftOut.isEmpty)
        let data = try [typed("text/plain", "empty"), typed("application/vnd.api+json;x=1", nil)]
        for observed in data { #expect(try reason(observed) == nil) }
    }

    @Test(
        "Requests that are harmful or useless to prefetch are omitted",
        arguments: [
            ("PUT changes something", api, HTTPRequest.Method.put, "", ""),
            ("DELETE changes something", api, .delete, "", ""),
            ("a beacon: the page does not read its response", api, .post, "sec-fetch-mode", "no-cors"),
            ("a beacon: the page does not read its response", api, .post, "content-type", "text/ping"),
            ("its path names a report, not data", "https://a.test/v1/collect", .post, "", ""),
            ("its path names a report, not data", "https://a.test/appLog/x", .get, "", ""),
            ("its path names a change", "https://a.test/cart/addItem", .post, "", ""),
            ("it carries Authorization", api, .get, "authorization", "Bearer x"),
            ("it has the additional header field x-request-id", api, .get, "X-Request-ID", "1"),
        ])
    func requests(_ expected: String, _ url: String, _ method: HTTPRequest.Method, _ name: String, _ value: String)
        throws
    {
        let observed = try seen(url, method) { observed in
            if let name = HTTPField.Name(name) { observed.request.headerFields[name] = value }
        }
        #expect(try reason(observed) == expected)
    }

    @Test("Words of a path are compared as a whole, and only at relevant positions")
    func words() throws {
        for url in ["https://a.test/blog/changelog", "https://a.test/tracks", "https://a.test/add/list"] {
            #expect(try reason(try seen(url, .post)) == nil, "\(url)")
        }
        // GET is a safe method (RFC 9110, section 9.2.1), so the words of the path do not exclude the request.
        #expect(try reason(try seen("https://a.test/like")) == nil)
    }

    @Test("Responses that are private or unusable exclude a request")
    func answers() throws {
        func given(_ name: HTTPField.Name, _ value: String, _ method: HTTPRequest.Method = .get) throws -> String? {
            try reason(try seen(Self.api, method) { $0.response?.headerFields[name] = value })
        }
        #expect(try given(.cacheControl, "private, No-Store") == "its response is no-store")
        #expect(try given(.cacheControl, "private, no-cache") == nil)
        #expect(try given(.setCookie, "a=b") == "its response sets cookies")
        #expect(try given(.vary, "*") == "its response has Vary: *")
        #expect(try given(.vary, "Cookie, Accept-Encoding") == nil)
        #expect(try given(.contentType, "text/html", .post) == "a POST whose response is not JSON")
        let stream = try seen { observed in
            observed.request.headerFields[try destination()] = "empty"
            observed.response?.headerFields[.contentType] = "text/event-stream"
        }
        #expect(try reason(stream) == "its response does not end")
        let silent = try seen { observed in
            observed.request.headerFields[try destination()] = "empty"
            observed.response = nil
        }
        #expect(try reason(silent) == "it received no response")
    }

    @Test("A body must be completely recorded JSON that is sent as JSON")
    func bodies() throws {
        #expect(try reason(try seen(Self.api, .post) { $0.body = nil }) == "its body was not completely recorded")
        #expect(try reason(try seen(Self.api, .post, body: "a=b")) == "its body is not JSON")
        let form = try seen(Self.api, .post, body: "{}") {
            $0.request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        }
        #expect(try reason(form) == "its body is not sent as application/json")
        let large = "[\(String(repeating: "1,", count: 40_000))1]"
        #expect(try reason(try seen(Self.api, .post, body: large)) == "its body is too large")
    }

    // MARK: Permitted content

    @Test(
        "Secrets, personal data and moments in time are never written to a table",
        arguments: [
            ("?access_token=a", "access_token may be a secret"), ("?X-CSRF=a", "X-CSRF may be a secret"),
            ("?sign=a", "sign may be a secret"), ("?q=eyJhbGciOi.eyJzdWIi.c2ln", "q may be a secret"),
            ("?userId=12", "userId may name a person or a device"), ("?q=a%40b.c", "q may name a person or a device"),
            ("?v=1772366399", "v is a moment in time"), ("?v=1772366399123", "v is a moment in time"),
            ("?day=2026-03-01", "day is a moment in time"), ("?day=20260302", "day is a moment in time"),
        ])
    func fixedValues(_ query: String, _ expected: String) throws {
        #expect(try reason(try seen(Self.api + query)) == expected)
        let member = query.dropFirst().split(separator: "=")
        let value = member[1].replacingOccurrences(of: "%40", with: "@")
        let body = #"{"deep":[{"\#(member[0])":"\#(value)"}]}"#
        #expect(try reason(try seen(Self.api, .post, body: body)) == expected)
    }

    @Test(
        "Secrets nested in values and paths are never written",
        arguments: [
            (#"?data={"a":[{"access_token":"sesame"}]}"#, "data holds a value that may be a secret"),
            ("?data=%257B%2522token%2522%253A%2522sesame%2522%257D", "data holds a value that may be a secret"),
            (#"?data={"token":"sesame","token":"#, "data holds a value that cannot be decoded completely"),
            ("?data=eyJ0b2tlbiI6InNlc2FtZSJ9", "data holds a value that may be a secret"),
            ("?data=W3sidXNlcklkIjoic2VzYW1lIn1d", "data holds a value that may name a person or a device"),
            ("?to=https://a.test/b?x%3D1%26sign%3Dsesame", "to holds a value that may be a secret"),
            ("?to=https://a.test/b%23jwt%3Dsesame", "to holds a value that may be a secret"),
            (#"?data={"inner":"{\"password\":\"sesame\"}"}"#, "data holds a value that may be a secret"),
            ("/token/sesame/list", "a part of its path may be a secret"),
            ("/eyJhbGciOi.sesame.c2ln/list", "a part of its path may be a secret"),
            ("/list;jsessionid=sesame", "a part of its path may be a secret"),
            ("/token%3Dsesame", "a part of its path may be a secret"),
            ("/123e4567-e89b-12d3-a456-426614174000", "a part of its path may be a secret"),
            ("/dGhpcyBpcyBh1sesame", "a part of its path may be a secret"),
            ("/report.9e107d9d372bb6826bd81d3542a419d6.json", "a part of its path may be a secret"),
            ("/token//sesame", "a part of its path may be a secret"),
            ("/token/./%20/sesame", "a part of its path may be a secret"),
            ("/uid/12345", "a part of its path may name a person or a device"),
            ("/sesame@b.example", "a part of its path may name a person or a device"),
            ("/2026-03-01", "a part of its path is a moment in time"),
        ])
    func hiddenSecrets(_ rest: String, _ expected: String) throws {
        let spelled = rest.replacing("\"", with: "%22").replacing("{", with: "%7B").replacing("}", with: "%7D")
            .replacing("\\", with: "%5C")
        let observed = try seen(Self.api + spelled)
        let suggestion = try suggestion([[observed], [observed]])
        #expect(suggestion.count == 0 && suggestion.leftOut.map(\.reason) == [expected])
        #expect(!"\(suggestion.leftOut)".contains("sesame"))
        #expect(!String(decoding: try suggestion.json(version: "1"), as: UTF8.self).contains("sesame"))
    }

    @Test(
        "JSON in base64 is decoded with padding, with an unescaped plus, and with spaces",
        arguments: [
            #"{"token":"sesame"}"#, #"{"token":"sesame1"}"#, #"{"token":"sesame12"}"#,
            #"{"a":"\#u{fbff}\#u{fbff}","token":"sesame"}"#, "{\n  \"token\": \"sesame\"\n}",
            "[{ \"token\": \"sesame\" }]",
        ])
    func packedSecrets(_ json: String) throws {
        let packed = Data(json.utf8).base64EncodedString()
        for value in [
            packed, packed.replacing("=", with: ""), packed.replacing("=", with: "%3D"),
            packed.replacing("+", with: "-").replacing("/", with: "_"),
        ] {
            for rest in ["?data=\(value)", "?\(value)", "?a=b&to=https://a.test/?data=\(value)"] {
                let suggestion = try suggestion([[try seen(Self.api + rest)], [try seen(Self.api + rest)]])
                #expect(suggestion.count == 0 && suggestion.leftOut.count == 1, "\(rest)")
                #expect(suggestion.leftOut.allSatisfy { $0.reason.hasSuffix(" may be a secret") }, "\(rest)")
            }
        }
    }

    @Test(
        "A name applies to all nested values, and a `name` member applies to the `value` member of the same object",
        arguments: [
            (#"{"token":{"value":"sesame"}}"#, "token may be a secret"),
            (#"{"tokens":[{"v":"sesame"}]}"#, "tokens may be a secret"),
            (#"[{"name":"token","value":"sesame"}]"#, "a value may be a secret"),
            (#"[{"value":["sesame"],"name":"token"}]"#, "a value may be a secret"),
            (#"{"a":"[{\"Name\":\"token\",\"Value\":\"sesame\"}]"}"#, "a holds a value that may be a secret"),
        ])
    func namedSecrets(_ body: String, _ expected: String) throws {
        #expect(try reason(try seen(Self.api, .post, body: body)) == expected)
    }

    @Test("Truncated values and values beyond the limits exclude a request")
    func unread() throws {
        let many = Array(repeating: #"{"a":"b"}"#, count: 1_001).joined(separator: ",")
        let cut = [
            #"{"list":[{"v":"ses"#, Data(#"{"list":[{"v":"sesam"#.utf8).base64EncodedString(),
            "[\(many)]", "a=a=a=a=a=a=sesame",
        ]
        for value in cut {
            let body = JSONValue.object([.init(name: "data", value: .string(value))])
            let reason = try reason(try seen(Self.api, .post, body: String(decoding: body.text, as: UTF8.self)))
            #expect(reason == "data holds a value that cannot be decoded completely", "\(value.prefix(40))")
        }
    }

    @Test(
        "Slugs, numbers, versions and plain JSON are not secrets",
        arguments: [
            "/summer-sale-2026-collection-of-shoes", "/v2/items/1234567890123456789", "/mobile/home/list", "/key/list",
            #"?data={"size":20,"sort":["price"]}"#, "?to=https://a.test/b?x%3D1", "?data=eyJzaXplIjoyMH0",
            "?data=eyJzaXplIjoyMDB9==", "/report.2026.json", "?q=W1234567", "?q=Winter+sale",
            #"?data=[{"name":"size","value":20}]"#,
        ])
    func noSecrets(_ rest: String) throws {
        let spelled = rest.replacing("\"", with: "%22").replacing("{", with: "%7B").replacing("}", with: "%7D")
        #expect(try reason(try seen(Self.api + spelled)) == nil)
    }

    @Test("A value of the page's own URL is also detected inside other values")
    func nestedPageValues() throws {
        let page = "https://m.example.com/new?t=opensesame&id=163"
        for rest in ["?q=%7B%22a%22:%22opensesame%22%7D", "?q=xopensesamex", "/opensesame-1", "?q=%7B%22a%22:163%7D"] {
            let reason = try reason(try seen(Self.api + rest), page: page)
            #expect(try #require(reason, "\(rest)").hasPrefix("the page's parameter "))
        }
    }

    @Test("A secret of the page's own URL is never written; the table refers to it as a parameter")
    func pageSecrets() throws {
        let page = "https://m.example.com/new?token=sesame&id=1"
        let observed = try seen(Self.api + "?v=2&token=sesame&id=1")
        let suggestion = try suggestion([[observed]], page: page)
        #expect(suggestion.count == 1)
        #expect(!String(decoding: try suggestion.json(version: "1"), as: UTF8.self).contains("sesame"))
        let refused = try self.suggestion([[try seen(Self.api + "?id=1&token=sesame&x=")]], page: page)
        #expect(refused.count == 0 && !"\(refused.leftOut)".contains("sesame"))
    }

    @Test(
        "After one run, values that look variable are omitted; two equal runs show that they are constant",
        arguments: ["?_=5", "?ts=5", "?callback=a", "?n=9f86d081884c7d65", "?n=0.8374523945"])
    func passingValues(_ query: String) throws {
        #expect(try #require(try reason(try seen(Self.api + query), runs: 1)).hasSuffix(" may differ from run to run"))
        #expect(try reason(try seen(Self.api + query), runs: 2) == nil)
    }

    @Test("Past times and other numbers are permitted values")
    func otherNumbers() throws {
        for query in ["?v=1700000000", "?v=20250101", "?v=1234567890123456", "?v=10"] {
            #expect(try reason(try seen(Self.api + query)) == nil, "\(query)")
        }
    }

    // MARK: Tables

    @Test("The table has the documented format with one request per line")
    func format() throws {
        let run = try [
            seen(Self.api + "?id=163&itemId=126"), seen(Self.api, .post, body: #"{"a":"\"ü","id":163,"itemId":126}"#),
        ]
        let json = try suggestion([run, run]).json(version: #"4"5"#)
        #expect(
            String(decoding: json, as: UTF8.self) == #"""
                { "code": 200,
                  "data": { "name": "prefetchConfig", "version": "4\"5", "config": [
                    { "url": "https://m.example.com/help/new", "interfaces": [
                      {"api":"https://m.example.com/api/info","method":"GET","urlParam":true},
                      {"api":"https://m.example.com/api/info","method":"POST","bodyParam":true,"body":{"a":"\"ü"}}
                    ] } ] } }

                """#)
        #expect(try PrefetchTable(json: json).version == #"4"5"#)
    }

    @Test("An empty suggestion is also a table; an invalid version or page is an error")
    func edges() throws {
        let nothing = try suggestion([[], []])
        #expect(try asked(nothing).isEmpty && nothing.leftOut.isEmpty)
        #expect(throws: PrefetchError.self) { try nothing.json(version: String(repeating: "1", count: 65)) }
        #expect(throws: PrefetchError.self) { try suggestion([[]], page: "file:///a") }
    }

    @Test("Names and values of requests are compared by bytes")
    func bytes() throws {
        func part(_ json: String) throws -> FixedPart {
            FixedPart(query: nil, body: try JSONValue(json: Data(json.utf8), maxDepth: 8))
        }
        let composed = try part("{\"a\": \"\u{E9}\", \"\u{E9}\": \"1\"}")
        let decomposed = try part("{\"a\": \"e\u{301}\", \"e\u{301}\": \"1\"}")
        #expect(composed.differences(from: composed).isEmpty)
        #expect(
            composed.differences(from: decomposed).map { Array($0.utf8) }
                == ["a", "\u{E9}", "e\u{301}"].map { Array($0.utf8) })
        #expect(try part("{\"K\": 1}").differences(from: part("{\"\u{212A}\": 1}")).count == 2)
    }

    @Test("A table contains at most the permitted number of requests")
    func limit() throws {
        var limits = PrefetchLimits()
        limits.maxInterfaces = 2
        let run = try (1...3).map { try seen("https://m.example.com/api/\($0)") }
        let suggestion = try suggestion([run], limits: limits)
        #expect(try asked(suggestion) == ["GET https://m.example.com/api/1", "GET https://m.example.com/api/2"])
        #expect(suggestion.leftOut.map(\.reason) == ["a table contains at most 2 requests per page"])
    }

    @Test("Hostile requests are parsed within limits and never crash")
    func hostile() throws {
        let many = (0..<900).map { "a\($0)=1" }.joined(separator: "&")
        let deep = String(repeating: "[", count: 100_000)
        let run = try [
            seen(Self.api + "?" + many), seen(Self.api + "?&&=&=;%&%zz"), seen("https://u:p@m.example.com/x"),
            seen(Self.api, .post, body: deep), seen(Self.api + "?" + String(repeating: "x", count: 9_000)),
        ]
        let suggestion = try suggestion([run, run], page: Self.page + "&" + many)
        #expect(suggestion.count + suggestion.leftOut.count >= 4)
        #expect(!suggestion.leftOut.contains { $0.url.contains("u:p") || $0.url.contains("?") })
        _ = try suggestion.json(version: "1")
    }
}
