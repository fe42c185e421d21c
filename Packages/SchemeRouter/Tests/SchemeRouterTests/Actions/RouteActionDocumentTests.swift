// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing

@Suite("Actions as JSON", .timeLimit(.minutes(1)))
struct RouteActionDocumentTests {
    private func read(_ rules: String, _ limits: RouteLimits = RouteLimits()) throws -> RouteRules {
        try RouteRules(json: Data(#"{"format":1,"rules":[\#(rules)]}"#.utf8), limits: limits)
    }

    @Test("Each action has its members")
    func actions() throws {
        let rules = try read(
            """
            { "action": "block" }, { "action": "block", "status": 410 },
            { "action": "redirect", "to": "https://new.example{path}{query}" },
            { "action": "redirect", "to": "https://new.example/", "status": 301 },
            { "action": "respond", "status": 404 },
            { "action": "respond", "fields": { "Content-Type": "application/json" }, "body": "{\\"a\\":\\"ü\\"}" },
            { "action": "respond", "fields": { "Content-Type": "image/gif" }, "bodyBase64": "R0lGODlh" },
            { "action": "setHeaders", "request": { "X-Build": "7", "Accept-Language": null },
              "response": { "cache-control": "max-age=60" } }
            """)
        let build = try #require(HTTPField.Name("X-Build"))
        let expected: [RouteAction] = [
            .block(nil), .block(.gone),
            .redirect(try RouteTemplate("https://new.example{path}{query}"), .temporaryRedirect),
            .redirect(try RouteTemplate("https://new.example/"), .movedPermanently),
            .respond(try FixedResponse(status: .notFound)),
            .respond(
                try FixedResponse(
                    fields: [.contentType: "application/json"], body: Data(#"{"a":"ü"}"#.utf8))),
            .respond(try FixedResponse(fields: [.contentType: "image/gif"], body: Data("GIF89a".utf8))),
            .setHeaders(
                try RouteFields(
                    request: [build: "7", .acceptLanguage: nil], response: [.cacheControl: "max-age=60"])),
        ]
        #expect(rules.rules.map(\.action) == expected)
        #expect(
            rules.rules.map(\.action.name) == [
                "block", "block", "redirect", "redirect", "respond", "respond", "respond", "setHeaders",
            ])
    }

    @Test(
        "An invalid action rejects the document, and the error contains the member",
        arguments: [
            (
                #""action":"block","status":200"#,
                "bad-rule: the status of a block is 400 to 599, not 200 (rules[0].status)"
            ),
            (#""action":"block","status":1000"#, "bad-rule: not a status: 1000 (rules[0].status)"),
            (#""action":"block","status":"404""#, "bad-document: not of type Int (rules[0].status)"),
            (#""action":"block","to":"https://a.example/""#, "not a member of the action block (rules[0].to)"),
            (#""action":"intercept","status":404"#, "not a member of the action intercept (rules[0].status)"),
            (#""action":"pass","request":{}"#, "not a member of the action pass (rules[0].request)"),
            (#""action":"redirect""#, "bad-document: to is missing (rules[0])"),
            (#""action":"redirect","to":"/a""#, "not the template of an http or https URL: '/a' (rules[0].to)"),
            (#""action":"redirect","to":"https://a.example/","status":304"#, "not a status of a redirect: 304"),
            (#""action":"respond","status":302"#, "not a status of a whole response: 302 (rules[0].status)"),
            (#""action":"respond","status":206"#, "not a status of a whole response: 206"),
            (#""action":"respond","status":304"#, "not a status of a whole response: 304"),
            (#""action":"respond","body":"a""#, "a body needs Content-Type (rules[0].fields)"),
            (
                #""action":"respond","status":204,"fields":{"Content-Type":"a/b"},"body":"a""#,
                "has no body (rules[0].body)"
            ),
            (#""action":"respond","body":"a","bodyBase64":"YQ==""#, "both a body and bodyBase64 (rules[0])"),
            (#""action":"respond","bodyBase64":"a""#, "not Base64 (rules[0].bodyBase64)"),
            (#""action":"respond","fields":{"X":null}"#, "a field of a response is text (rules[0].fields.X)"),
            (
                #""action":"respond","fields":{"Set-Cookie":"a=b"}"#,
                "cannot set the field Set-Cookie (rules[0].fields.Set-Cookie)"
            ),
            (#""action":"setHeaders""#, "bad-document: no fields to set (rules[0])"),
            (#""action":"setHeaders","request":{}"#, "bad-document: no fields to set (rules[0])"),
            (#""action":"setHeaders","request":{"A b":"c"}"#, "not a field name: 'A b' (rules[0].request)"),
            (#""action":"setHeaders","request":{"X":7}"#, "not of type String (rules[0].request.X)"),
            (#""action":"setHeaders","request":{"X":"a\r\nY: b"}"#, "not a field value (rules[0].request.X)"),
            (#""action":"setHeaders","request":{"X":"a","x":"b"}"#, "a field that comes twice: x (rules[0].request)"),
            (#""action":"setHeaders","request":[]"#, "(rules[0].request)"),
        ])
    func faults(members: String, message: String) throws {
        let error = #expect(throws: RouteError.self) { _ = try read("{\(members)}") }
        let description = "\(try #require(error))"
        #expect(description.contains(message), "\(description)")
        #expect(!description.contains("\n") && description.utf8.count < 400)
    }

    @Test(
        "A rule cannot set request fields that scripts cannot set, or that describe ranges, conditions or the body",
        arguments: [
            "Cookie", "Host", "Origin", "Referer", "Sec-Fetch-Site", "Proxy-Authorization", "Connection",
            "Content-Length",
            "Transfer-Encoding", "Accept-Encoding", "Range", "If-None-Match", "If-Range", "Content-Type", "Via", "TE",
        ])
    func forbiddenRequestFields(name: String) throws {
        let field = try #require(HTTPField.Name(name))
        #expect(throws: RouteError.self) { _ = try RouteFields(request: [field: "a"]) }
        #expect(throws: RouteError.self) { _ = try RouteFields(request: [field: nil]) }
        #expect(throws: RouteError.self) { _ = try read(#"{"action":"setHeaders","request":{"\#(name)":"a"}}"#) }
    }

    @Test(
        "A rule cannot set response fields of the connection, the body, cookies, the whole host or redirects",
        arguments: [
            "Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade", "Content-Length", "Content-Encoding",
            "Content-Range", "Accept-Ranges", "Set-Cookie", "Set-Cookie2", "Strict-Transport-Security", "Alt-Svc",
            "Clear-Site-Data", "Location", "Refresh", "Trailer",
        ])
    func forbiddenResponseFields(name: String) throws {
        let field = try #require(HTTPField.Name(name))
        #expect(throws: RouteError.self) { _ = try RouteFields(response: [field: "a"]) }
        #expect(throws: RouteError.self) { _ = try RouteFields(response: [field: nil]) }
        #expect(throws: RouteError.self) { _ = try FixedResponse(fields: [field: "a"]) }
    }

    @Test("A method that a field overrides is refused as for scripts")
    func methodOverride() throws {
        let name = try #require(HTTPField.Name("X-HTTP-Method-Override"))
        #expect(throws: RouteError.self) { _ = try RouteFields(request: [name: "TRACE"]) }
        #expect(try RouteFields(request: [name: "PATCH"]).request == [name: "PATCH"])
    }

    @Test("Limits of values, fields and bodies apply to documents and to rules of the app")
    func limits() throws {
        var limits = RouteLimits()
        limits.maxValueLength = 30
        limits.maxFields = 2
        limits.maxBodyBytes = 4
        limits.maxTotalBodyBytes = 6
        let type = #""fields":{"Content-Type":"a/b"}"#
        _ = try read(#"{"action":"respond",\#(type),"body":"1234"},{"action":"respond",\#(type),"body":"12"}"#, limits)
        let long = String(repeating: "x", count: 31)
        for (rules, message) in [
            (#"{"action":"respond",\#(type),"body":"12345"}"#, "limit: a body of 5 bytes, limit 4 (rules[0].body)"),
            (
                #"{"action":"respond",\#(type),"body":"1234"},{"action":"respond",\#(type),"body":"123"}"#,
                "limit: bodies of more than 6 bytes (rules[1].body)"
            ),
            (
                #"{"action":"setHeaders","request":{"X":"\#(long)"}}"#,
                "limit: longer than 30 bytes (rules[0].request.X)"
            ),
            (
                #"{"action":"setHeaders","response":{"A":"","B":"","C":""}}"#,
                "limit: 3 fields, limit 2 (rules[0].response)"
            ),
            (#"{"action":"redirect","to":"https://a.example/\#(long)"}"#, "limit: longer than 30 bytes (rules[0].to)"),
        ] {
            let error = #expect(throws: RouteError.self) { _ = try read(rules, limits) }
            #expect(error.map { "\($0)" } == message)
        }
        let large = try FixedResponse(fields: [.contentType: "a/b"], body: Data(count: 5))
        let error = #expect(throws: RouteError.self) {
            _ = try RouteRules([RouteRule(.respond(large))], limits: limits)
        }
        #expect(error?.location == "rules[0].body")
        #expect(throws: RouteError.self) {
            _ = try RouteRules([RouteRule(.redirect(RouteTemplate("https://a.example/"), .ok))])
        }
    }
}
