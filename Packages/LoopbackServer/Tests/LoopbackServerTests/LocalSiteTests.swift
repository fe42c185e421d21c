// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import LoopbackServer
import Testing
import WebSyntax

@Suite("The names of sites on the local server")
struct LocalSiteTests {
    @Test(
        "The name of an https origin is readable",
        arguments: [
            ("https://shop.example/", "shop-example"),
            ("https://SHOP.example:443/x?y", "shop-example"),
            ("https://my-shop.example/", "my--shop-example"),
            ("https://www.xn--bcher-kva.example/", "www-xn----bcher--kva-example"),
            ("https://127.0.0.1/", "127-0-0-1"),
        ])
    func readable(url: String, label: String) {
        #expect(LocalSite(url: url)?.name == "\(label).localhost")
    }

    @Test(
        "An ambiguous name is replaced by a hash",
        arguments: [
            "http://shop.example/", "https://shop.example:8443/", "https://shop/", "https://a.-b.example/",
            "https://a-.b.example/", "https://shop.example./", "https://under_score.example/", "https://[::1]/",
            "https://xn--bcher-kva.example/", "https://\(String(repeating: "a.", count: 31))aa/",
        ])
    func hashed(url: String) throws {
        let site = try #require(LocalSite(url: url))
        let label = site.name.dropLast(".localhost".count)
        #expect(label.count == 26 && label.utf8.allSatisfy { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") })
        #expect(LocalSite(url: url) == site)
    }

    @Test("Different origins have different names")
    func apart() {
        let urls = [
            "https://a-b.example/", "https://a.b.example/", "https://a--b.example/", "https://a-.b.example/",
            "https://a.-b.example/", "https://a.b.example:444/", "http://a.b.example/", "http://a.b.example:443/",
            "https://a.b-example/", "https://b.example/", "https://[::1]/", "https://[::2]/",
        ]
        #expect(Set(urls.compactMap { LocalSite(url: $0)?.name }).count == urls.count)
    }

    /// The name is part of the origin, so pages would lose their storage if the name changed.
    @Test("The name from a hash does not change")
    func stable() {
        #expect(LocalSite(url: "http://shop.example/")?.name == "2ruuylxv6ts2mfmmtz5nikqluy.localhost")
    }

    @Test(
        "A URL that is not http or https has no site",
        arguments: ["ftp://a.example/", "containerkit://a.example/", "a.example", ""])
    func others(url: String) {
        #expect(LocalSite(url: url) == nil)
    }

    @Test("The local URL of a page keeps its path, query and fragment")
    func url() throws {
        let page = try #require(LocalServer.url(of: "https://shop.example/a/b?c=d#e?f", at: 7443))
        #expect(page.url == "https://shop-example.localhost:7443/a/b?c=d#e?f")
        #expect(page.site.name == "shop-example.localhost")
        #expect(LocalServer.url(of: "https://shop.example", at: 7443)?.url == "https://shop-example.localhost:7443/")
        #expect(LocalServer.url(of: "about:blank", at: 7443) == nil)
    }
}
