// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Fuzzing) import RemoteConfig
import SchemeRouter
import Testing

/// The remote config document and rollout buckets.
@Suite("Remote config document")
struct RemoteConfigDocumentTests {
    private func read(_ json: String) throws -> RemoteConfigDocument {
        try RemoteConfigDocument(json: Data(json.utf8))
    }

    /// Returns the example of the documentation.
    private func example() throws -> String {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { folder.deleteLastPathComponent() }
        let page = try String(contentsOf: folder.appendingPathComponent("docs/remote-config.md"), encoding: .utf8)
        let start = try #require(page.range(of: "```json\n"))
        let end = try #require(page[start.upperBound...].range(of: "\n```"))
        return String(page[start.upperBound..<end.lowerBound])
    }

    @Test("The example of the documentation has the documented values")
    func documented() throws {
        let document = try read(example())
        #expect(document.version == 42 && document.replaces == nil && document.isEnabled)
        #expect(document.expires == Date(timeIntervalSince1970: 1_798_761_600))
        #expect(document.features[.resourceTable] == .off && document.features[.packages] == .on)
        #expect(document.features[.prefetch] == .partial(perMille: 250, salt: "containerkit.prefetch"))
        #expect(document.features[.httpCache] == .partial(perMille: 500, salt: "cache-autumn"))
        #expect(document.features[.pool] == nil)
        #expect(document.deny.map(\.description) == ["pay.example", "https://*.shop.example/account/**"])
        #expect(document.modes.map(\.host.description) == ["*.shop.example", "m.shop.example"])
        #expect(document.numbers.prefetchSeconds == 20 && document.numbers.poolCapacity == 2)
        #expect(document.numbers.httpCacheMemoryBytes == 4 << 20 && document.numbers.httpCacheDiskBytes == 50 << 20)
    }

