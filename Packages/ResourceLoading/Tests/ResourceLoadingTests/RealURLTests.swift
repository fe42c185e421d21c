// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) import ResourceLoading
import Testing

@Suite("Real URLs", .timeLimit(.minutes(1)))
struct RealURLTests {
    @Test(
        "Scheme and host are lower-cased, an empty path becomes /, default ports are removed, blanks are escaped",
        arguments: [
            ("https://shop.example", "https://shop.example/"),
            ("HTTPS://Shop.EXAMPLE/A?B=C#D", "https://shop.example/A?B=C#D"),
            ("http://shop.example:8080?q", "http://shop.example:8080/?q"),
            ("http://[::1]:8080/a", "http://[::1]:8080/a"),
            ("https://shop.example:443/a", "https://shop.example/a"), ("http://[::1]:80/", "http://[::1]/"),
            ("http://shop.example:443/", "http://shop.example:443/"),
            ("https://shop.example#top", "https://shop.example/#top"),
            ("https://shop.example/a%20b/%0a", "https://shop.example/a%20b/%0a"),
            ("https://shop.example/#a#b", "https://shop.example/#a#b"),
            ("https://shop.example/a  b?c d#e f", "https://shop.example/a%20%20b?c%20d#e%20f"),
            ("https://shop.example/?next=javascript:alert(1)", "https://shop.example/?next=javascript:alert(1)"),
        ])
    func accepted(_ text: String, _ spelling: String) {
        #expect(RealURL(text)?.text == spelling)
    }

    @Test(
        "A text that is not an absolute http or https URL is refused",
        arguments: [
            "", " ", "/", "//shop.example/", "shop.example", "https:", "https:/", "https://", "https:///path",
            "https:shop.example", "https://?q", "https://#f", "https://:443/", "https://user@/", "https://user@:80/",
            "javascript:alert(1)", "JavaScript:alert(1)", "javascript://shop.example/%0aalert(1)",
            "data:text/html,a", "file:///etc/passwd", "ftp://shop.example/", "about:blank",
            "blob:https://shop.example/1", "containerkit://shop.example/", "ws://shop.example/",
            " https://shop.example/", "https://shop.example/ ", "https://shop .example/", "https://us er@shop.example/",
            " https://shop.example/a b", "https://shop.example/a b ",
            "https://shop.example/\n", "ht\ntps://shop.example/", "https://shop.example/\r\nHost: evil.example",
            "https://shop.example/\ta", "https://shop.example/#\n", "https://shop.example/\u{2028}",
            "https://shop.example/\u{A0}", "https://shop.example/\0", "https://shop.example/\u{1}",
            "https://shop.example/\u{7F}", "https://shop.example/a\n\u{301}", "https://evil.example\\@shop.example/",
        ])
    func refused(_ text: String) {
        #expect(RealURL(text)?.text == nil)
    }
}
