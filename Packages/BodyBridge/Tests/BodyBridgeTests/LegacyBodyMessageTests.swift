// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Fuzzing) @_spi(Facade) import BodyBridge
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@Suite("Body messages of older pages", .timeLimit(.minutes(3)))
struct LegacyBodyMessageTests {
    private func message(_ json: String) throws -> LegacyBodyMessage {
        try LegacyBodyMessage(json: Data(json.utf8))
    }

    private func code(of json: String) -> ResourceError.Code? {
        do { _ = try message(json) } catch { return (error as? ResourceError)?.code }
        return nil
    }

    @Test(
        "Each kind of body",
        arguments: [
            (#""é\n\u00e9""#, "", LegacyBodyMessage.Kind.text, Data("é\né".utf8)), (#""""#, "", .text, Data()),
            (#""AP8=""#, #","bodyEncoding":"base64""#, .binary, Data([0, 255])),
            (#""""#, #","bodyEncoding":"base64""#, .binary, Data()), ("null", "", .none, Data()),
            (
                #"{ "z":1.50, "a":["]}\"",{"body":2}], "5":12345678901234567890 }"#, "", .json,
                Data(#"{ "z":1.50, "a":["]}\"",{"body":2}], "5":12345678901234567890 }"#.utf8)
            ),
            (#"["body",{}]"#, #","bodyEncoding":null,"headers":null"#, .json, Data(#"["body",{}]"#.utf8)),
            ("{}", #","other":{"body":[]}"#, .json, Data("{}".utf8)),
            ("1.50", "", .text, Data("1.50".utf8)), ("true", "", .text, Data("true".utf8)),
            (#""a""#, #","bodyEncoding":"UTF-8""#, .text, Data("a".utf8)),
            (#""a""#, #","bodyEncoding":"utf8""#, .text, Data("a".utf8)),
            (#""a""#, #","bodyEncoding":"text""#, .text, Data("a".utf8)),
            ("null", #","bodyEncoding":"base64""#, .none, Data()),
            (#""A\nP8""#, #","bodyEncoding":"Base64""#, .binary, Data([0, 255])),
            (#""-_8""#, #","bodyEncoding":"base64""#, .binary, Data([251, 255])),
            (#""data:a/b;base64,AP8=""#, #","bodyEncoding":"base64""#, .binary, Data([0, 255])),
            (#""""#, #","headers":[]"#, .text, Data()),
            // The body is the original text, with a lone surrogate that a Swift string cannot contain.
            (#"{"a":"\ud800"}"#, "", .json, Data(#"{"a":"\ud800"}"#.utf8)),
            (#"[{"\ud800":{},"\ud800":0}]"#, "", .json, Data(#"[{"\ud800":{},"\ud800":0}]"#.utf8)),
        ])
    func bodies(_ body: String, _ more: String, _ kind: LegacyBodyMessage.Kind, _ bytes: Data) throws {
        for json in [
            #"{"requestId":"1","body":\#(body)\#(more)}"#, "{ \"body\" : \(body) ,\"requestId\":\"1\"\(more) }",
        ] {
            let message = try message(json)
            #expect(message.requestID == "1" && message.kind == kind && message.body == bytes)
            #expect(message.fields.isEmpty)
        }
    }

    @Test("A body may have the maximum depth that JSONDecoder allows")
    func depth() throws {
        let body = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(try message(#"{"requestId":"1","body":\#(body)}"#).body == Data(body.utf8))
    }

    @Test("A message may have no body, and its id may be a number or a Boolean", arguments: ["1", "-1.5e3", "true"])
    func otherKinds(_ id: String) throws {
        let message = try message(#"{"requestId":\#(id)}"#)
        #expect(message.requestID == id && message.kind == .none && message.body.isEmpty)
    }

    @Test("Header values of other kinds count as their text, and null values are skipped")
    func headerValues() throws {
        let headers = #"{"a":1.50,"b":null,"c":true,"d":[1, 2]}"#
        let fields = try message(#"{"requestId":"1","headers":\#(headers)}"#).fields
        #expect(
            fields.map(\.name.canonicalName) == ["a", "c", "d"] && fields.map(\.value) == ["1.50", "true", "[1, 2]"])
    }

    @Test("Names are compared without escapes (RFC 8259, section 8.3)")
    func escapedNames() throws {
        let message = try message(#"{"requestId":"1","\u0062ody":{"a":1}}"#)
        #expect(message.kind == .json && message.body == Data(#"{"a":1}"#.utf8))
        #expect(code(of: #"{"requestId":"1","body":{},"\u0062ody":{}}"#) == .invalidRequest)
    }

    @Test(
        "Invalid messages are refused with a typed error",
        arguments: [
            "", "null", "[]", "{}", #"{"body":""}"#, #"{"requestId":null,"body":""}"#,
            #"{"requestId":{},"body":""}"#, #"{"requestId":[1],"body":""}"#, #"{"requestId":"1","requestId":"1"}"#,
            #"{"requestId":"","body":""}"#, #"{"requestId":"a\nb","body":""}"#, #"{"requestId":"1"}{}"#,
            #"{"requestId":"1","body":"%","bodyEncoding":"base64"}"#, #"{"requestId":"1","body":01}"#,
            #"{"requestId":"1","body":"data:,AP8=","bodyEncoding":"base64"}"#,
            #"{"requestId":"1","body":"A","bodyEncoding":"base64"}"#,
            #"{"requestId":"1","body":"A=P8","bodyEncoding":"base64"}"#,
            #"{"requestId":"1","body":{},"bodyEncoding":"base64"}"#, #"{"requestId":"1","body":"","bodyEncoding":"x"}"#,
            #"{"requestId":"1","body":"","bodyEncoding":1}"#, #"{"requestId":"1","body":"","bodyEncoding":{}}"#,
            #"{"requestId":"1","body":"","headers":[1]}"#, #"{"requestId":"1","body":"","headers":"a"}"#,
            #"{"requestId":"1","body":"","headers":{"a":"b","a":"c"}}"#,
            #"{"requestId":"1","body":"","headers":{"a b":"c"}}"#, #"{"requestId":"1","body":"","headers":{"":"c"}}"#,
            #"{"requestId":"1","body":"","headers":{"a":"b\r\nc: d"}}"#, #"{"requestId":"1","body":{},"body":{}}"#,
            #"{"requestId":"1","body":"\ud800"}"#, #"{"requestId":"1","body":{"#,
            #"{"requestId":"\#(String(repeating: "x", count: 257))","body":""}"#,
        ])
    func refused(_ json: String) {
        #expect(code(of: json) == .invalidRequest)
    }

    @Test("The bytes of a message, and the number and bytes of its header fields, have limits")
    func limits() {
        let long = String(repeating: "x", count: LegacyBodyMessage.maxBytes)
        #expect(code(of: #"{"requestId":"1","body":"\#(long)"}"#) == .tooLarge)
        let fields = (0...100).map { #""x\#($0)":"""# }.joined(separator: ",")
        #expect(code(of: #"{"requestId":"1","body":"","headers":{\#(fields)}}"#) == .tooLarge)
        let field = String(repeating: "x", count: 65_536)
        #expect(code(of: #"{"requestId":"1","body":"","headers":{"a":"\#(field)"}}"#) == .tooLarge)
    }

    @Test("Forbidden header fields are removed, and other fields remain")
    func fields() throws {
        let forbidden = [
            "Cookie", "HOST", "origin", "Referer", "Content-Length", "Sec-Fetch-Site", "proxy-x", "Set-Cookie",
            "Transfer-Encoding", "TE", "Via", InjectedScript.field, "Access-Control-Request-Private-Network",
        ]
        let kept = [
            "Content-Type": " a/b\t", "User-Agent": "x", "X-Own": "", "X-HTTP-Method": "PATCH", "x-a": "1", "X-A": "1",
        ]
        var headers = kept
        for name in forbidden { headers[name] = "1" }
        headers["X-HTTP-Method-Override"] = "GET, tRaCe "
        let json = String(decoding: try JSONEncoder().encode(headers), as: UTF8.self)
        let fields = try message(#"{"requestId":"1","body":"","headers":\#(json)}"#).fields
        #expect(
            fields.map(\.name.canonicalName).sorted() == [
                "content-type", "user-agent", "x-a", "x-http-method", "x-own",
            ])
        let twice = try #require(HTTPField.Name("X-A"))
        #expect(fields[.contentType] == "a/b" && fields[twice] == "1, 1")
    }

    @Test("An error contains no text of the message")
    func silentErrors() {
        for json in [
            #"{"requestId":["secret"]}"#, #"{"requestId":"1","headers":{"secret ":1}}"#, "secret",
            #"{"requestId":"1","headers":{"secret":1,"secret":2}}"#, #"{"requestId":"1","bodyEncoding":"secret"}"#,
        ] {
            do {
                _ = try message(json)
                Issue.record("no error")
            } catch {
                #expect(!"\(error)".contains("secret"))
            }
        }
    }
}
