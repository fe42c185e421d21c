// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing

@_spi(Facade) @testable import CookieBridge

@Suite(.timeLimit(.minutes(3)))
struct LegacyCookieTests {
    private func message(_ json: String) throws -> LegacyCookieMessage {
        try LegacyCookieMessage(json: Data(json.utf8))
    }

    private func document(_ text: String = "https://m.shop.example/a/b") throws -> URL {
        try #require(URL(string: text))
    }

    private func code(_ body: () throws -> Void) -> CookieBridgeError.Code? {
        do { try body() } catch { return (error as? CookieBridgeError)?.code }
        return nil
    }

    @Test func decodesAllAttributes() throws {
        let whole = try message(
            #"{"name":"a","value":"1","originurl":"https://m.shop.example/","domain":".shop.example","path":"/a","#
                + #""expires":"Wed, 09 Jun 2027 10:18:14 GMT","maximumage":"60","secure":""}"#)
        #expect(whole.isSecure && whole.maximumAge == "60")
        let made = try whole.cookie(in: document(), now: start)
        let identity = Cookie.Identity(name: "a", domain: "shop.example", isHostOnly: false, path: "/a")
        #expect(
            made
                == Cookie(identity, value: "1", expires: start.addingTimeInterval(60), created: start, isSecure: true))
    }

    @Test(arguments: [
        (LegacyCookieMessage(name: "a", value: "1", domain: "m.shop.example", path: "/"), "a=1; Path=/"),
        (
            LegacyCookieMessage(
                name: "a", value: "=1", domain: ".shop.example", path: "x", maximumAge: "60", isSecure: true),
            "a==1; Max-Age=60; Path=/a; Domain=shop.example; Secure"
        ),
        (LegacyCookieMessage(name: "", value: "1", domain: "m.shop.example", path: "/"), "=1; Path=/"),
        (
            LegacyCookieMessage(name: "a", value: "1", domain: "m.shop.example", path: "/", maximumAge: "0"),
            "a=; Max-Age=0; Path=/"
        ),
        (
            LegacyCookieMessage(
                name: "a", value: "1", domain: "m.shop.example", path: "/", expires: "Wed, 09 Jun 1999 10:18:14 GMT"),
            "a=; Max-Age=0; Path=/"
        ),
    ]) func formatsScriptLine(_ message: LegacyCookieMessage, _ line: String) throws {
        #expect(try message.line(in: document(), now: start) == line)
    }

    @Test func pathOfDocumentIsNotTruncated() throws {
        let document = try #require(URL(string: "https://m.shop.example/a;b/page"))
        let message = LegacyCookieMessage(name: "a", value: "1", domain: "m.shop.example", path: "")
        #expect(try message.line(in: document, now: start) == "a=1")
        #expect(try message.cookie(in: document, now: start).identity.path == "/a;b")
    }

    @Test func rejectsCookieLines() throws {
        let foreign = LegacyCookieMessage(name: "a", value: "1", domain: "other.example", path: "/")
        let document = try document()
        #expect(code { _ = try foreign.line(in: document, now: start) } == .wrongOrigin)
    }

