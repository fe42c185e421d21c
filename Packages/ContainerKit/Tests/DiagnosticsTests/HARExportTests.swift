// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Diagnostics
import Foundation
import ResourceLoading
import Testing

/// The requirements of HAR 1.2.
@Suite("HAR 1.2", .timeLimit(.minutes(1)))
struct HARExportTests {
    private typealias Object = [String: Any]

    private var timeline: PageTimeline {
        var timeline = PageTimeline(
            page: PageID(rawValue: 3), documentURL: "https://me:word@a.example/p?token=1#top",
            opened: Date(timeIntervalSince1970: 0.25))
        timeline.marks.loaded = .milliseconds(300)
        var late = PageTimeline.Request(
            initiator: .page, method: "POST", url: "https://a.example/api?b=%20x&a&&c=1=2#f")
        late.status = 201
        late.provenance = .network
        late.reason = "asked https://a.example/api?b=1"
        late.mediaType = "application/json"
        late.bytes = 12
        late.started = .milliseconds(100)
        late.responded = .milliseconds(130)
        late.ended = .milliseconds(170)
        var early = PageTimeline.Request(initiator: .page, method: "GET", url: "https://a.example/lost")
        early.started = .milliseconds(50)
        early.ended = .milliseconds(60)
        var unknown = PageTimeline.Request(initiator: .engine, method: "GET", url: "https://b.example/x.png")
        unknown.status = 200
        unknown.ended = .milliseconds(20)
        for request in [late, unknown, early] { timeline.add(request) }
        return timeline
    }

    private func log(_ timelines: [PageTimeline], _ export: HARExport = HARExport()) throws -> Object {
        let document = try #require(try JSONSerialization.jsonObject(with: export.json(timelines)) as? Object)
        return try #require(document["log"] as? Object)
    }

    @Test("The archive contains all required members with the required types")
    func required() throws {
        let log = try log([timeline, timeline])
        #expect(log["version"] as? String == "1.2")
        let creator = try #require(log["creator"] as? Object)
        #expect(creator["name"] is String && creator["version"] is String)
        let pages = try #require(log["pages"] as? [Object])
        #expect(pages.map { $0["id"] as? String } == ["page_1", "page_2"])
        let stamp = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)/
        for page in pages {
            #expect(page["title"] is String)
            #expect(try #require(page["startedDateTime"] as? String).wholeMatch(of: stamp) != nil)
            let timings = try #require(page["pageTimings"] as? Object)
            #expect(timings["onContentLoad"] as? Double == -1 && timings["onLoad"] as? Double == 300)
        }
        let entries = try #require(log["entries"] as? [Object])
        #expect(entries.count == 6)
        for entry in entries {
            #expect(try #require(entry["startedDateTime"] as? String).wholeMatch(of: stamp) != nil)
            #expect(entry["pageref"] is String && entry["cache"] is Object)
            let timings = try #require(entry["timings"] as? Object)
            let parts = try ["send", "wait", "receive"].map { try #require(timings[$0] as? Double) }
            #expect(parts.allSatisfy { $0 >= 0 })
            #expect(entry["time"] as? Double == parts.reduce(0, +))
            for (name, strings) in [
                ("request", ["method", "url", "httpVersion"]),
                ("response", ["statusText", "httpVersion", "redirectURL"]),
            ] {
                let side = try #require(entry[name] as? Object)
                for field in strings { #expect(side[field] is String, "\(name).\(field)") }
                for field in ["cookies", "headers"] { #expect((side[field] as? [Any])?.isEmpty == true) }
                for field in ["headersSize", "bodySize"] { #expect(side[field] is Int, "\(name).\(field)") }
            }
            let response = try #require(entry["response"] as? Object)
            #expect(response["status"] is Int)
            let content = try #require(response["content"] as? Object)
            #expect(content["size"] is Int && content["mimeType"] is String)
            #expect((entry["request"] as? Object)?["queryString"] is [Any])
        }
    }

    @Test("Requests are sorted by start, and unknown values are marked as unknown")
    func entries() throws {
        let entries = try #require(try log([timeline])["entries"] as? [Object])
        let requests = entries.compactMap { $0["request"] as? Object }
        let responses = entries.compactMap { $0["response"] as? Object }
        #expect(
            requests.map { $0["url"] as? String } == [
                "https://a.example/lost", "https://a.example/api?b=%20x&a&&c=1=2#f", "https://b.example/x.png",
            ])
        #expect(responses.map { $0["status"] as? Int } == [0, 201, 200])
        #expect(responses.map { $0["bodySize"] as? Int } == [-1, 12, -1])
        let parameters = try #require(requests[1]["queryString"] as? [[String: String]])
        #expect(
            parameters == [
                ["name": "b", "value": "%20x"], ["name": "a", "value": ""], ["name": "c", "value": "1=2"],
            ])
        #expect(entries.map { $0["time"] as? Double } == [10, 70, 0])
        #expect(
            entries.map { $0["comment"] as? String } == [
                "failed", "network: asked https://a.example/api?b=1", "engine: start time unknown",
            ])
        #expect(entries.map { $0["startedDateTime"] as? String }.first == "1970-01-01T00:00:00.300Z")
    }

    @Test("A reason that begins with the source does not repeat the source")
    func packages() throws {
        var timeline = PageTimeline(page: PageID(rawValue: 1), documentURL: "https://a.example/", opened: Date())
        var request = PageTimeline.Request(initiator: .page, method: "GET", url: "https://a.example/")
        request.provenance = .package
        request.reason = "package shop 1: index.html"
        request.started = .zero
        timeline.add(request)
        let text = String(decoding: try HARExport().json([timeline]), as: UTF8.self)
        #expect(text.contains(#""comment" : "package shop 1: index.html""#))
    }

    @Test("omitsQueries omits queries, passwords and reasons")
    func secrets() throws {
        var export = HARExport()
        export.omitsQueries = true
        let text = String(decoding: try export.json([timeline]), as: UTF8.self)
        #expect(!text.contains("token") && !text.contains("word@") && !text.contains("%20x") && !text.contains("?"))
        #expect(text.contains("\"https://a.example/p\"") && text.contains("\"https://a.example/api\""))
        #expect(try HARExport().json([timeline]) != export.json([timeline]))
    }

    @Test("Equal timelines produce equal archives, and no timelines produce a valid archive")
    func determinism() throws {
        #expect(try HARExport().json([timeline]) == HARExport().json([timeline]))
        let log = try log([])
        #expect((log["entries"] as? [Any])?.isEmpty == true && (log["pages"] as? [Any])?.isEmpty == true)
    }
}