    @Test("The minimal document has all features on, and unknown names are ignored")
    func least() throws {
        for json in [
            #"{"format":1,"version":1}"#,
            #"{"format":1,"version":1,"later":{"a":[null,1.5]},"features":{"later":"x"},"limits":{"later":-1}}"#,
        ] {
            let document = try read(json)
            #expect(document.features(on: RolloutBucket()) == Set(RemoteConfigFeature.allCases))
            #expect(document.applies(at: .distantFuture) && document.mode(for: "https://a.example/") == .configured)
        }
        let off = try read(#"{"format":1,"version":1,"enabled":false}"#)
        #expect(!off.isEnabled && off.features(on: RolloutBucket()).isEmpty)
    }

    @Test(
        "Any error refuses the whole document, and the location of the error is the field",
        arguments: [
            ("", "bad-document: not UTF-8"),
            ("[]", "bad-document: not of type Dictionary<String, Any>"),
            ("{", "bad-document: not JSON"),
            (#"{"format":1}"#, "bad-document: version is missing"),
            (#"{"version":1}"#, "bad-document: format is missing"),
            (#"{"format":2,"version":1}"#, "unknown-format: format 2, only 1 is supported (format)"),
            (#"{"format":1,"version":0}"#, "bad-value: 0 is not within 1 to 9007199254740991 (version)"),
            (#"{"format":1,"version":1.5}"#, "bad-document: not of type Int (version)"),
            (#"{"format":1,"version":1e99}"#, "bad-document: not of type Int (version)"),
            (
                #"{"format":1,"version":1,"limits":{"poolCapacity":0.5}}"#,
                "bad-document: not of type Int (limits.poolCapacity)"
            ),
            (#"{"format":1,"version":"1"}"#, "bad-document: not of type Int (version)"),
            (
                #"{"format":1,"version":5,"replaces":4}"#,
                "bad-value: 4 is not within 5 to 9007199254740991 (replaces)"
            ),
            (#"{"format":1,"version":1,"enabled":null}"#, "bad-document: not of type Bool (enabled)"),
            (#"{"format":1,"version":1,"enabled":0}"#, "bad-document: not of type Bool (enabled)"),
            (
                #"{"format":1,"version":1,"enabled":false,"enabled":true}"#,
                "bad-document: a name that comes twice in one object: enabled"
            ),
            (
                #"{"format":1,"version":1,"e\u006eabled":false}"#,
                #"bad-document: a name with escapes: e\u006eabled"#
            ),
            (
                #"{"format":1,"version":1,"expires":"tomorrow"}"#,
                "bad-value: not a time such as 2027-01-31T00:00:00Z (expires)"
            ),
            (
                #"{"format":1,"version":1,"expires":"2027-02-30T00:00:00Z"}"#,
                "bad-value: not a time such as 2027-01-31T00:00:00Z (expires)"
            ),
            (
                #"{"format":1,"version":1,"features":{"pool":1}}"#,
                "bad-document: not true, false or a roll-out (features.pool)"
            ),
            (
                #"{"format":1,"version":1,"features":{"pool":{"perMille":1001}}}"#,
                "bad-value: 1001 is not within 0 to 1000 (features.pool.perMille)"
            ),
            (
                #"{"format":1,"version":1,"features":{"pool":{}}}"#,
                "bad-document: perMille is missing (features.pool)"
            ),
            (
                #"{"format":1,"version":1,"features":{"pool":{"perMille":1,"salt":""}}}"#,
                "bad-value: empty (features.pool.salt)"
            ),
            (#"{"format":1,"version":1,"deny":["a.example",7]}"#, "bad-document: not of type String (deny[1])"),
            (
                #"{"format":1,"version":1,"deny":["a.example","a b"]}"#,
                "bad-value: not a host or URL pattern: 'a b' (deny[1])"
            ),
            (
                #"{"format":1,"version":1,"modes":[{"host":"a.example/x","mode":"plain"}]}"#,
                "bad-value: not a host pattern: 'a.example/x' (modes[0].host)"
            ),
            (
                #"{"format":1,"version":1,"modes":[{"host":"a.example","mode":"takeover"}]}"#,
                "bad-value: not a mode: 'takeover' (modes[0].mode)"
            ),
            (
                #"{"format":1,"version":1,"rules":[{"action":"pass"},{"action":"drop"}]}"#,
                "bad-value: invalid value: 'drop' (rules[1].action)"
            ),
            (
                #"{"format":1,"version":1,"rules":[{"action":"intercept"}]}"#,
                "bad-value: a remote rule cannot intercept (rules[0].action)"
            ),
            (
                #"{"format":1,"version":1,"rules":[{"action":"pass","later":1}]}"#,
                "bad-document: unknown name: later (rules[0])"
            ),
            (
                #"{"format":1,"version":1,"rules":[{"action":"redirect","to":"/a"}]}"#,
                "bad-value: not the template of an http or https URL: '/a' (rules[0].to)"
            ),
            (
                #"{"format":1,"version":1,"limits":{"poolCapacity":9}}"#,
                "bad-value: 9 is not within 0 to 8 (limits.poolCapacity)"
            ),
            (
                #"{"format":1,"version":1,"limits":{"httpCacheDiskBytes":-1}}"#,
                "bad-value: -1 is not within 0 to 2147483648 (limits.httpCacheDiskBytes)"
            ),
        ])
    func refused(_ json: String, _ expected: String) {
        do {
            _ = try read(json)
            Issue.record("accepted: \(json)")
        } catch {
            #expect("\(error)" == expected)
        }
    }

    @Test("Sizes, depth and counts are limited, inclusively")
    func bounds() throws {
        func document(_ more: String) -> String { #"{"format":1,"version":1,\#(more)}"# }
        func code(_ json: String) -> String? {
            do {
                _ = try read(json)
                return nil
            } catch {
                return (error as? RemoteConfigError).map { "\($0.code)" }
            }
        }
        func nested(_ depth: Int) -> String {
            document("\"x\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        #expect(code(nested(15)) == nil && code(nested(16)) == "limit")
        // Brackets in strings do not count as levels.
        #expect(code(document(#""x":"\#(String(repeating: "[", count: 99))""#)) == nil)
        func list(_ name: String, _ count: Int, _ entry: String) -> String {
            document("\"\(name)\":[\(Array(repeating: entry, count: count).joined(separator: ","))]")
        }
        #expect(code(list("deny", 1_000, #""a.example""#)) == nil)
        #expect(code(list("deny", 1_001, #""a.example""#)) == "limit")
        let mode = #"{"host":"a.example","mode":"plain"}"#
        #expect(code(list("modes", 200, mode)) == nil && code(list("modes", 201, mode)) == "limit")
        // Patterns that a single request could all match.
        let costly = #""*.example/**/\#(String(repeating: "*a", count: 60))""#
        #expect(code(list("deny", 100, costly)) == nil && code(list("deny", 400, costly)) == "limit")
        let long = String(repeating: "a", count: 250)
        #expect(code(document(#""deny":["a.example/\#(long)"]"#)) == "limit")
        let room = RemoteConfigDocument.maxBytes - document(#""x":"""#).utf8.count
        func padded(_ count: Int) -> String { document(#""x":"\#(String(repeating: "x", count: count))""#) }
        #expect(code(padded(room)) == nil && code(padded(room + 1)) == "limit")
        // Other encodings, and invalid bytes.
        let utf16 = document(#""x":1"#).data(using: .utf16LittleEndian) ?? Data()
        #expect(throws: RemoteConfigError.self) { try RemoteConfigDocument(json: utf16) }
        #expect(throws: RemoteConfigError.self) {
            try RemoteConfigDocument(json: Data(#"{"format":1,"version":1,"x":""#.utf8) + [0xFF, 0x22, 0x7D])
        }
    }

    @Test("The last mode that matches a page's host applies")
    func modes() throws {
        let document = try read(example())
        for (url, mode) in [
            ("https://a.shop.example/x", .plain), ("https://m.shop.example/x", .configured),
            ("https://M.Shop.Example:443/", .configured), ("https://shop.example/", .configured),
            ("http://a.shop.example./", .plain), ("no url", .configured),
        ] as [(String, RemoteConfigMode)] {
            #expect(document.mode(for: url) == mode, "\(url)")
        }
    }

    @Test("A newer version replaces the document, an older only with `replaces`; a replaced version does not return")
    func versions() throws {
        func document(_ version: Int, replaces: Int? = nil) throws -> RemoteConfigDocument {
            try read("{\"format\":1,\"version\":\(version)\(replaces.map { ",\"replaces\":\($0)" } ?? "")}")
        }
        #expect(try document(8).mayReplace(document(7)) && document(7).mayReplace(document(7)))
        #expect(try !document(6).mayReplace(document(7)))
        let back = try document(5, replaces: 7)
        #expect(try back.mayReplace(document(7)) && back.mayReplace(document(6)) && !back.mayReplace(document(8)))
        // An outdated server continues to send version 7.
        #expect(try !document(7).mayReplace(back) && document(8).mayReplace(back) && !document(6).mayReplace(back))
    }

    @Test("The test vectors of the documentation's table are reproduced")
    func vectors() throws {
        let zero = try #require(RolloutBucket(identity: String(repeating: "0", count: 32)))
        let other = try #require(RolloutBucket(identity: "0123456789abcdef0123456789abcdef"))
        let salts = RemoteConfigFeature.allCases.map(RolloutBucket.salt) + ["autumn"]
        #expect(salts.map(zero.number) == [969, 239, 603, 548, 625, 155, 622, 826])
        #expect(salts.map(other.number) == [420, 578, 505, 798, 892, 999, 954, 276])
        for identity in ["", "0123456789ABCDEF0123456789ABCDEF", String(repeating: "0", count: 33)] {
            #expect(RolloutBucket(identity: identity) == nil)
        }
        #expect(RolloutBucket().identity != RolloutBucket().identity)
        #expect(RolloutBucket(identity: RolloutBucket().identity) != nil)
    }

    @Test("Buckets are evenly distributed, features select different devices, and a higher rate keeps all devices")
    func distribution() throws {
        let devices = (0..<10_000).compactMap { index in
            let digits = String(index, radix: 16)
            return RolloutBucket(identity: String(repeating: "0", count: 32 - digits.count) + digits)
        }
        try #require(devices.count == 10_000)
        func on(_ perMille: Int, _ salt: String) -> Set<RolloutBucket> {
            Set(devices.filter { RemoteConfigRollOut.partial(perMille: perMille, salt: salt).isOn(for: $0) })
        }
        // The devices are fixed, so that the numbers are constant; both were computed independently of this code.
        let packages = on(100, "containerkit.packages")
        #expect(packages.count == 1_056)
        #expect(packages.intersection(on(100, "containerkit.pool")).count == 93)
        #expect(on(0, "s").isEmpty && on(1_000, "s").count == 10_000)
        var last: Set<RolloutBucket> = []
        for perMille in stride(from: 0, through: 1_000, by: 50) {
            let next = on(perMille, "containerkit.packages")
            #expect(last.isSubset(of: next) && abs(next.count - perMille * 10) < 200)
            last = next
        }
    }
}