    @Test(arguments: [
        (#""value":1.50"#, "a=1.50; Path=/a"), (#""value":true"#, "a=true; Path=/a"), ("", "a=; Path=/a"),
        (#""value":null,"domain":null,"path":null,"originurl":null"#, "a=; Path=/a"),
        (#""value":{"b":[1, "c"]}"#, #"a={"b":[1, "c"]}; Path=/a"#), (#""value":"","originurl":"""#, "a=; Path=/a"),
        (#""secure":true"#, "a=; Path=/a; Secure"), (#""secure":1"#, "a=; Path=/a; Secure"),
        (#""secure":false"#, "a=; Path=/a"), (#""secure":null"#, "a=; Path=/a"),
        (#""secure":"false""#, "a=; Path=/a; Secure"), (#""path":5"#, "a=; Path=/a"),
        (#""maximumage":60"#, "a=; Max-Age=60; Path=/a"), (#""maximumage":60.9"#, "a=; Max-Age=60; Path=/a"),
        (#""maximumage":6e1"#, "a=; Max-Age=60; Path=/a"), (#""maximumage":-1"#, "a=; Max-Age=0; Path=/a"),
        (#""maximumage":1e300"#, "a=; Max-Age=34560000; Path=/a"), (#""maximumage":1e999"#, "a=; Path=/a"),
        (#""maximumage":null,"expires":null"#, "a=; Path=/a"), (#""maximumage":true"#, "a=; Path=/a"),
        (#""expires":1800000060000"#, "a=; Max-Age=60; Path=/a"), (#""expires":0"#, "a=; Max-Age=0; Path=/a"),
        (#""expires":1e300"#, "a=; Path=/a"), (#""expires":false"#, "a=; Path=/a"),
        (#""expires":"2027-01-15T08:01:00.000Z""#, "a=; Max-Age=60; Path=/a"),
        (#""expires":"2027-01-15T08:01:00Z""#, "a=; Max-Age=60; Path=/a"),
        (#""domain":".shop.example","other":[{}]"#, "a=; Path=/a; Domain=shop.example"),
    ]) func acceptsOtherKinds(_ members: String, _ line: String) throws {
        let message = try message(#"{"name":"a"\#(members.isEmpty ? "" : ",")\#(members)}"#)
        #expect(try message.line(in: document(), now: start) == line)
    }

    @Test(arguments: [
        #"{"value":"1","domain":"d","path":"/"}"#, #"{"name":null,"value":"1"}"#, "[]", "", "null",
        #"{"name":"a","name":"a"}"#, #"{"name":"a"}{}"#, #"{"name":"a","value":"\ud800"}"#, #"{"name":"a""#,
    ]) func rejectsInvalidMessages(_ json: String) {
        #expect(code { _ = try message(json) } == .badMessage)
    }

    @Test func errorsContainNoText() {
        for json in [#"{"secret":1}"#, #"{"secret":1,"secret":2}"#, "secret"] {
            do {
                _ = try message(json)
                Issue.record("no error")
            } catch {
                #expect(!"\(error)".contains("secret"))
            }
        }
    }

    @Test func rejectsLongMessages() {
        let json = #"{"name":"a","value":"\#(String(repeating: "x", count: 17_000))","domain":"d","path":"/"}"#
        #expect(code { _ = try message(json) } == .badMessage)
    }

    @Test(arguments: [
        ("https://m.shop.example/", "other.example", "a", "1"), ("https://m.shop.example/", "p.example", "a", "1"),
        ("https://m.shop.example/", "example", "a", "1"), ("https://m.shop.example/", "x.m.shop.example", "a", "1"),
        ("file:///a", "m.shop.example", "a", "1"), ("data:text/html,a", "m.shop.example", "a", "1"),
        ("https://127.0.0.1/", "0.0.1", "a", "1"), ("https://m.shop.example/", "", "a", "1"),
    ]) func rejectsForeignDomains(_ url: String, _ domain: String, _ name: String, _ value: String) throws {
        let bad = LegacyCookieMessage(name: name, value: value, domain: domain, path: "/")
        let document = try document(url)
        #expect(code { _ = try bad.cookie(in: document, now: start) } == .wrongOrigin)
    }

    @Test(arguments: [
        ("", ""), ("a=b", "1"), ("a;b", "1"), ("a", "1;Path=/"), ("a", "1\r\nX: y"), ("a", "1\u{0}"),
        ("__Host-a", "1"), ("__secure-a", "1"), ("", "__Host-a"), ("a", String(repeating: "x", count: 4_096)),
    ]) func rejectsInvalidNames(_ name: String, _ value: String) throws {
        let bad = LegacyCookieMessage(name: name, value: value, domain: "m.shop.example", path: "/")
        let document = try document()
        #expect(code { _ = try bad.cookie(in: document, now: start) } == .badMessage)
    }

    @Test func ignoresOriginOfMessage() throws {
        let document = try document()
        for url in ["https://evil.example/", "about:blank", "%%"] {
            let bad = LegacyCookieMessage(
                name: "a", value: "1", originURL: url, domain: "m.shop.example", path: "/")
            #expect(code { _ = try bad.cookie(in: document, now: start) } == .wrongOrigin, "\(url)")
        }
        let secure = LegacyCookieMessage(name: "a", value: "1", domain: "m.shop.example", path: "/", isSecure: true)
        let insecure = try self.document("http://m.shop.example/")
        #expect(code { _ = try secure.cookie(in: insecure, now: start) } == .wrongOrigin)
        let mapped = try self.document("shop-app://m.shop.example/")
        #expect(code { _ = try secure.cookie(in: mapped, now: start) } == .wrongOrigin)
        #expect(try secure.cookie(in: mapped, schemes: ["shop-app": "https"], now: start).identity.isHostOnly)
    }

    @Test func decodesMaxAgeAndExpires() throws {
        func end(_ expires: String?, _ age: String?) throws -> TimeInterval? {
            let made = try LegacyCookieMessage(
                name: "a", value: "1", domain: "m.shop.example", path: "x", expires: expires, maximumAge: age
            ).cookie(in: document(), now: start)
            #expect(made.identity.path == "/a")
            // An expired cookie removes the existing one.
            return made.expires.map { $0 > start ? $0.timeIntervalSince(start) : -1 }
        }
        #expect(try end(nil, nil) == nil)
        #expect(try end("", "") == nil)
        #expect(try end("rubbish", "1e3") == nil)
        #expect(try end("Thu, 01 Jan 1970 00:00:00 GMT", nil) == -1)
        #expect(try end("Fri, 15-Jan-27 08:01:00 GMT", nil) == 60)
        #expect(try end("Fri Jan 15 2027 08:01:00 GMT+0000 (UTC)", "0") == -1)
        #expect(try end(nil, "-5") == -1)
        #expect(try end("Thu, 01 Jan 1970 00:00:00 GMT", "5") == 5)
        #expect(try end(nil, "99999999999999999999999") == 400 * 86_400)
        #expect(try end("Fri, 31 Dec 9999 23:59:59 GMT", nil) == 400 * 86_400)
        #expect(try end("Fri, 31 Feb 2027 00:00:00 GMT", nil) == nil)
    }
}
