// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import PublicSuffixList
import Testing

@Suite(.timeLimit(.minutes(3)))
struct PublicSuffixListTests {
    let list = SuffixList()

    @Test(arguments: [
        ("example.com", "example.com"), ("a.b.example.COM", "example.com"), ("com", nil), ("localhost", nil),
        ("shop.example.co.uk", "example.co.uk"), ("co.uk", nil), ("a.github.io", "a.github.io"), ("github.io", nil),
        // A wildcard, and its exception.
        ("c.ck", nil), ("a.c.ck", "a.c.ck"), ("www.ck", "www.ck"), ("a.www.ck", "www.ck"),
        // No rule of the list matches these names, so the rule `*` applies.
        ("a.b.unlisted", "b.unlisted"), ("unlisted", nil),
        ("example.com.", "example.com."), ("com.", nil),
        ("a_b.example.com", "example.com"),
    ])
    func `Finds the registrable domain`(host: String, domain: String?) {
        #expect(list.registrableDomain(of: host) == domain)
        // A name without a site is a public suffix. With one more label it has a site.
        if domain == nil { #expect(list.registrableDomain(of: "x.y.\(host)") == "y.\(host)") }
    }

    @Test(arguments: [
        "", ".", "..", ".com", "a..com", "example.com..", "127.0.0.1", "1.2.3.4.", "[::1]", "::1", "a.0x7f", "a.1",
        "a b.com",
        "a/b.com", "a%2eb.com", "a\u{0}.com", "a:1", "a@b.com", String(repeating: "a", count: 254),
        String(repeating: "a.", count: 600), String(repeating: "ü", count: 500),
    ])
    func `An invalid host name has no site`(host: String) {
        #expect(list.registrableDomain(of: host) == nil)
    }

    @Test func `Both spellings of a label are equivalent`() {
        #expect(list.registrableDomain(of: "www.食狮.公司.cn") == "食狮.公司.cn")
        #expect(list.registrableDomain(of: "www.xn--85x722f.xn--55qx5d.cn") == "xn--85x722f.xn--55qx5d.cn")
        #expect(list.registrableDomain(of: "食狮。公司。cn") == "食狮.公司.cn")
        // The suffix `sálat.no`: composed, decomposed and in capitals, and as an A-label.
        for suffix in ["sálat.no", "SA\u{301}LAT.no", "xn--slat-5na.no"] {
            #expect(list.registrableDomain(of: suffix) == nil, "\(suffix)")
        }
        #expect(list.registrableDomain(of: "b.a.SÁLAT.no") == "a.sálat.no")
    }

    /// Tests that UTS #46 maps compatibility forms, and refuses joiners and labels that become empty.
    @Test func `Names beyond ASCII are mapped as URLs map them`() {
        #expect(list.registrableDomain(of: "公司.ＣＮ") == nil)
        #expect(list.registrableDomain(of: "www.faß.de") == "faß.de")
        #expect(list.registrableDomain(of: "SA\u{301}LAT．no") == nil)
        for host in ["a\u{200D}.公司.cn", "\u{AD}.公司.cn", "a.ü/b", "ü@a.cn", "ü b.cn", "ü%2f.cn", "ü:80"] {
            #expect(list.registrableDomain(of: host) == nil, "\(host)")
        }
    }

    @Test func `Rules of private parties apply`() {
        #expect(list.registrableDomain(of: "a.b.github.io") == "b.github.io")
        // A private wildcard below a rule of a registry.
        #expect(list.registrableDomain(of: "a.x.compute.amazonaws.com") == "a.x.compute.amazonaws.com")
    }

    /// Tests that the search finds every rule. The compiled form must have the order that the search expects.
    @Test func `Every rule of the file applies`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Data/public_suffix_list.dat").standardizedFileURL
        var count = 0
        for line in try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline) {
            guard !line.hasPrefix("//"), let rule = line.split(separator: " ").first else { continue }
            count += 1
            if rule.hasPrefix("!") {
                #expect(list.registrableDomain(of: String(rule.dropFirst())) == String(rule.dropFirst()), "\(rule)")
            } else {
                let name = rule.hasPrefix("*") ? "zz" + rule.dropFirst() : String(rule)
                #expect(list.registrableDomain(of: name) == nil, "\(rule)")
                let site = "not-listed.\(name)"
                #expect(list.registrableDomain(of: "a.\(site)") == site, "\(rule)")
            }
        }
        #expect(count > 9_000)
    }
}
