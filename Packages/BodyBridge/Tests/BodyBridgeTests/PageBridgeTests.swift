// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import BodyBridge

@MainActor
@Suite("Page bridge", .timeLimit(.minutes(3)))
struct PageBridgeTests {
    private final class Host: BridgeHosting {
        var cookies = "a=b"
        func covers(_ url: String) -> Bool { url.hasPrefix("https://covered.example/") }
        func cookies(ofScriptAt place: String, in top: String, provenSite: String?) -> String {
            "\(cookies) at \(place) in \(top)" + (provenSite.map { " of \($0)" } ?? "")
        }
        func mayShow(documentAt place: String, below ancestors: [String]) -> Bool {
            place == "app://a.example/x" && !ancestors.contains("https://ad.example")
        }
        func setCookie(_ text: String, ofScriptAt place: String, in top: String, provenSite: String?) {
            cookies = provenSite.map { "\(text) of \($0)" } ?? text
        }
    }

    private let host = Host()
    private let bridge: PageBridge
    private let token = BridgeToken()
    private let id = String(repeating: "0f", count: 16)

    init() {
        let script = InjectedScript(
            token: token, secureScheme: "app", insecureScheme: "app-http", hasCookies: true)
        bridge = PageBridge(script, documentURL: "https://b.example/", host: host)
    }

