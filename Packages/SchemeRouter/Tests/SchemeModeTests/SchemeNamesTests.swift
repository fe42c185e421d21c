// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

@Suite("Names in custom-scheme mode", .timeLimit(.minutes(1)))
struct SchemeNamesTests {
    private let names = SchemeNames.standard

    @Test(
        "Real URLs and names are converted in both directions",
        arguments: [
            ("https://shop.example/a?b=c#d", "containerkit://shop.example/a?b=c#d"),
            ("http://127.0.0.1:8080/", "containerkit-http://127.0.0.1:8080/"),
            ("https://[::1]:1/%2F", "containerkit://[::1]:1/%2F"),
            ("https://shop.example", "containerkit://shop.example"),
            ("https://User:Pass@shop.example:443/", "containerkit://User:Pass@shop.example:443/"),
            ("http://shop.example/http://a/", "containerkit-http://shop.example/http://a/"),
        ])
    func roundTrip(real: String, name: String) {
        #expect(names.name(of: real) == name)
        #expect(names.realURL(of: name) == real)
    }

    @Test(
        "URLs of other schemes have no name",
        arguments: ["ftp://a/", "about:blank", "data:text/html,x", "https:a", "", "://a", "file:///x"])
    func nameless(url: String) {
        #expect(names.name(of: url) == nil && names.realURL(of: url) == nil)
    }

    @Test("The scheme is case-insensitive, and the rest is unchanged")
    func upperCase() {
        #expect(names.name(of: "HTTPS://Shop.Example/A") == "containerkit://Shop.Example/A")
        #expect(names.realURL(of: "ContainerKit-HTTP://Shop.Example/A") == "http://Shop.Example/A")
        #expect(names.name(for: "HTTP") == "containerkit-http" && names.realScheme(for: "CONTAINERKIT") == "https")
        #expect(names.name(for: "ws") == nil && names.realScheme(for: "https") == nil)
    }

    @Test(
        "A request with a custom-scheme URL is mapped to its real URL",
        arguments: [
            ("containerkit://shop.example/a?b=c", "https://shop.example/a?b=c"),
            ("containerkit-http://shop.example:8080/", "http://shop.example:8080/"),
            ("https://shop.example/", "https://shop.example/"), ("other://shop.example/", "other://shop.example/"),
        ])
    func request(name: String, real: String) throws {
        let request = try #require(HTTPRequest(urlText: name))
        #expect(names.realURL(of: request) == real)
    }

    @Test("An alias counts as https and is never written")
    func aliases() throws {
        let names = try #require(SchemeNames(prefix: "app", aliases: ["page", "assets"]))
        #expect(names.realURL(of: "Page://Shop.example/a?b") == "https://Shop.example/a?b")
        #expect(names.realURL(of: "pages://a/") == nil && names.name(of: "page://a/") == nil)
        #expect(names.name(of: "https://a/") == "app://a/")
        #expect(names.withoutAlias("assets://a/b#c") == "https://a/b#c")
        for url in ["app://a/", "https://a/", "assets:a", "", "other://a/"] { #expect(names.withoutAlias(url) == url) }
        #expect(SchemeNames.standard.realURL(of: "page://a/") == nil)
    }

    @Test(
        "An alias is another valid scheme that is not reserved",
        arguments: [["app"], ["app-http"], ["https"], ["post"], ["Page"], ["1a"], [""], ["a b"], ["blob", "page"]])
    func invalidAliases(_ aliases: [String]) {
        #expect(SchemeNames(prefix: "app", aliases: Set(aliases)) == nil)
        #expect(SchemeNames(prefix: "app", aliases: Set((1...9).map { "a\($0)" })) == nil)
        #expect(SchemeNames(prefix: "app", aliases: Set((1...8).map { "a\($0)" })) != nil)
    }

    @Test("Names of one prefix are not names of another, and a real URL is not a name")
    func otherNames() throws {
        let other = try #require(SchemeNames(prefix: "shop+1.x-y"))
        #expect(other.secure == "shop+1.x-y" && other.insecure == "shop+1.x-y-http")
        #expect(other.realURL(of: "shop+1.x-y-http://a/") == "http://a/")
        #expect(other.realURL(of: "containerkit://a/") == nil)
        #expect(names.realURL(of: "https://a/") == nil && names.name(of: "containerkit://a/") == nil)
    }

    @Test(
        "Invalid prefixes are rejected",
        arguments: [
            "", "https", "http", "ws", "wss", "ftp", "file", "about", "blob", "data", "javascript", "1a", "-a", "+a",
            ".a",
            "a b", "A", "aB", "ä", "a:", "a/b", "a_b", "a\n", String(repeating: "a", count: 33),
        ])
    func refused(prefix: String) {
        #expect(SchemeNames(prefix: prefix) == nil)
    }

    @Test("Origin and Referer get real URLs; other fields are unchanged")
    func originFields() {
        var fields: HTTPFields = [
            .origin: "containerkit://shop.example", .referer: "containerkit-http://shop.example/x",
            .accept: "containerkit://",
        ]
        names.restoreOriginFields(in: &fields)
        #expect(fields[.origin] == "https://shop.example" && fields[.referer] == "http://shop.example/x")
        #expect(fields[.accept] == "containerkit://")
        fields = [.origin: "null"]
        names.restoreOriginFields(in: &fields)
        #expect(fields[.origin] == "null")
    }

    @Test("Values without a real URL are unchanged")
    func foreignOrigins() {
        for value in ["https://shop.example", "null", "", "data:text/html,x", "containerkit:shop", "about:blank"] {
            var fields: HTTPFields = [.origin: value, .referer: value]
            names.restoreOriginFields(in: &fields)
            #expect(fields == [.origin: value, .referer: value])
        }
        var empty: HTTPFields = [.accept: "*/*"]
        names.restoreOriginFields(in: &empty)
        #expect(empty == [.accept: "*/*"])
    }

    @Test(
        "Path and query have the form of an http request",
        arguments: [
            ("/a/b?c=d", "/a/b?c=d"), ("/a'b?c='d'&'", "/a'b?c=%27d%27&%27"), ("/a\\b?c\\d", "/a/b?c\\d"),
            ("/a/..\\b", "/b"), ("/a\\..\\..\\b\\.", "/b/"), ("/a\\%2E%2e", "/"), ("/a//b\\", "/a//b/"),
            ("/\\?'", "//?%27"),
        ])
    func realTargets(name: String, real: String) {
        #expect(SchemeNames.standard.realTarget(of: name) == real)
    }
}
