// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@_spi(Fuzzing) @testable import NameResolution

/// The hosts of pages, and the known addresses of servers.
@Suite(.timeLimit(.minutes(1)))
struct PageHostsTests {
    private func code(_ json: String) -> NameResolutionError.Code? {
        do {
            _ = try PageHosts(json: Array(json.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    private func list(_ hosts: String) -> String { #"{"page":"https://shop.example/","hosts":[\#(hosts)]}"# }

    @Test("The file that --suggest writes is read in its order")
    func file() throws {
        let json = """
            {
              "hosts" : [
                { "firstMs" : 3, "host" : "shop.example", "requests" : 9, "runs" : 2 },
                { "firstMs" : 120, "host" : "img.example", "requests" : 4, "runs" : 1 }
              ],
              "page" : "https://shop.example/offer.html",
              "runs" : 2
            }
            """
        let list = try PageHosts(json: Array(json.utf8))
        #expect(list.page == "https://shop.example/offer.html")
        #expect(list.hosts == ["shop.example", "img.example"])
        #expect(list == PageHosts(page: "https://shop.example/offer.html?id=7#top", hosts: list.hosts))
        #expect(PageHosts(page: "https://shop.example?id=7", hosts: []).page == "https://shop.example/")
    }

    @Test("Names are in lower case and without duplicates; addresses and invalid names are omitted")
    func names() throws {
        let hosts = [
            "B.example", "192.0.2.1", "a.example", "b.example.", "[2001:db8::1]", "2001:db8::1", "a..example", "",
            "a b.example", "bücher.example", String(repeating: "a", count: 64) + ".example", "c.example",
        ]
        let names = ["b.example", "a.example", "c.example"]
        #expect(PageHosts(page: "https://shop.example/", hosts: hosts).hosts == names)
        let json = hosts.map { #"{"host":"\#($0)"}"# }.joined(separator: ",")
        #expect(try PageHosts(json: Array(list(json).utf8)).hosts == names)
        #expect(try PageHosts(json: Array(list(#"{"host":null},{"runs":1},{"host":5}"#).utf8)).hosts == [])
    }

    @Test("A list has at most 64 hosts: the first ones")
    func limit() throws {
        let hosts = (0..<65).map { "h\($0).example" }
        #expect(PageHosts(page: "https://shop.example/", hosts: hosts).hosts == Array(hosts.prefix(64)))
        let json = hosts.map { #"{"host":"\#($0)"}"# }.joined(separator: ",")
        #expect(try PageHosts(json: Array(list(json).utf8)).hosts == Array(hosts.prefix(64)))
        // Names that are omitted do not count.
        let mixed = ["192.0.2.1", "h0.example"] + hosts
        #expect(PageHosts(page: "https://shop.example/", hosts: mixed).hosts == Array(hosts.prefix(64)))
    }

    @Test(
        "A file that is no list is refused",
        arguments: [
            "", "no list", "[]", "null", "{}", #"{"page":"https://a.example/"}"#, #"{"hosts":[]}"#,
            #"{"page":null,"hosts":[]}"#, #"{"page":"https://a.example/","hosts":{}}"#,
            #"{"page":"https://a.example/","hosts":["a.example"]}"#, #"{"page":"https://a.example/","hosts":[]} {}"#,
            #"{"page":"https://a.example/","hosts":[]"#, #"{"page":"a","page":"b","hosts":[]}"#,
            #"{"page":"a","hosts":[],"hosts":[]}"#, #"{"page":"a","hosts":[{"host":"a.example","host":"b.example"}]}"#,
            #"{"page":"a","hosts":[],"more":{"a":1,"a":2}}"#, #"{"page":"\ud800","hosts":[]}"#,
        ])
    func refused(_ json: String) { #expect(code(json) == .badMessage) }

    @Test("A file of more than 64 KiB and a file of deep values are refused; other members are ignored")
    func hostile() {
        let rest = #"{"page":"a","hosts":[],"more":""#
        let padding = String(repeating: "x", count: 65_536 - rest.utf8.count - 2)
        #expect(code(rest + padding + #""}"#) == nil)
        #expect(code(rest + padding + #"x"}"#) == .tooLarge)
        func nested(_ depth: Int) -> String {
            let (open, close) = (String(repeating: "[", count: depth), String(repeating: "]", count: depth))
            return #"{"page":"a","hosts":[],"more":\#(open)\#(close)}"#
        }
        #expect(code(nested(7)) == nil)
        #expect(code(nested(8)) == .badMessage)
        #expect(code(nested(30_000)) == .badMessage)
    }

    @Test("Changed bytes of a file are refused, or give a list within the limits")
    func changes() {
        let json = Array(list(#"{"host":"a.example","firstMs":3},{"host":"B.example"},{"host":"1.2"}"#).utf8)
        for index in json.indices {
            for value in Array("\"{]\\,0?\0".utf8) + [0x80, 0xFF] {
                var changed = json
                changed[index] = value
                #expect(NameResolutionFuzzing.hostsHold(changed), "byte \(index) is \(value)")
            }
        }
    }

    @Test("Servers with addresses need no resolver, other hosts are those of the system")
    func serverAddresses() async throws {
        let (first, second) = (IPAddress.list("192.0.2.1"), IPAddress.list("2001:db8::1", "192.0.2.2"))
        let servers = [
            try ResolverServer(url: "https://dns.example/a", addresses: first.map(\.description)),
            try ResolverServer(url: "https://DNS.example:8443/b", addresses: second.map(\.description)),
            try ResolverServer(url: "https://plain.example/"),
        ]
        let addresses = ServerAddresses(of: servers)
        #expect(addresses.resolves("dns.example"))
        #expect(addresses.knownAddresses(of: "dns.example") == first + second)
        #expect(try await addresses.addresses(of: "dns.example") == first + second)
        for host in ["plain.example", "shop.example", "sub.dns.example"] {
            #expect(!addresses.resolves(host) && addresses.knownAddresses(of: host) == nil)
            #expect(try await addresses.addresses(of: host) == [])
        }
    }
}
