// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import Testing
import WebSyntax

@testable import NameResolution

/// The requests and bodies of the HTTPDNS dialects.
@Suite(.timeLimit(.minutes(1)))
struct HTTPDNSTests {
    private let server: ResolverServer
    private let alibaba: AlibabaDialect
    private let tencent: TencentDialect

    init() throws {
        server = try ResolverServer(url: "https://192.0.2.53")
        alibaba = AlibabaDialect(server: server, account: "139450")
        tencent = TencentDialect(server: server, token: "a&b")
    }

    @Test("Requests have the host, the account and both families")
    func requests() throws {
        let request = try alibaba.request(for: "HOST.example.")
        #expect(request.method == .get && request.scheme == "https" && request.authority == "192.0.2.53")
        #expect(request.path == "/139450/d?host=host.example&query=4,6")
        #expect(try tencent.request(for: "host.example").path == "/d?dn=host.example&token=a%26b&ttl=1&type=addrs")
        let below = try ResolverServer(url: "https://dns.example/v2")
        let local = AlibabaDialect(server: below, account: "a/b", clientAddress: IPAddress("2001:db8::1"))
        #expect(
            try local.request(for: "host.example").path
                == "/v2/a%2Fb/d?host=host.example&ip=2001%3Adb8%3A%3A1&query=4,6")
    }

    @Test("A closure signs requests")
    func signatures() throws {
        let sign: @Sendable (HTTPRequest) throws -> HTTPRequest = { request in
            var request = request
            request.path = (request.path ?? "") + "&sign=1"
            return request
        }
        let signed = AlibabaDialect(server: server, account: "1", sign: sign)
        #expect(try signed.request(for: "host.example").path == "/1/d?host=host.example&query=4,6&sign=1")
        let other = TencentDialect(server: server, token: "1", sign: sign)
        #expect(try other.request(for: "host.example").path?.hasSuffix("&type=addrs&sign=1") == true)
    }

    @Test("Addresses and invalid names are not sent", arguments: ["", "192.0.2.1", "a b", "é.example", "a..b"])
    func invalidNames(host: String) {
        for dialect: any HTTPDNSDialect in [alibaba, tencent] {
            let error = #expect(throws: NameResolutionError.self) { try dialect.request(for: host) }
            #expect(error?.code == .invalidName)
        }
    }

    private func answer(_ dialect: any HTTPDNSDialect, _ body: String) throws -> HTTPDNSAnswer {
        try dialect.answer(in: Array(body.utf8), for: "host.example")
    }

    @Test("A JSON body has addresses of both families and a time to live")
    func alibabaAnswers() throws {
        let body = """
            {"host":"HOST.example","ips":["192.0.2.1","192.0.2.2"],"ipsv6":["2001:db8::1"],"ttl":57,"origin_ttl":120,
            "client_ip":"192.0.2.9","x":{"y":[null]}}
            """
        let both = try answer(alibaba, body)
        #expect(both.addresses == IPAddress.list("192.0.2.1", "192.0.2.2", "2001:db8::1") && both.timeToLive == 57)
        let none = try answer(alibaba, #"{"host":"host.example","ips":[],"ipsv6":null,"ttl":60}"#)
        #expect(none.addresses.isEmpty && none.timeToLive == 60)
        let long = try answer(alibaba, #"{"host":"host.example","ips":["192.0.2.1"],"ttl":9999999999}"#)
        #expect(long.timeToLive == 2_147_483_647)
    }

    @Test(
        "Other JSON bodies are rejected",
        arguments: [
            "", "[]", "{", "null", #"{"code":"MissingArgument"}"#, #"{"host":"host.example","ips":[]}"#,
            #"{"host":"host.example","ttl":-1}"#, #"{"host":"host.example","ttl":"60"}"#,
            #"{"host":"host.example","ttl":1.5}"#, #"{"host":"host.example","ips":["x"],"ttl":1}"#,
            #"{"host":"host.example","ips":["2001:db8::1"],"ttl":1}"#,
            #"{"host":"host.example","ipsv6":["192.0.2.1"],"ttl":1}"#, #"{"host":"host.example","ips":[1],"ttl":1}"#,
            #"{"host":"host.example","ips":"192.0.2.1","ttl":1}"#, #"{"host":"host.example","ttl":1} x"#,
            #"{"host":"host.example","host":"host.example","ttl":1}"#, #"{"ips":["192.0.2.1"],"ttl":1}"#,
        ])
    func badJSON(body: String) {
        let error = #expect(throws: NameResolutionError.self) { try answer(alibaba, body) }
        #expect(error?.code == .badMessage)
    }

    @Test("An answer for another host is rejected")
    func otherHost() {
        let error = #expect(throws: NameResolutionError.self) {
            try answer(alibaba, #"{"host":"other.example","ips":["192.0.2.9"],"ttl":1}"#)
        }
        #expect(error?.code == .otherQuestion)
    }

    @Test(
        "A text body has a list for each family",
        arguments: [
            ("192.0.2.1;192.0.2.2,120", ["192.0.2.1", "192.0.2.2"], 120), ("192.0.2.1,60\t", ["192.0.2.1"], 60),
            ("192.0.2.1,120-2001:db8::1;2001:db8::2,60", ["192.0.2.1", "2001:db8::1", "2001:db8::2"], 60),
            ("192.0.2.1,120-0", ["192.0.2.1"], 120), ("0-2001:db8::1,9", ["2001:db8::1"], 9),
            ("-2001:db8::1,9", ["2001:db8::1"], 9), ("", [], 0), ("0", [], 0), ("0-0", [], 0), ("-", [], 0),
            ("192.0.2.1,99999999999", ["192.0.2.1"], 2_147_483_647),
        ] as [(String, [String], Int)])
    func tencentAnswers(body: String, addresses: [String], timeToLive: Int) throws {
        let result = try answer(tencent, body)
        #expect(result.addresses.map(\.description) == addresses && result.timeToLive == timeToLive)
    }

    @Test(
        "Other text bodies are rejected",
        arguments: [
            "192.0.2.1", "192.0.2.1,", ",60", "192.0.2.1;,60", ";192.0.2.1,60", "192.0.2.1,60,60", "192.0.2.1,-1",
            "192.0.2.1,x", "x,60", "2001:db8::1,60", "192.0.2.1,60-192.0.2.2,60", "192.0.2.1,60--", "<html>",
            "192.0.2.1,99999999999999999999", "192.0.2.1\u{301},60",
        ])
    func badText(body: String) {
        let error = #expect(throws: NameResolutionError.self) { try answer(tencent, body) }
        #expect(error?.code == .badMessage)
    }

    @Test("The length of bodies and the number of addresses are limited")
    func limits() throws {
        for dialect: any HTTPDNSDialect in [alibaba, tencent] {
            let error = #expect(throws: NameResolutionError.self) {
                try dialect.answer(
                    in: [UInt8](repeating: 0x20, count: HTTPDNSAnswer.maxBytes + 1), for: "host.example")
            }
            #expect(error?.code == .tooLarge)
        }
        for (count, isAccepted) in [(HTTPDNSAnswer.maxAddresses, true), (HTTPDNSAnswer.maxAddresses + 1, false)] {
            let addresses = (0..<count).map { "192.0.2.\($0)" }
            let json = addresses.map { "\"\($0)\"" }.joined(separator: ",")
            let text = addresses.joined(separator: ";") + ",60"
            #expect(((try? answer(alibaba, #"{"host":"host.example","ips":[\#(json)],"ttl":1}"#)) != nil) == isAccepted)
            #expect(((try? answer(tencent, text)) != nil) == isAccepted)
        }
    }
}
