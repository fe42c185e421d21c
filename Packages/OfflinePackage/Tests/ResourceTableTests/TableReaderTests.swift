// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation
import Testing

@_spi(Fuzzing) @testable import ResourceTable

/// Tests of the input that the reader accepts and rejects.
@Suite("Reading a table", .timeLimit(.minutes(2)))
struct TableReaderTests {
    private let md5 = "0518c371936fd611fc3b897a76c11111"

    private func decode(_ json: String, limits: TableLimits = .default) throws -> TableAnswer {
        try TableAnswer(decoding: Data(json.utf8), limits: limits)
    }

    private func refuses(
        _ json: some Collection<UInt8>, _ code: TableError.Code, limits: TableLimits = .default,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: TableError.self, sourceLocation: sourceLocation) {
            _ = try TableAnswer(decoding: Data(json), limits: limits)
        }
        #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(error.map { "\($0)".contains("\n") } == false, sourceLocation: sourceLocation)
    }

    private func refuses(
        _ json: String, _ code: TableError.Code, limits: TableLimits = .default,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        refuses(Array(json.utf8), code, limits: limits, sourceLocation: sourceLocation)
    }

    /// Returns a table with one entry that has the given members.
    private func table(_ entry: String, url: String = "https://h.example/a.js") -> String {
        #"{"code":200,"data":{"version":"1","resourcemap":{"\#(url)":\#(entry)}}}"#
    }

    private func entry(_ url: String) -> String {
        table(#"{"version":"1","md5":"\#(md5)","download":"https://d.example/a","ctype":"text/css"}"#, url: url)
    }

    @Test("The example of the wire format is decoded")
    func example() throws {
        let json = """
            { "code": 200,
              "data": { "version": "553", "update": true,
                "resourcemap": {
                  "https://cdn.example.com/ares/0518c371.js": {
                    "version": "1", "md5": "0518c371936fd611fc3b897a76c11111",
                    "download": "https://cdn.example.com/xcache/1/516/1/cb71c52a/https%253A%252F%252F…0518c371.js",
                    "ctype": "application/javascript;charset=UTF-8" } } } }
            """
        guard case .table(let table) = try decode(json) else {
            Issue.record("no table")
            return
        }
        #expect(table.version == "553" && table.count == 1)
        let entry = try #require(table.entry(answering: "https://cdn.example.com/ares/0518c371.js#x"))
        #expect(entry.version == "1" && entry.md5.description == md5)
        #expect(
            entry.download.description
                == "https://cdn.example.com/xcache/1/516/1/cb71c52a/https%253A%252F%252F%E2%80%A60518c371.js")
        #expect(entry.contentType == "application/javascript;charset=UTF-8")
    }

    @Test(
        "Responses with `update: false` or without `resourcemap` mean no change",
        arguments: [
            #"{"code":200}"#, #"{"code":200,"data":null}"#, #"{"code":200,"data":{}}"#,
            #"{"code":200,"data":{"update":false}}"#, #"{"code":200,"data":{"version":"2","update":true}}"#,
            #"{"code":200,"data":{"version":"2","update":true,"resourcemap":null}}"#,
            #"{"code":200,"data":{"version":"2","update":false,"resourcemap":{}}}"#,
            #"{"data":{"resourcemap":{},"update":false,"version":"2"},"code":200}"#,
            #"{"code":200,"data":{"update":false,"resourcemap":[]}}"#,
            "\u{FEFF} {\"code\" : 200 , \"more\":[1,-0.5e+3,\"\\ud83d\\ude00\",{\"a\":[]},true,null]}\r\n\t ",
        ])
    func unchanged(_ json: String) throws {
        #expect(try decode(json) == .unchanged)
    }

    @Test("An explicit empty map is an empty table")
    func empty() throws {
        guard case .table(let table) = try decode(#"{"code":200,"data":{"version":2,"update":true,"resourcemap":{}}}"#)
        else {
            Issue.record("no table")
            return
        }
        #expect(table.count == 0 && table.version == "2")
    }

    @Test(
        "A code other than 200 is an error, at any position and with any data",
        arguments: [
            #"{"code":500}"#, #"{"code":-1,"data":[]}"#, #"{"data":{"resourcemap":{"x":1}},"code":404}"#,
            #"{"code":201,"data":{"version":"1","resourcemap":{}}}"#, #"{"data":[],"code":0}"#,
        ])
    func serverCode(_ json: String) {
        refuses(json, .serverCode)
    }

    @Test(
        "Input that is not JSON is rejected",
        arguments: [
            "", " ", "{", "}", "[", "nul", "truex", "{]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,}"#,
            #"{"a":1 "b":2}"#,
            #"{"code":200}x"#, #"{"code":200}{}"#, #"{"code":01}"#, #"{"a":-}"#, #"{"a":1.}"#, #"{"a":.5}"#,
            #"{"a":1e}"#, #"{"a":+1}"#, #"{"a":"\x"}"#, #"{"a":"\u12g4"}"#, #"{"a":"\ud800"}"#,
            #"{"a":"\ud800\u0041"}"#,
            #"{"a":"\udc00"}"#, "{\"a\":\"\n\"}", "{\"a\":\"\u{0}\"}", "{\"a\":\"12345678\u{1F}\"}", #"{"a":"b"#,
            #"{"a":[1,]}"#, #"{"a":[1 2]}"#, #"{'a':1}"#, "{a:1}", "{\"a\":NaN}", "{/**/}", #"{"a":"\"#, #"{"a":"\u00"#,
            "\u{0}", "{\"a\":1\u{0}}", "{}\u{0}", "{}\u{A0}",
        ])
    func badJSON(_ json: String) {
        refuses(json, .badJSON)
    }

    @Test(
        "Bytes that are not UTF-8 are rejected",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80]]
            as [[UInt8]])
    func badUTF8(_ bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        for padding in ["", "1234567", "12345678", "\\n"] {
            let string = [quote] + Array(padding.utf8) + bytes + [quote]
            refuses(Array(#"{"a":"#.utf8) + string + [UInt8(ascii: "}")], .badJSON)
            refuses([UInt8(ascii: "{")] + string + Array(":1}".utf8), .badJSON)
        }
    }

    @Test("Input that is not a table is rejected")
    func badTable() {
        let json = [
            "[]", "1", "null", "{}", #"{"data":{}}"#, #"{"code":"200"}"#, #"{"code":200.0}"#, #"{"code":2e2}"#,
            #"{"code":null}"#, #"{"code":99999999999999999999}"#, #"{"code":200,"code":200}"#,
            #"{"code":200,"data":[]}"#, #"{"code":200,"data":{},"data":{}}"#,
            #"{"code":200,"data":{"update":1}}"#, #"{"code":200,"data":{"resourcemap":[]}}"#,
            #"{"code":200,"data":{"resourcemap":{}}}"#, #"{"code":200,"data":{"version":null,"resourcemap":{}}}"#,
            #"{"code":200,"data":{"version":1.5,"resourcemap":{}}}"#, #"{"code":200,"data":{"version":[]}}"#,
            #"{"code":200,"data":{"version":"1","version":"1"}}"#,
            #"{"code":200,"data":{"update":true,"update":true}}"#,
            #"{"code":200,"data":{"version":"1","resourcemap":{},"resourcemap":{}}}"#,
            table("1"), table("null"), table("{}"), table(#"{"version":"1"}"#),
            table(#"{"version":"1","md5":"\#(md5)"}"#),
            table(#"{"md5":"\#(md5)","download":"https://d/"}"#),
            table(#"{"version":"1","md5":"\#(md5)0","download":"https://d/"}"#),
            table(#"{"version":"1","md5":"\#(md5.dropLast())g","download":"https://d/"}"#),
            table(#"{"version":"1","md5":7,"download":"https://d/"}"#),
            table(#"{"version":"1","md5":"\#(md5)","download":"/d"}"#),
            table(#"{"version":"1","md5":"\#(md5)","download":"https://d/","md5":"\#(md5)"}"#),
            table(#"{"version":"1","md5":"\#(md5)","download":"https://d/","ctype":"a\r\nb"}"#),
            table(#"{"version":"1","md5":"\#(md5)","download":"https://d/","ctype":1}"#),
            entry("h.example/a"), entry(""), entry("ftp://h/a"), entry("https://"), entry("https:///a"),
            entry("https://me@h/a"), entry("https://h:x/"), entry("https://h:65536/"), entry("https://h h/"),
            entry("https://h\\u0000/"), entry("javascript:alert(1)"), entry("file:///etc/passwd"),
        ]
        for text in json { refuses(text, .badTable) }
    }

    /// Returns a table with one usable entry, `https://h.example/good`, and the given members of its map.
    private func tableWithGood(_ members: String...) -> String {
        let good = #""https://h.example/good":{"version":"1","md5":"\#(md5)","download":"https://d.example/good"}"#
        let map = ([good] + members).joined(separator: ",")
        return #"{"code":200,"data":{"version":"7","update":true,"resourcemap":{\#(map)}}}"#
    }

    private func valid(_ name: String, version: String = "1") -> String {
        #""\#(name)":{"version":"\#(version)","md5":"\#(md5)","download":"https://d.example/a"}"#
    }

    @Test("An entry that cannot be used is left out and counted, and the rest of the table applies")
    func invalidEntries() throws {
        let url = "https://h.example/bad"
        let members = [
            valid("//cdn.example/a.js"), valid("/a.js"), valid("a.js"), valid(""), valid("https://"),
            valid("https:///a.js"), valid("https://h:x/a.js"), valid("https://me@h/a.js"), valid("ftp://h/a.js"),
            valid("javascript:alert(1)"),
            #""\#(url)":1"#, #""\#(url)":null"#, #""\#(url)":[{"a":1}]"#, #""\#(url)":{}"#,
            #""\#(url)":{"version":"1","md5":"\#(md5)0","download":"https://d/","x":{"y":[1]}}"#,
            #""\#(url)":{"version":"1","md5":7,"download":"https://d/"}"#,
            #""\#(url)":{"version":1.5,"md5":"\#(md5)","download":"https://d/"}"#,
            #""\#(url)":{"version":"1","md5":"\#(md5)","download":"//d/a"}"#,
            #""\#(url)":{"version":"1","md5":"\#(md5)","download":"https://d/","ctype":"a\r\nb"}"#,
        ]
        for member in members {
            guard case .table(let table) = try decode(tableWithGood(member, valid("https://h.example/later"))) else {
                Issue.record("no table: \(member)")
                continue
            }
            #expect(
                table.entries.map(\.url.description) == ["https://h.example/good", "https://h.example/later"],
                "\(member)")
            #expect(table.invalidCount == 1 && table.firstFault?.code == .badTable, "\(member)")
            #expect(table.entry(answering: "https://h.example/later") == table.entries.last, "\(member)")
            #expect(TableDiff(from: nil, to: table).invalidCount == 1, "\(member)")
            // A table of only such entries must not replace a usable one.
            refuses(#"{"code":200,"data":{"version":"1","resourcemap":{\#(member)}}}"#, .badTable)
        }
        guard case .table(let clean) = try decode(tableWithGood()) else {
            Issue.record("no table")
            return
        }
        #expect(clean.invalidCount == 0 && clean.firstFault == nil)
    }

    @Test("An entry that is left out must still be JSON without duplicate names, and counts for the limit")
    func invalidEntriesAreChecked() {
        refuses(tableWithGood(#""//h/a":{"x":}"#), .badJSON)
        refuses(tableWithGood(#""//h/a":{"x":1,"x":2}"#), .badTable)
        refuses(tableWithGood(valid("//h/a"), valid("//h/a")), .badTable)
        let broken = #"{"md5":0,"md5":0}"#
        refuses(tableWithGood(#""https://h.example/a":\#(broken)"#), .badTable)
        refuses(tableWithGood(#""https://h.example/a":1"#, valid("https://h.example/a")), .badTable)
        refuses(tableWithGood(#""https://h.example/a":{"md5":[}"#), .badJSON)
        var limits = TableLimits()
        limits.maxEntries = 2
        refuses(tableWithGood(valid("//h/a"), valid("//h/b")), .tooMany, limits: limits)
    }

    @Test(
        "URLs that differ only in percent-encoding are one, in entries and in requests",
        arguments: [
            ("https://h.example/a%2Db", "https://h.example/a-b", "https://h.example/a-b"),
            ("https://h.example/a%2db", "https://h.example/a%2Db", "https://h.example/a-b"),
            ("https://h.example/%c3%a9", "https://h.example/%C3%A9", "https://h.example/%C3%A9"),
            ("https://h.example/é", "https://h.example/%c3%A9", "https://h.example/%C3%A9"),
            ("https://h.example/%7Eme/%41?%5f=%30", "https://h.example/~me/A?_=0", "https://h.example/~me/A?_=0"),
            ("https://h.example/a%2fb", "https://h.example/a%2Fb", "https://h.example/a%2Fb"),
            ("https://h.example/%252D", "https://h.example/%252D#x", "https://h.example/%252D"),
        ])
    func percentEncoding(_ first: String, _ second: String, _ normalized: String) throws {
        // Both spellings in one table are one entry.
        guard case .table(let table) = try decode(tableWithGood(valid(first), valid(second))) else {
            Issue.record("no table")
            return
        }
        #expect(table.entries.map(\.url.description) == ["https://h.example/good", normalized])
        #expect(table.invalidCount == 0)
        for spelling in [first, second, normalized] {
            #expect(table.entry(answering: spelling)?.url.description == normalized)
        }
        // One spelling in the table matches the other one in a request and in the next table.
        guard case .table(let one) = try decode(tableWithGood(valid(first))),
            case .table(let other) = try decode(tableWithGood(valid(second)))
        else {
            Issue.record("no table")
            return
        }
        #expect(one.entry(answering: second) == one.entries.last && other.entry(answering: first) != nil)
        #expect(TableDiff(from: one, to: other).isEmpty)
    }

    @Test(
        "Escapes of reserved characters stay different from the characters",
        arguments: [
            ("/a%2Fb", "/a/b"), ("/a%3Fb", "/a?b"), ("/a?b%26c", "/a?b&c"), ("/a%2Bb", "/a+b"), ("/a%21", "/a!"),
            ("/a?b=%20", "/a?b=+"), ("/a%252D", "/a%2D"), ("/A", "/a"),
        ])
    func reserved(_ first: String, _ second: String) throws {
        let (first, second) = ("https://h.example" + first, "https://h.example" + second)
        let json = tableWithGood(valid(first, version: "1"), valid(second, version: "2"))
        guard case .table(let table) = try decode(json) else {
            Issue.record("no table")
            return
        }
        #expect(table.count == 3 && table.invalidCount == 0)
        #expect(table.entry(answering: first)?.version == "1" && table.entry(answering: second)?.version == "2")
    }

    @Test("A download is requested in the spelling of the table")
    func downloadSpelling() throws {
        let json = #""https://h.example/a":{"version":"1","md5":"\#(md5)","download":"https://d.example/%7e%2D%c3"}"#
        guard case .table(let table) = try decode(tableWithGood(json)) else {
            Issue.record("no table")
            return
        }
        #expect(table.entries.last?.download.description == "https://d.example/%7e%2D%c3")
    }

    @Test("Different entries for one URL are all left out, in any order and number")
    func conflicts() throws {
        let (one, two) = (valid("https://h.example/a%2Db"), valid("https://h.example/a-b", version: "2"))
        let three = valid("https://h.example/%61-b")
        for members in [[one, two], [two, one], [one, two, three], [three, one, two]] {
            let map = (members + [valid("https://h.example/last")]).joined(separator: ",")
            guard case .table(let table) = try decode(tableWithGood(map)) else {
                Issue.record("no table")
                return
            }
            #expect(table.entries.map(\.url.description) == ["https://h.example/good", "https://h.example/last"])
            #expect(table.entry(answering: "https://h.example/a-b") == nil)
            #expect(table.entry(answering: "https://h.example/last") == table.entries.last)
            #expect(table.invalidCount >= 2 && table.invalidCount <= members.count)
        }
    }

    @Test("Two equal entries for one URL become one; a table of different ones only is rejected")
    func duplicates() throws {
        let other = md5.replacingOccurrences(of: "0518", with: "0519")
        func json(_ first: String, _ second: String) -> String {
            #"{"code":200,"data":{"version":"1","resourcemap":{"https://H.example:443/a?b#1":\#(first),"https://h.example/a?b#2":\#(second)}}}"#
        }
        func entry(_ md5: String) -> String { #"{"version":"1","md5":"\#(md5)","download":"https://d/"}"# }
        guard case .table(let table) = try decode(json(entry(md5), entry(md5.uppercased()))) else {
            Issue.record("no table")
            return
        }
        #expect(table.count == 1 && table.entry(answering: "https://h.example/a?b") != nil)
        refuses(json(entry(md5), entry(other)), .badTable)
    }

    @Test("Duplicate names in an object are rejected, both of entries and of unknown members")
    func repeatedNames() {
        let entry = #"{"version":"1","md5":"\#(md5)","download":"https://d/"}"#
        func map(_ names: String...) -> String {
            let entries = names.map { #""\#($0)":\#(entry)"# }.joined(separator: ",")
            return #"{"code":200,"data":{"version":"1","resourcemap":{\#(entries)}}}"#
        }
        let bad = [
            #"{"x":1,"code":200,"x":1}"#, #"{"code":200,"data":{"x":{"y":1,"y":2}}}"#,
            #"{"code":200,"data":{"update":null,"update":null}}"#, #"{"code":200,"data":null,"data":null}"#,
            table(#"{"version":"1","md5":"\#(md5)","download":"https://d/","x":0,"x":0}"#),
            map("https://h/a", "https://h/a"), map("https://h/a", "https://h/b", "https:\\/\\/h\\/a"),
            map("https://h/a#1", "https://h/a#1"), map("https://h/a#1", "https://h/a", "https://h/a"),
            map("https://h/a", "https://h/a#1", "https://h/a#1"),
        ]
        for json in bad { refuses(json, .badTable) }
        #expect(throws: Never.self) { try decode(map("https://h/a", "https://h/a#1", "https://h/a#2")) }
        #expect(throws: Never.self) { try decode(map("https://h/a#1", "https://h/a", "https://h/a#2")) }
    }

    @Test("Escapes are decoded in names and values")
    func escapes() throws {
        let json =
            #"{"c\u006fde":200,"data":{"version":"5\u0035\/","resourcemap":{"https:\/\/h.example\/\u00e9?\ud83d\ude00":{"ver\u0073ion":1,"md5":"\#(md5)","download":"https:\/\/d.example\/a","ctype":""}}}}"#
        guard case .table(let table) = try decode(json) else {
            Issue.record("no table")
            return
        }
        #expect(table.version == "55/")
        let entry = try #require(table.entries.first)
        #expect(entry.url.description == "https://h.example/%C3%A9?%F0%9F%98%80")
        #expect(entry.download.description == "https://d.example/a" && entry.contentType == nil && entry.version == "1")
    }

    @Test("Limits are enforced")
    func limits() throws {
        let data = TableMaker("1", count: 3).json
        var limits = TableLimits()
        limits.maxBytes = data.utf8.count
        limits.maxEntries = 3
        limits.maxDepth = 4
        #expect(throws: Never.self) { try decode(data, limits: limits) }
        limits.maxBytes -= 1
        refuses(data, .tooLarge, limits: limits)
        limits = TableLimits()
        limits.maxEntries = 2
        refuses(data, .tooMany, limits: limits)
        limits = TableLimits()
        limits.maxDepth = 3
        refuses(data, .tooMany, limits: limits)
        limits = TableLimits()
        limits.maxURLLength = 30
        refuses(data, .tooLarge, limits: limits)
        limits = TableLimits()
        limits.maxTextLength = 10
        refuses(data, .tooLarge, limits: limits)
        let deep = String(repeating: "[", count: 100_000)
        refuses(#"{"a":"# + deep, .tooMany)
        refuses(String(repeating: #"{"a":"#, count: 100_000), .tooMany)
    }

    @Test("Input that is truncated at any position is rejected without a trap")
    func cuts() throws {
        let bytes = TableMaker("1", count: 3).data
        for count in 0..<bytes.count {
            #expect(throws: TableError.self) { try TableAnswer(decoding: bytes.prefix(count)) }
        }
    }

    @Test("Any changed byte is rejected or gives a valid table that JSONSerialization also accepts")
    func mutations() throws {
        var seed: UInt64 = 42
        func random(_ limit: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % limit
        }
        let original = Array(TableMaker("1", count: 2).data)
        let letters = Array(#"{}[]":,\/u0123456789eE+-.tfnalsr "#.utf8) + [0, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF0, 0xFF]
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = original
            for _ in 0...random(3) {
                switch random(3) {
                case 0: bytes[random(bytes.count)] = letters[random(letters.count)]
                case 1: bytes.remove(at: random(bytes.count))
                default: bytes.insert(letters[random(letters.count)], at: random(bytes.count))
                }
            }
            #expect(bytes.withUnsafeBytes(TableFuzzing.readerHolds))
            if (try? TableAnswer(decoding: Data(bytes))) != nil {
                accepted += 1
                #expect(throws: Never.self, "\(String(decoding: bytes, as: UTF8.self))") {
                    try JSONSerialization.jsonObject(with: Data(bytes))
                }
            }
        }
        #expect(accepted > 100)
    }
}
