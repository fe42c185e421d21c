// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import Testing

@testable import Prefetch

/// Tests of the table: its rows, its parameter rules, and the input that it refuses.
@Suite(.timeLimit(.minutes(1)))
struct TableTests {
    static let page = "https://m.example.com/help/new?id=163&itemId=126"

    static func table(_ interfaces: String, url: String = "https://m.example.com/help/new") -> Data {
        Data(
            #"{"code":200,"data":{"name":"prefetchConfig","version":"4","config":[{"url":"\#(url)","interfaces":[\#(interfaces)]}]}}"#
                .utf8)
    }

    private func requests(_ interfaces: String, page: String = TableTests.page) throws -> [PrefetchRequest] {
        try PrefetchTable(json: Self.table(interfaces)).requests(for: page)
    }

    private func text(_ request: PrefetchRequest?) -> String? {
        request.map { "\($0.method.rawValue) \($0.url) \($0.body.map { String(decoding: $0, as: UTF8.self) } ?? "-")" }
    }

    private func only(_ interfaces: String, page: String = TableTests.page) throws -> String? {
        let requests = try requests(interfaces, page: page)
        #expect(requests.count == 1)
        return text(requests.first)
    }

    @Test(
        "`urlParam` and `bodyParam` determine where the page's parameters are added",
        arguments: [
            (#""urlParam":true"#, "https://a.test/x?id=163&itemId=126", #"{"visitRecord":{}}"#),
            (#""bodyParam":true"#, "https://a.test/x", #"{"visitRecord":{},"id":163,"itemId":126}"#),
            (
                #""urlParam":true,"bodyParam":true"#, "https://a.test/x?id=163&itemId=126",
                #"{"visitRecord":{},"id":163,"itemId":126}"#
            ),
            (#""urlParam":false,"bodyParam":null"#, "https://a.test/x", #"{"visitRecord":{}}"#),
        ])
    func rows(_ flags: String, _ url: String, _ body: String) throws {
        let interface = #"{"api":"https://a.test/x","method":"POST","body":{ "visitRecord" : {} },\#(flags)}"#
        #expect(try only(interface) == "POST \(url) \(body)")
    }

    @Test("The complete table of the format description")
    func example() throws {
        let json = """
            { "code": 200,
              "data": { "name": "prefetchConfig", "version": "4",
                "config": [ { "url": "https://m.example.com/act/pre/ApRf.html",
                  "interfaces": [
                    { "api": "https://m.example.com/act/napi/info", "method": "GET",  "urlParam": true },
                    { "api": "https://m.example.com/topic/list.json", "method": "POST", "urlParam": true, "bodyParam": true,
                      "body": { "visitRecord": {} } } ] } ] } }
            """
        let table = try PrefetchTable(json: Data(json.utf8))
        #expect(table.version == "4")
        #expect(table.pages.count == 1)
        let requests = table.requests(for: "https://M.example.com:443/act/pre/ApRf.html?a=b#c")
        #expect(
            requests.map { text($0) } == [
                "GET https://m.example.com/act/napi/info?a=b -",
                #"POST https://m.example.com/topic/list.json?a=b {"visitRecord":{},"a":"b"}"#,
            ])
        #expect(requests.map(\.isDocument) == [false, false])
    }

    @Test("A URL has the escapes that engines send")
    func spelling() throws {
        #expect(
            try only(#"{"api":"https://a.test/x|[y]^?filter[a]=1&b=^'\"&c=%"}"#)
                == "GET https://a.test/x|[y]%5E?filter[a]=1&b=^%27%22&c=% -")
    }

    @Test("Without a body, parameters make one only if bodyParam is true")
    func noBody() throws {
        #expect(try only(#"{"api":"https://a.test/x","urlParam":true}"#) == "GET https://a.test/x?id=163&itemId=126 -")
        #expect(
            try only(#"{"api":"https://a.test/x","bodyParam":true}"#)
                == #"GET https://a.test/x {"id":163,"itemId":126}"#)
        #expect(
            try only(#"{"api":"https://a.test/x","bodyParam":true}"#, page: "https://m.example.com/help/new")
                == "GET https://a.test/x {}")
        #expect(try only(#"{"api":"https://a.test/x","body":null}"#) == "GET https://a.test/x -")
        #expect(
            try only(#"{"api":"https://a.test/x","method":"put","body":[1, "a"]}"#) == #"PUT https://a.test/x [1,"a"]"#)
    }

    @Test("Methods are case-insensitive, and a GET may have a body")
    func methods() throws {
        #expect(
            try only(#"{"api":"https://a.test/x","method":"get","body":{"a":1.50}}"#)
                == #"GET https://a.test/x {"a":1.50}"#)
        #expect(try only(#"{"api":"https://a.test/x","method":"pOsT"}"#) == "POST https://a.test/x -")
    }

    @Test(
        "Integers in canonical form become JSON numbers in the body, and other query values become strings",
        arguments: [
            ("163", "163"), ("-7", "-7"), ("0", "0"), ("-0", #""-0""#), ("007", #""007""#), ("1.0", #""1.0""#),
            ("1e3", #""1e3""#), ("+1", #"" 1""#), ("%2B1", #""+1""#), ("", #""""#), ("true", #""true""#),
            ("12345678901234567890", "12345678901234567890"), ("%C3%BC%22", #""ü\"""#), ("%zz", #""%zz""#),
            ("%31", "1"), ("-", #""-""#), ("1%0A", #""1\n""#),
        ])
    func values(_ value: String, _ json: String) throws {
        #expect(
            try only(#"{"api":"https://a.test/x","bodyParam":true}"#, page: "https://m.example.com/help/new?v=\(value)")
                == #"GET https://a.test/x {"v":\#(json)}"#)
    }

    @Test("The query of the API comes first, and has priority if a name is in both queries")
    func ownQuery() throws {
        #expect(
            try only(#"{"api":"https://a.test/x?id=1&%61b=2","urlParam":true}"#, page: Self.page + "&ab=3&c=%20")
                == "GET https://a.test/x?id=1&%61b=2&itemId=126&c=%20 -")
        #expect(try only(#"{"api":"https://a.test/x?q=1"}"#) == "GET https://a.test/x?q=1 -")
        #expect(
            try only(#"{"api":"https://a.test/x?id=1&itemId=2","urlParam":true}"#)
                == "GET https://a.test/x?id=1&itemId=2 -")
    }

    @Test("In a body, the configured value has priority, and the last value of a repeated parameter counts")
    func conflicts() throws {
        let interface = #"{"api":"https://a.test/x","method":"POST","bodyParam":true,"body":{"z":0,"id":"own"}}"#
        #expect(
            try only(interface, page: Self.page + "&b=1&b=2&c&itemId=9")
                == #"POST https://a.test/x {"z":0,"id":"own","itemId":9,"b":2,"c":""}"#)
    }

    @Test("Names that are equal only by Unicode normalization are different names")
    func lookAlikes() throws {
        let interface = #"{"api":"https://a.test/x","bodyParam":true,"body":{"\u00e9":1}}"#
        let page = "https://m.example.com/help/new?e%CC%81=2"
        #expect(try only(interface, page: page) == "GET https://a.test/x {\"\u{e9}\":1,\"e\u{301}\":2}")
    }

    @Test(
        "Pages match without query and fragment, on both sides",
        arguments: [
            ("https://m.example.com/help/new", true), ("https://m.example.com/help/new?x=1", true),
            ("https://m.example.com/help/new#/route?x=1", true), ("HTTPS://M.Example.com:443/help/new", true),
            ("https://m.example.com/help/new/", false), ("https://m.example.com/help", false),
            ("http://m.example.com/help/new", false), ("https://m.example.com:8443/help/new", false),
            ("https://m.example.com/Help/new", false), ("https://user@m.example.com/help/new", false), ("", false),
            ("about:blank", false),
        ])
    func pages(_ page: String, _ matches: Bool) throws {
        let interface = #"{"api":"https://a.test/x"}"#
        for url in ["https://m.example.com/help/new", "https://m.example.com/help/new?old=1#f"] {
            let table = try PrefetchTable(json: Self.table(interface, url: url))
            #expect(table.requests(for: page).count == (matches ? 1 : 0))
        }
    }

    @Test("Entries of one page are concatenated, and duplicate requests are removed")
    func merging() throws {
        let json = """
            {"code":200,"data":{"version":7,"config":[
              {"url":"https://a.test/p?x","interfaces":[
                {"api":"https://a.test/1","body":{"a":1,"b":2}},{"api":"https://a.test/1","body":{"b":2.0,"a":1}}]},
              {"url":"https://a.test/p","interfaces":[{"api":"https://a.test/2"},{"api":"HTTPS://A.test:443/2#f"}]},
              {"url":"https://a.test","interfaces":[]}]}}
            """
        let table = try PrefetchTable(json: Data(json.utf8))
        #expect(table.version == "7")
        #expect(table.requests(for: "https://a.test/p").map(\.url) == ["https://a.test/1", "https://a.test/2"])
        #expect(table.requests(for: "https://a.test/").isEmpty)
    }

    @Test(
        "Invalid tables are refused; the error contains the location of the fault",
        arguments: [
            ("", "bad-json: no JSON value (byte 0)"),
            ("{", "bad-json: no name in quotes, where a member begins (byte 1)"),
            (#"{"code":200}x"#, "bad-json: more than one value (byte 12)"),
            (#"{"code":200,"code":500}"#, "bad-json: a name that comes twice in one object: code (byte 12)"),
            (#"{"code":"200"}"#, "bad-table: not a number (code)"),
            (#"{"code":500,"data":"busy"}"#, "server-code: the response has code 500, not 200 (code)"),
            (#"{"code":200}"#, "bad-table: missing (data)"),
            (#"{"code":200,"data":[]}"#, "bad-table: not an object (data)"),
            (#"{"code":200,"data":{"config":[]}}"#, "bad-table: missing (data.version)"),
            (#"{"code":200,"data":{"version":"1"}}"#, "bad-table: not an array (data.config)"),
            (#"{"code":200,"data":{"version":"1","config":[7]}}"#, "bad-table: not an object (data.config[0])"),
            (
                #"{"code":200,"data":{"version":"1","config":[{"url":"/p","interfaces":[]}]}}"#,
                "bad-table: not an absolute http or https URL (data.config[0].url)"
            ),
            (
                #"{"code":200,"data":{"version":"1","config":[{"url":"https://a/p"}]}}"#,
                "bad-table: not an array (data.config[0].interfaces)"
            ),
            ("\u{FEFF}[]", "bad-table: not an object"),
            (#"{"a":"\ud800"}"#, "bad-json: half a surrogate pair (byte 12)"),
            (#"{"a":01}"#, "bad-json: number with a leading zero (byte 7)"),
            ("{\"a\":\"\n\"}", "bad-json: control character in a string (byte 6)"),
            (
                #"{"a\u000a\u2028":1,"a\n\u2028":2}"#,
                "bad-json: a name that comes twice in one object: a\u{FFFD}\u{FFFD} (byte 19)"
            ),
            (String(repeating: "[", count: 40), "limit: values nested more than 32 deep (byte 33)"),
        ])
    func refused(_ json: String, _ error: String) {
        #expect(description(Data(json.utf8)) == error)
    }

    private func description(_ json: Data, _ limits: PrefetchLimits = .default) -> String? {
        do throws(PrefetchError) {
            _ = try PrefetchTable(json: json, limits: limits)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "Invalid interfaces are refused; the error contains the location of the fault",
        arguments: [
            ("7", "bad-table: not an object (data.config[0].interfaces[0])"),
            ("{}", "bad-table: missing (data.config[0].interfaces[0].api)"),
            (
                #"{"api":"https://u:p@a.test/"}"#,
                "bad-table: not an absolute http or https URL (data.config[0].interfaces[0].api)"
            ),
            (
                #"{"api":"https://a.test:99999/"}"#,
                "bad-table: not an absolute http or https URL (data.config[0].interfaces[0].api)"
            ),
            (
                #"{"api":"ftp://a.test/"}"#,
                "bad-table: not an absolute http or https URL (data.config[0].interfaces[0].api)"
            ),
            (
                #"{"api":"https://a b/"}"#,
                "bad-table: not an absolute http or https URL (data.config[0].interfaces[0].api)"
            ),
            (#"{"api":7}"#, "bad-table: not a string (data.config[0].interfaces[0].api)"),
            (
                #"{"api":"https://a.test/","method":"GE T"}"#,
                "bad-table: invalid method: GE T (data.config[0].interfaces[0].method)"
            ),
            (
                #"{"api":"https://a.test/","method":""}"#,
                "bad-table: invalid method:  (data.config[0].interfaces[0].method)"
            ),
            (
                #"{"api":"https://a.test/","urlParam":"true"}"#,
                "bad-table: not a Boolean (data.config[0].interfaces[0].urlParam)"
            ),
            (
                #"{"api":"https://a.test/","bodyParam":true,"body":[]}"#,
                "bad-table: not an object, but bodyParam is true (data.config[0].interfaces[0].body)"
            ),
        ])
    func refusedInterfaces(_ interface: String, _ error: String) {
        #expect(description(Self.table(interface)) == error)
    }

    @Test("A table that exceeds a limit is refused")
    func limits() {
        let interface = #"{"api":"https://a.test/","method":"GET","body":{"a":"bcdefgh"}}"#
        let table = Self.table("\(interface),\(interface)")
        #expect(description(table) == nil)
        func refusal(_ change: (inout PrefetchLimits) -> Void) -> String? {
            var limits = PrefetchLimits()
            change(&limits)
            return description(table, limits)
        }
        #expect(refusal { $0.maxBytes = table.count } == nil)
        #expect(refusal { $0.maxBytes = 99 } == "limit: \(table.count) bytes, limit 99")
        #expect(refusal { $0.maxPages = 0 } == "limit: 1 pages, limit 0 (data.config)")
        #expect(refusal { $0.maxInterfaces = 2 } == nil)
        #expect(
            refusal { $0.maxInterfaces = 1 } == "limit: more than 1 interfaces of one page (data.config[0].interfaces)")
        #expect(refusal { $0.maxURLLength = 20 } == "limit: 30 bytes, limit 20 (data.config[0].url)")
        #expect(refusal { $0.maxBodyBytes = 14 } == "limit: body over 14 bytes (data.config[0].interfaces[0].body)")
        #expect(refusal { $0.maxTextLength = 2 } == "limit: 3 bytes, limit 2 (data.config[0].interfaces[0].method)")
        #expect(refusal { $0.maxDepth = 7 } == nil)
        #expect(refusal { $0.maxDepth = 6 }?.hasPrefix("limit: values nested more than 6 deep (byte ") == true)
    }

    @Test("Unknown members are ignored, independently of their values")
    func unknown() throws {
        let interface = #"{"api":"https://a.test/x","cache":{"a":[null,1e9,"\ud83d\ude00"]},"bodyparam":true}"#
        #expect(try only(interface) == "GET https://a.test/x -")
    }

    @Test("A page or a request whose URL is too long is not prefetched")
    func longURLs() throws {
        var limits = PrefetchLimits()
        limits.maxURLLength = 60
        let long = String(repeating: "a", count: 15)
        let table = try PrefetchTable(
            json: Self.table(
                #"{"api":"https://a.test/x"},{"api":"https://a.test/1234567890123456789012345678901234567","urlParam":true}"#
            ),
            limits: limits)
        #expect(table.requests(for: "https://m.example.com/help/new?q").count == 2)
        #expect(table.requests(for: "https://m.example.com/help/new?" + long).map(\.url) == ["https://a.test/x"])
        #expect(table.requests(for: "https://m.example.com/help/new?" + long + long).isEmpty)
    }
}