    private func sendMessage(_ topic: String) -> String {
        bridge.answer(to: bridge.prefix + #"{"place":"app://a.example/x",\#(topic)}"#)
    }

    private func read(
        _ url: String, _ method: HTTPRequest.Method = .post, mark: String? = nil, type: String? = nil,
        language: String? = nil, fragment: String? = nil, referrer: String? = nil,
        origin: String? = nil
    ) throws -> (reading: PageBridge.Reading, head: HTTPRequest) {
        var head = try #require(HTTPRequest(method: method, urlText: url))
        head.headerFields[try #require(HTTPField.Name(InjectedScript.field))] = mark
        head.headerFields[.contentType] = type
        head.headerFields[.contentLanguage] = language
        head.headerFields[.referer] = referrer
        head.headerFields[.origin] = origin
        let reading = try bridge.read(&head, fragment: fragment)
        return (reading, head)
    }

    private func body(_ reading: PageBridge.Reading) -> BridgedRequest.Body? {
        if case .request(let request) = reading { request.body } else { nil }
    }

    @Test("The bridge and its host reply to messages")
    func questions() {
        #expect(sendMessage(#""ask":"covers","url":"https://covered.example/""#) == #"{"value":true}"#)
        #expect(sendMessage(#""ask":"covers","url":"https://other.example/""#) == #"{"value":false}"#)
        #expect(
            sendMessage(#""ask":"cookies""#)
                == #"{"value":"a=b at app:%5C/%5C/a.example%5C/x in https:%5C/%5C/b.example%5C/"}"#
        )
        #expect(sendMessage(#""ask":"setCookie","text":"c=d""#) == #"{"value":true}"#)
        #expect(host.cookies == "c=d")
        let framed = { (origin: String) in
            sendMessage(#""ask":"framed","text":"{\"0\":\"\#(origin)\",\"1\":\"app://a.example\"}""#)
        }
        #expect(framed("https://ad.example") == #"{"value":false}"#)
        #expect(framed("https://other.example") == #"{"value":true}"#)
    }

    /// Returns the proof in the script that the container injects into documents of a site.
    private func proof(of site: String) throws -> Substring {
        let script = try #require(bridge.makeProof(site))
        let text = try #require(
            script.firstMatch(of: try Regex("\"(\(token.text) \\+[0-9a-f]{32})\"\\)$"))?.output[1].substring)
        return text.dropFirst(token.text.count)
    }

    @Test("A proof identifies the site of a document, and the token alone does not")
    func proofs() throws {
        let proof = try proof(of: "https://a.example")
        let other = try self.proof(of: "https://b.example")
        #expect(bridge.makeProof("https://a.example") == nil)
        #expect(proof != other)
        let question = #"{"place":"app://a.example/x","ask":"cookies"}"#
        let answer = { (token: String) in bridge.answer(to: "\(token) \(question)") }
        #expect(answer(token.text) == #"{"value":"a=b at app:%5C/%5C/a.example%5C/x in https:%5C/%5C/b.example%5C/"}"#)
        #expect(answer(token.text + proof).hasSuffix(#" of https:%5C/%5C/a.example"}"#))
        #expect(answer(token.text + other).hasSuffix(#" of https:%5C/%5C/b.example"}"#))
        for wrong in [" +", " +\(BridgeToken().text)", "\(proof)0", "\(proof.dropLast())", " \(proof.dropFirst(2))"] {
            #expect(answer(token.text + wrong) == "null", "\(wrong)")
        }
        _ = bridge.answer(to: "\(token.text)\(proof) " + #"{"place":"app://a.example/","ask":"setCookie","text":"c"}"#)
        #expect(host.cookies == "c of https://a.example")
        // The proof is also read in the header of a message request, and in headers of other purposes.
        guard
            case .message("https://a.example") = try read("app://a.example/", mark: "\(token.text)\(proof) ask")
                .reading
        else { throw Missing() }
        guard case .message(nil) = try read("app://a.example/", mark: "\(token.text) ask").reading else {
            throw Missing()
        }
        guard case .engine? = body(try read("app://a.example/", mark: "\(token.text)\(proof) plain").reading) else {
            throw Missing()
        }
    }

    @Test("The number of proofs of a view is limited")
    func manyProofs() {
        for number in 0..<64 { #expect(bridge.makeProof("https://\(number).example") != nil) }
        #expect(bridge.makeProof("https://more.example") == nil)
    }

    private struct Missing: Error {}

    @Test(
        "The reply to text that is not a message of the script is null",
        arguments: [
            "", "{}", #"{"ask":"cookies"}"#, #"{"ask":"cookies","place":1}"#, "null", "[]", "\u{0}",
            #"{"ask":"next","place":"","url":"app://a/","words":"store 00 0"}"#,
            #"{"ask":"store","place":"","id":"x","offset":0,"bytes":""}"#,
            #"{"ask":"other","place":""}"#,
            #"{"ask":"cookies","place":"\#(String(repeating: "u", count: 70_000))"}"#,
        ])
    func refused(_ text: String) {
        #expect(bridge.answer(to: bridge.prefix + text) == "null")
        #expect(bridge.answer(to: text) == "null")
        #expect(bridge.answer(to: BridgeToken().text + " " + text) == "null")
    }

    @Test("A bridge header describes the body, and is removed from the request")
    func marks() throws {
        let plain = try read("app://a.example/", mark: "\(token.text) plain")
        guard case .engine = body(plain.reading) else {
            Issue.record("\(plain.reading)")
            return
        }
        #expect(plain.head.headerFields.isEmpty)
        // The engine has joined the header with values that a page sets.
        let joined = try read("app://a.example/", mark: "plain, \(token.text) none, x")
        guard case .some(.none) = body(joined.reading) else {
            Issue.record("\(joined.reading)")
            return
        }
        // A forged header has a wrong token, and is also removed.
        let forged = try read("app://a.example/", mark: "\(BridgeToken().text) plain")
        guard case .unknown = body(forged.reading) else {
            Issue.record("\(forged.reading)")
            return
        }
        #expect(forged.head.headerFields.isEmpty)
    }

    @Test("A body is transferred by the relay")
    func relay() async throws {
        let taking = try read("app://a.example/", mark: "\(token.text) take \(id) 5")
        guard case .value(let taken) = body(taking.reading),
            case .piece(let piece, offset: 0) = try read("app://a.example/", mark: "\(token.text) store \(id) 0")
                .reading
        else {
            Issue.record("\(taking.reading)")
            return
        }
        try await bridge.store(.bytes(Data("he".utf8)), at: 0, of: piece)
        #expect(sendMessage(#""ask":"store","id":"\#(id)","offset":2,"bytes":"bGxv""#) == #"{"value":true}"#)
        #expect(try await taken.collect(upTo: 10) == Data("hello".utf8))
        // A body can be read once.
        #expect(throws: Never.self) { try read("app://a.example/", mark: "\(token.text) take \(id) 0") }
    }

    @Test("The last announcement of a URL applies once, to its next request")
    func announcements() throws {
        _ = sendMessage(#""ask":"next","url":"app://a.example/form#x","words":"plain""#)
        _ = sendMessage(
            #""ask":"next","url":"app://a.example/form","words":"take \#(id) 5","type":"multipart/form-data; boundary=b""#
        )
        #expect(
            body(try read("app://a.example/form", .get).reading).map { if case .unknown = $0 { true } else { false } }
                == true)
        let form = try read("app://a.example/form", type: "multipart/form-data; boundary=engine")
        #expect(body(form.reading).map { if case .value = $0 { true } else { false } } == true)
        #expect(form.head.headerFields[.contentType] == "multipart/form-data; boundary=b")
        #expect(
            body(try read("app://a.example/form").reading).map { if case .unknown = $0 { true } else { false } } == true
        )
    }

    @Test("An announcement with an id applies to its request in any order, and restores the field that carried the id")
    func named() throws {
        let ids = ["1a", "2b", "3c"].map { String(repeating: $0, count: 16) }
        for id in ids {
            _ = sendMessage(
                #""ask":"next","url":"app://a.example/log","words":"take \#(id) 5 \#(id)","text":"of \#(id.prefix(1))""#
            )
        }
        // The announcement of another request does not apply to a form to the same URL.
        let form = try read("app://a.example/log")
        #expect(body(form.reading).map { if case .unknown = $0 { true } else { false } } == true)
        for id in [ids[1], ids[0], ids[2]] {
            let read = try read("app://a.example/log", language: id)
            #expect(body(read.reading).map { if case .value = $0 { true } else { false } } == true)
            #expect(read.head.headerFields[.contentLanguage] == "of \(id.prefix(1))")
        }
        // An announcement applies once, and only to its URL. A language that the page sets remains.
        let again = try read("app://a.example/log", language: ids[0])
        #expect(body(again.reading).map { if case .unknown = $0 { true } else { false } } == true)
        #expect(try read("app://a.example/log", language: "de").head.headerFields[.contentLanguage] == "de")
    }

    @Test("Beacons and requests without CORS have no readable response, and forms have no credentials mode")
    func readers() throws {
        func request(_ read: (reading: PageBridge.Reading, head: HTTPRequest)) throws -> BridgedRequest {
            guard case .request(let request) = read.reading else { throw ResourceError(.internal, "\(read.reading)") }
            return request
        }
        let url = "app://a.example/log"
        #expect(try request(try read(url, mark: "\(token.text) plain keep include \(id)")).requestsWithoutCORS == false)
        #expect(try request(try read(url, mark: "\(token.text) plain keep include")).requestsWithoutCORS)
        for (method, word) in [(HTTPRequest.Method.post, "plain"), (.get, "none"), (.head, "none")] {
            _ = sendMessage(#""ask":"next","url":"\#(url)","words":"\#(word) omit \#(id)""#)
            let silent = try request(try read(url, method, language: id))
            #expect(silent.requestsWithoutCORS && silent.credentials == .omit && silent.id != nil)
        }
        _ = sendMessage(#""ask":"next","url":"\#(url)","words":"plain""#)
        let form = try request(try read(url))
        #expect(!form.requestsWithoutCORS && form.credentials == .unknown)
    }

    @Test("A message is percent-encoded, so that dialogs do not change it")
    func escapes() {
        _ = sendMessage(#""ask":"setCookie","text":"a=%5C%22x%5c%5Cy%5C%22%C3%a4%25""#)
        #expect(host.cookies == #"a="x\y"ä%"#)
        for text in ["%", "%2", "%zz", "%-1"] { #expect(bridge.answer(to: bridge.prefix + text) == "null") }
    }

    @Test("The final URL of a request is available by its id, until the document changes")
    func moves() throws {
        let read = try read("app://a.example/", .get, mark: "\(token.text) none manual \(id)")
        guard case .request(let request) = read.reading else { throw ResourceError(.internal, "\(read.reading)") }
        #expect(!request.followsRedirects)
        #expect(sendMessage(#""ask":"moved","id":"\#(id)""#) == #"{"value":null}"#)
        bridge.record("app://a.example/2", of: try #require(request.id))
        #expect(sendMessage(#""ask":"moved","id":"\#(id)""#) == #"{"value":"app:%5C/%5C/a.example%5C/2"}"#)
        #expect(sendMessage(#""ask":"moved","id":"\#(String(repeating: "0e", count: 16))""#) == #"{"value":null}"#)
        bridge.removeAll()
        #expect(sendMessage(#""ask":"moved","id":"\#(id)""#) == #"{"value":null}"#)
    }

    @Test("A leading script is returned once, for a URL that no other request has")
    func workers() throws {
        _ = sendMessage(#""ask":"worker","url":"app://a.example/w.js#\#(id)","isModule":false"#)
        let page = try read("app://a.example/w.js", .get, fragment: "")
        guard case .request = page.reading,
            case .worker(let classic) = try read("app://a.example/w.js", .get, fragment: id + "#own").reading,
            case .request = try read("app://a.example/w.js", .get, fragment: id).reading
        else {
            Issue.record("not a worker's, or twice")
            return
        }
        let text = classic.text(leading: "own")
        #expect(text.contains(token.text) && text.contains(id))
        #expect(text.hasSuffix(#"importScripts("app:\/\/a.example\/w.js")"#))
        #expect(sendMessage(#""ask":"worker","url":"app://a.example/w.js","isModule":false"#) == #"{"value":false}"#)
    }

    private func worker(_ url: String) throws -> WorkerScript {
        _ = sendMessage(#""ask":"worker","url":"\#(url)#\#(id)","isModule":false"#)
        guard case .worker(let worker) = try read(url, .get, fragment: id).reading else {
            throw ResourceError(.internal, "not a worker's")
        }
        return worker
    }

    private func storeResponse(_ body: ResourceBody, of worker: WorkerScript) async throws -> Int64 {
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/javascript"])
        return try await bridge.storeResponse(
            ResourceResponse(head: head, body: body, provenance: Provenance(.network, reason: "")), of: worker)
    }

    /// Returns the stored script for a request of the leading script, or of another referrer; `nil` if there is none.
    private func kept(
        of url: String, askedBy referrer: String? = nil, _ method: HTTPRequest.Method = .get, origin: String? = nil
    ) async throws -> String? {
        let reading = try read(url, method, referrer: referrer ?? url, origin: origin).reading
        guard case .storedWorkerScript(let answer) = reading else { return nil }
        return String(decoding: try await answer.body.collect(upTo: 1 << 10), as: UTF8.self)
    }

    private func text(_ text: String) -> ResourceBody { .bytes(Data(text.utf8)) }

    @Test("The script of a classic worker is stored for one request of its leading script")
    func keptScripts() async throws {
        let url = "app://a.example/w.js"
        #expect(try await storeResponse(text("one"), of: worker(url)) == 3)
        #expect(try await kept(of: url, askedBy: "app://a.example/") == nil)
        #expect(try await kept(of: url, .post) == nil)
        #expect(try await kept(of: url, origin: "app://a.example") == nil)
        #expect(try await kept(of: url) == "one")
        #expect(try await kept(of: url) == nil)
    }

    @Test("Workers that start together with one URL each get a script; the next worker gets no unused script")
    func keptTogether() async throws {
        let url = "app://a.example/w.js"
        for number in 1...5 { _ = try await storeResponse(text("\(number)"), of: worker(url)) }
        var found: Set<String?> = []
        for _ in 1...5 { found.insert(try await kept(of: url)) }
        #expect(found == ["1", "2", "3", "4", "5"])
        _ = try await storeResponse(text("old"), of: worker(url))
        // The next script is too large, so the server gets a second request.
        #expect(try await storeResponse(.bytes(Data(count: 8 << 20 | 1)), of: worker(url)) == 0)
        #expect(try await kept(of: url) == nil)
    }

    @Test("A streamed script is stored up to 8 MiB, and the bytes read of a longer script are reported")
    func keptStreams() async throws {
        let url = "app://a.example/w.js"
        func pieces(_ piece: Data, _ count: Int) -> ResourceBody {
            let (stream, pieces) = AsyncThrowingStream<Data, any Error>.makeStream()
            for _ in 0..<count { pieces.yield(piece) }
            pieces.finish()
            return .stream(ByteStream(stream))
        }
        #expect(try await storeResponse(pieces(Data("piece".utf8), 3), of: worker(url)) == 15)
        #expect(try await kept(of: url) == "piecepiecepiece")
        #expect(try await storeResponse(pieces(Data(count: 1 << 20), 20), of: worker(url)) == 9 << 20)
        #expect(try await kept(of: url) == nil)
    }

    @Test("A change of the document drops stored scripts, and scripts that arrive afterwards are not stored")
    func keptTooLate() async throws {
        let url = "app://a.example/w.js"
        let worker = try worker(url)
        bridge.removeAll()
        _ = try await storeResponse(text("of the one before"), of: worker)
        #expect(try await kept(of: url) == nil)
        _ = try await storeResponse(text("kept"), of: self.worker(url))
        bridge.documentChanged(to: "https://b.example/next")
        #expect(try await kept(of: url) == nil)
    }

    @Test("A module's leading script has its own URL, which works once; the module's text does not contain the token")
    func moduleWorkers() throws {
        _ = sendMessage(#""ask":"worker","url":"app://a.example/w.js#\#(id)","isModule":true"#)
        guard case .worker(let module) = try read("app://a.example/w.js", .get, fragment: id).reading else {
            Issue.record("not a worker's")
            return
        }
        let text = module.text(leading: "'own'")
        #expect(text.hasSuffix(";'own'") && !text.contains(token.text))
        let prelude = try #require(text.firstMatch(of: /w\.js#([0-9a-f]{32})"/)?.1)
        guard case .script(let script) = try read("app://a.example/w.js", .get, fragment: String(prelude)).reading,
            case .request = try read("app://a.example/w.js", .get, fragment: String(prelude)).reading
        else {
            Issue.record("no script, or twice")
            return
        }
        #expect(script.contains(token.text) && script.contains(id))
    }

    @Test("The script for documents runs once in a world, and reveals nothing to a changed world")
    func pages() throws {
        let page = bridge.script.page
        #expect(page.count == 3 && page.map { $0.contains(token.text) } == [false, false, true])
        let left = try #require(page[2].firstMatch(of: /^const (_[0-9a-f]{32})=/)?.1)
        let maker = try #require(page[1].firstMatch(of: /^globalThis\.(_[0-9a-f]{32})===0&&/)?.1)
        #expect(page[0] == "typeof \(left)==\"undefined\"?globalThis.\(maker)=0:\(left)()")
        #expect(page[2].contains("delete globalThis.\(maker)&&") && page[2].contains(#"({"__proto__":null,""#))
        // The text that a page could read does not contain the name of the state.
        #expect(maker != left && page[1].ranges(of: maker).count == 2 && !page[1].contains(left))
    }

    @Test("The second script is the same in all pages and in `sourcesToPrecompile`, which contains no token")
    func sourcesToPrecompile() {
        let other = InjectedScript(
            token: BridgeToken(), secureScheme: "app", insecureScheme: "app-http", hasCookies: false)
        #expect(other.page[1] == bridge.script.page[1] && InjectedScript.sourcesToPrecompile[1] == other.page[1])
        #expect(other.page[0] != bridge.script.page[0] && other.page[2] != bridge.script.page[2])
        #expect(InjectedScript.sourcesToPrecompile[2].contains(#""token":"""#))
    }

    @Test("The schemes of the script have no prototype, and each alias is named as the scheme of https is")
    func aliases() {
        let script = InjectedScript(
            token: token, secureScheme: "app", insecureScheme: "app-http", aliases: ["assets", "page"],
            hasCookies: true)
        for text in [script.page[2], script.worker(id: "1")] {
            let schemes = text.split(separator: #""schemes":{"#).dropFirst().first?.prefix { $0 != "}" } ?? ""
            #expect(
                schemes.split(separator: ",").sorted() == [
                    #""__proto__":null"#, #""assets":"app""#, #""http":"app-http""#, #""https":"app""#,
                    #""page":"app""#,
                ])
        }
    }

    @Test("Announcements are dropped when the page is closed")
    func removal() throws {
        _ = sendMessage(#""ask":"next","url":"app://a.example/form","words":"plain""#)
        bridge.removeAll()
        #expect(
            body(try read("app://a.example/form").reading).map { if case .unknown = $0 { true } else { false } } == true
        )
    }

    private func announce(_ id: String, _ length: Int, from sender: String, type: String) {
        _ = sendMessage(
            #""ask":"next","url":"app://a.example/form","words":"take \#(id) \#(length)","type":"\#(type)","text":"\#(sender)""#
        )
    }

    private func store(_ text: String, as id: String) {
        let bytes = Data(text.utf8).base64EncodedString()
        _ = sendMessage(#""ask":"store","id":"\#(id)","offset":0,"bytes":"\#(bytes)""#)
    }

    private func text(_ reading: PageBridge.Reading) async throws -> String? {
        guard case .value(let value) = body(reading) else { return nil }
        return String(decoding: try await value.collect(upTo: 100), as: UTF8.self)
    }

    @Test("A form navigation waits for its body, and requests get bodies in the order of their navigations")
    func navigations() async throws {
        let other = String(repeating: "1e", count: 16)
        announce(id, 5, from: "one", type: "a/one")
        announce(other, 3, from: "two", type: "a/two")
        let first = try #require(bridge.wait(forFormTo: "app://a.example/form#x"))
        let second = try #require(bridge.wait(forFormTo: "app://a.example/form"))
        #expect(bridge.wait(forFormTo: "app://a.example/form") == nil)
        #expect(bridge.wait(forFormTo: "app://a.example/other") == nil)
        store("two", as: other)
        await second()
        store("first", as: id)
        await first()
        let later = try read("app://a.example/form", type: "multipart/form-data; boundary=engine")
        #expect(later.head.headerFields[.contentType] == "a/two")
        #expect(try await text(later.reading) == "two")
        #expect(try await text(read("app://a.example/form").reading) == "first")
    }

    @Test("A later form of the same document and target replaces an unsent form, and ends an earlier navigation")
    func replaced() async throws {
        let other = String(repeating: "1e", count: 16)
        announce(id, 5, from: "one", type: "a/one")
        announce(other, 3, from: "one", type: "a/two")
        store("two", as: other)
        #expect(bridge.wait(forFormTo: "app://a.example/form") == nil)
        // The navigation began, and its request never arrived.
        announce(id, 5, from: "one", type: "a/three")
        let wait = try #require(bridge.wait(forFormTo: "app://a.example/form"))
        store("three", as: id)
        await wait()
        #expect(try await text(read("app://a.example/form").reading) == "three")
        guard case .unknown = body(try read("app://a.example/form").reading) else {
            Issue.record("the navigation that ended is still here")
            return
        }
    }

    @Test("A later form does not get the body of an unsent form, before or after the navigation was assigned")
    func unsent() async throws {
        let other = String(repeating: "1e", count: 16)
        let start = ContinuousClock.now
        var seconds = 0
        bridge.now = { start + .seconds(seconds) }
        for isDecided in [false, true] {
            announce(id, 5, from: "one", type: "a/one")
            store("first", as: id)
            if isDecided { #expect(bridge.wait(forFormTo: "app://a.example/form") == nil) }
            seconds += 6
            announce(other, 3, from: "two", type: "a/two")
            store("two", as: other)
            #expect(bridge.wait(forFormTo: "app://a.example/form") == nil)
            #expect(try await text(read("app://a.example/form").reading) == "two")
            guard case .unknown = body(try read("app://a.example/form").reading) else {
                Issue.record("the form that was not sent is still here")
                return
            }
        }
        // If the page was busy, all announcements are equally old.
        announce(id, 5, from: "one", type: "a/one")
        store("first", as: id)
        announce(other, 3, from: "two", type: "a/two")
        store("two", as: other)
        seconds += 60
        for text in ["first", "two"] {
            #expect(bridge.wait(forFormTo: "app://a.example/form") == nil)
            #expect(try await self.text(read("app://a.example/form").reading) == text)
        }
        announce(id, 5, from: "one", type: "a/one")
        store("first", as: id)
        seconds += 60
        #expect(bridge.wait(forFormTo: "app://a.example/form") == nil)
        #expect(try await text(read("app://a.example/form").reading) == "first")
    }

    @Test("Dropping a body ends the wait for the body, and its request fails immediately")
    func droppedForm() async throws {
        announce(id, 5, from: "one", type: "a/one")
        let wait = try #require(bridge.wait(forFormTo: "app://a.example/form"))
        _ = sendMessage(#""ask":"drop","id":"\#(id)""#)
        await wait()
        #expect(throws: ResourceError.self) { try read("app://a.example/form") }
        announce(id, 5, from: "one", type: "a/one")
        let gone = try #require(bridge.wait(forFormTo: "app://a.example/form"))
        bridge.removeAll()
        await gone()
    }
}
