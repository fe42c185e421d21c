// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import Testing

@testable import SchemeRouter

@Suite("Templates of redirects", .timeLimit(.minutes(1)))
struct RouteTemplateTests {
    private func request(_ url: String) throws -> HTTPRequest {
        try #require(HTTPRequest(urlText: url))
    }

    @Test(
        "Placeholders are replaced by the parts of the URL",
        arguments: [
            ("https://new.example{path}{query}", "https://a.example:8443/b/c?d=e", "https://new.example/b/c?d=e"),
            ("https://new.example{path}{query}", "http://a.example", "https://new.example/"),
            ("{scheme}://{host}/v2{path}", "http://a.example:8080/b?c", "http://a.example/v2/b"),
            ("{scheme}://{authority}/v2{path}", "https://a.example:8443/b", "https://a.example:8443/v2/b"),
            ("https://{host}/x", "https://[2001:db8::1]:8443/b", "https://[2001:db8::1]/x"),
            ("https://m.{host}{path}", "https://a.example/b", "https://m.a.example/b"),
            (
                "https://go.example/?to={scheme}://{authority}{path}{query}", "https://a.example/b?c",
                "https://go.example/?to=https://a.example/b?c"
            ),
            ("https://new.example{query}", "https://a.example/b?c", "https://new.example?c"),
            ("https://new.example/a#f", "https://a.example/b", "https://new.example/a#f"),
        ])
    func url(template: String, url: String, target: String) throws {
        #expect(try RouteTemplate(template).url(for: request(url)) == target)
    }

    @Test(
        "A template without a scheme and a fixed structure of its authority is refused",
        arguments: [
            "", "/a", "//new.example/", "new.example", "ftp://new.example/", "javascript:alert(1)", "https:{path}",
            "https://{path}", "https://{query}", "https:///a", "https://{scheme}/", "https://new.example{scheme}/",
            "https://user@new.example/", "https://{host}@new.example/", "https://new.example/{nothing}",
            "https://new.example/{path", "https://new.example/path}", "https://new.example/ä", "https://new example/",
            "https://new.example\\a", "https://new.example/\n", "https://{", "{scheme}{path}",
            "https://{host}:{host}/", "https://a.example:99999/",
            "https://a/" + String(repeating: "{path}", count: 9),
        ])
    func refused(template: String) {
        let error = #expect(throws: RouteError.self) { _ = try RouteTemplate(template) }
        #expect(error?.code == .badRule)
    }

    @Test("A path of the request cannot select another host")
    func hostile() throws {
        for path in ["//evil.example/", "/\\evil.example", "/@evil.example/", "/:80@evil.example", "/?@evil.example/"] {
            let request = HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: path)
            for template in ["https://new.example{path}{query}", "{scheme}://m.{host}{path}{query}"] {
                let target = try RouteTemplate(template).url(for: request)
                #expect(try !#require(WebOrigin(url: target)).host.contains("evil"), "\(target)")
            }
        }
    }

    @Test(
        "A redirect from https to http, to the URL itself, or to no URL fails",
        arguments: [
            ("http://new.example{path}", "https://a.example/b", "blocked"),
            ("{scheme}://{authority}{path}{query}", "https://a.example/b?c", "too-many-redirects"),
            ("https://a.example/", "https://a.example:443", "too-many-redirects"),
            ("https://{host}-.m.example/", "https://[2001:db8::1]/", "invalid-request"),
        ])
    func failing(template: String, url: String, code: String) throws {
        let request = try request(url)
        let template = try RouteTemplate(template)
        let error = #expect(throws: ResourceError.self) { _ = try template.url(for: request) }
        #expect(error.map { "\($0.code)" } == code)
    }
}
