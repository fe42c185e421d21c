// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import SchemeMode
import Testing

@Suite("Names in custom-scheme mode")
struct SchemeNamesTests {
    private let names = SchemeNames.standard

    @Test(
        "There and back",
        arguments: [
            ("https://shop.example/a?b=c#d", "containerkit://shop.example/a?b=c#d"),
            ("http://127.0.0.1:8080/", "containerkit-http://127.0.0.1:8080/"),
            ("https://[::1]:1/%2F", "containerkit://[::1]:1/%2F"),
        ])
    func roundTrip(real: String, name: String) {
        #expect(names.name(of: real) == name)
        #expect(names.realURL(of: name) == real)
    }

    @Test(
        "What has no name",
        arguments: ["ftp://a/", "about:blank", "data:text/html,x", "https:a", "", "://a", "file:///x"])
    func nameless(url: String) {
        #expect(names.name(of: url) == nil && names.realURL(of: url) == nil)
    }

    @Test(
        "Prefixes that cannot be schemes of an app",
        arguments: ["", "https", "1a", "a b", "A", "javascript", "ä", "a:"])
    func refused(prefix: String) {
        #expect(SchemeNames(prefix: prefix) == nil)
    }

    @Test("Origin and Referer get their real values, other fields stay")
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
}
