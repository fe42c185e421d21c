// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Fuzzing) @_spi(Facade) import BodyBridge
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@Suite("Legacy message names", .timeLimit(.minutes(3)))
struct LegacyMessagesTests {
    private let messages: LegacyMessages

    private final class NoHost: LegacyHosting {
        func origin(ofDocument url: String) -> WebOrigin? { nil }
        func cookieLine(of message: Data, fromDocument url: String) throws -> String { "" }
        func prefetched(_ message: Data, for origin: WebOrigin, by bridge: LegacyBridge) async throws -> Data? { nil }
    }

    init() throws {
        messages = try #require(LegacyMessages(prefix: "yx"))
    }

    @Test(
        "A prefix with other characters or another length is invalid",
        arguments: ["", "a b", "é", "a.b", "a&b", String(repeating: "a", count: 33)])
    func prefixes(_ text: String) {
        #expect(LegacyMessages(prefix: text) == nil && LegacyMessages(prefix: "yx", handlerPrefix: text) == nil)
    }

    @Test("The names that a prefix produces")
    func names() {
        #expect(messages.callback == "yx_realxhr_callback" && messages.parameter == "yx-wkwebview-request-id")
        #expect(messages.bodyHandler == "XHRCALL" && messages.cookieHandler == "COOKIECALL")
    }

    @Test(
        "The parameter is removed, and the rest of the URL is unchanged",
        arguments: [
            ("?ID=1", "", LegacyMessages.CarriedID.id("1")), ("?ID=1&b=2", "?b=2", .id("1")),
            ("?a=%7e+&ID=1&b=?&&", "?a=%7e+&b=?&&", .id("1")), ("?a&ID=a%2F%20+%C3%A9", "?a", .id("a/ +é")),
            ("?ID=1&ID=1&b", "?b", .id("1")), ("?ID=1&b&ID=2", "?b", .unreadable), ("?ID", "", .id("")),
            ("?ID=%F&b", "?b", .unreadable), ("?ID=%ff", "", .unreadable), ("?ID=%", "", .unreadable),
            ("?xID=1&IDx=2&a=ID=3", "?xID=1&IDx=2&a=ID=3", .none), ("", "", .none), ("/ID=1?", "/ID=1?", .none),
            ("?", "?", .none), ("?&ID=1", "?", .id("1")), ("?ID=1&", "?", .id("1")), ("?ID=%+1", "", .unreadable),
            ("?ID=\u{E9}&ID=e\u{301}", "", .unreadable), ("?ID=\u{212A}&ID=K&b", "?b", .unreadable),
        ])
    func parameter(_ query: String, _ left: String, _ carried: LegacyMessages.CarriedID) throws {
        let named = { (text: String) in "https://shop.example/p" + text.replacing("ID", with: messages.parameter) }
        var request = try #require(HTTPRequest(urlText: named(query)))
        #expect(messages.isCarried(by: request) == (carried != .none))
        #expect(messages.removeID(from: &request) == carried)
        #expect(request.urlText == named(left))
        #expect(
            messages.withoutID(named(query) + "#?yx-wkwebview-request-id=2") == named(left)
                + "#?yx-wkwebview-request-id=2")
        #expect(!messages.isCarried(by: request))
    }

    @Test(
        "The parameter may lack the prefix, and both names together must carry one id",
        arguments: [
            ("?wkwebview-request-id=1&b=2", "?b=2", LegacyMessages.CarriedID.id("1")),
            ("?a&yx-wkwebview-request-id=1&wkwebview-request-id=1", "?a", .id("1")),
            ("?wkwebview-request-id=1&yx-wkwebview-request-id=2", "", .unreadable),
            ("?other-wkwebview-request-id=1", "?other-wkwebview-request-id=1", .none),
        ])
    func plainParameter(_ query: String, _ left: String, _ carried: LegacyMessages.CarriedID) throws {
        var request = try #require(HTTPRequest(urlText: "https://shop.example/p" + query))
        #expect(messages.isCarried(by: request) == (carried != .none))
        #expect(messages.removeID(from: &request) == carried && request.urlText == "https://shop.example/p" + left)
    }

    @MainActor
    @Test("The script adds the handlers under both names if there is a prefix of handlers")
    func handlerNames() throws {
        let script = LegacyBridge(
            try #require(LegacyMessages(prefix: "yx", handlerPrefix: "YX")), token: BridgeToken(), host: NoHost()
        ).page
        #expect(script.contains(#"["XHRCALL","YXXHRCALL"]"#) && script.contains(#"["COOKIECALL","YXCOOKIECALL"]"#))
        #expect(LegacyBridge(messages, token: BridgeToken(), host: NoHost()).page.contains(#"["XHRCALL"]"#))
    }

    @Test("Spaces do not hide a parameter")
    func blanks() throws {
        var request = try #require(
            HTTPRequest(urlText: "https://shop.example/?yx-wkwebview-request-id  &yx-wkwebview-request-id=1"))
        #expect(messages.removeID(from: &request) == .unreadable && request.path == "/")
    }

    @Test("A request of the scheme post becomes the intended POST")
    func post() throws {
        let (oldScheme, bodyParam) = (
            try #require(HTTPField.Name("oldScheme")), try #require(HTTPField.Name("bodyParam"))
        )
        let other = try #require(HTTPField.Name("X-Own"))
        let request = try #require(
            HTTPRequest(
                urlText: "post://shop.example:8443/a?b",
                headerFields: [oldScheme: "HTTPS", bodyParam: "a=%20", other: "1"]))
        let meant = try #require(PostNavigation(legacy: request))
        #expect(meant.request.method == .post && meant.request.urlText == "https://shop.example:8443/a?b")
        #expect(meant.request.headerFields == [other: "1", .contentType: "application/x-www-form-urlencoded"])
        #expect(meant.body == Data("a=%20".utf8))
        var json = request
        json.headerFields = [oldScheme: "http", .contentType: "application/json"]
        let second = try #require(PostNavigation(legacy: json))
        #expect(second.request.headerFields == [.contentType: "application/json"] && second.body.isEmpty)
        for scheme in [nil, "", "post", "file", "containerkit"] {
            var bad = request
            bad.headerFields[oldScheme] = scheme
            #expect(PostNavigation(legacy: bad) == nil)
        }
        #expect(PostNavigation(legacy: meant.request) == nil)
    }
}
