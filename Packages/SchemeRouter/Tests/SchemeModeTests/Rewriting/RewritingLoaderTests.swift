// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

@Suite("Rewritten responses", .timeLimit(.minutes(1)))
struct RewritingLoaderTests {
    private let sheet = "a{b:url(https://cdn.example/x.png)}"
    private let hashing = SumHashing()

    private func loader(_ files: any ResourceLoader) -> RewritingLoader {
        RewritingLoader(files, names: .standard, hashing: hashing) { url, _ in isCovered(url) }
    }

    private func request(
        _ url: String, as destination: ResourceRequest.Destination = .subresource, page: UInt64 = 1,
        _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get
    ) throws -> ResourceRequest {
        let document = "https://shop.example/"
        return ResourceRequest(
            try #require(HTTPRequest(method: method, urlText: url, headerFields: fields)), destination: destination,
            page: PageAttribution(PageReference(id: PageID(rawValue: page), documentURL: document), confidence: .exact))
    }

    private func text(_ response: ResourceResponse?) async throws -> String {
        String(decoding: try await #require(response).body.collect(upTo: 1 << 20), as: UTF8.self)
    }

    @Test("Redirects are followed and the final response is rewritten, streamed or not", arguments: [false, true])
    func chain(isStream: Bool) async throws {
        let files = Files([
            "https://shop.example/": .init(
                type: "text/html; charset=utf-8", text: "<link rel=stylesheet href=https://cdn.example/a.css>",
                fields: [
                    .eTag: "\"v1\"", .acceptRanges: "bytes", .contentSecurityPolicy: "style-src https://cdn.example",
                    .init("Link") ?? .via: "<https://cdn.example/a.css>; rel=preload",
                    .init("Repr-Digest") ?? .via: "sha-256=:x:",
                ], isStream: isStream),
            "https://cdn.example/a.css": .init(
                type: "text/css", text: "", fields: [.location: "/b.css"], status: .found),
            "https://cdn.example/b.css": .init(type: "text/css", text: sheet, isStream: isStream),
            "https://cdn.example/x.png": .init(type: "image/png", text: sheet, fields: [.eTag: "\"p\""]),
        ])
        let chain = loader(RedirectFollower(files, names: .standard))
        let page = try await chain.load(request("https://shop.example/", as: .document))
        let fields = try #require(page?.head.headerFields)
        #expect(try await text(page) == "<link rel=stylesheet href=containerkit://cdn.example/a.css>")
        #expect(fields[.eTag] == "W/\"v1\"")
        #expect(fields[.acceptRanges] == nil)
        #expect(fields[.init("Repr-Digest") ?? .via] == nil)
        #expect(fields[.contentLength] == (isStream ? nil : "59"))
        #expect(fields[.contentSecurityPolicy] == "style-src https://cdn.example containerkit://cdn.example")
        #expect(fields[.init("Link") ?? .via] == "<containerkit://cdn.example/a.css>; rel=preload")
        #expect(
            try await text(chain.load(request("https://cdn.example/a.css")))
                == "a{b:url(containerkit://cdn.example/x.png)}")
        let picture = try await chain.load(request("https://cdn.example/x.png"))
        #expect(picture?.head.headerFields[.eTag] == "\"p\"")
        #expect(picture?.head.headerFields[.contentLength] == String(sheet.utf8.count))
        #expect(try await text(picture) == sheet)
    }

    @Test("A range of a rewritten type gets the complete body; other types keep ranges")
    func ranges() async throws {
        let files = Files([
            "https://shop.example/a": .init(type: "text/css", text: sheet),
            "https://shop.example/b": .init(type: "video/mp4", text: sheet),
        ])
        let fields: HTTPFields = [.range: "bytes=0-3", .ifRange: "\"x\""]
        let sheetAnswer = try await loader(files).load(request("https://shop.example/a", fields))
        #expect(sheetAnswer?.head.status == .ok)
        #expect(sheetAnswer?.head.headerFields[.contentRange] == nil)
        #expect(try await text(sheetAnswer) == "a{b:url(containerkit://cdn.example/x.png)}")
        #expect(files.receivedRequests.last?.headerFields[.ifRange] == nil)
        let video = try await loader(files).load(request("https://shop.example/b", fields))
        #expect(video?.head.status == .partialContent)
        #expect(try await text(video) == "a{b:")
    }

    @Test("An unsatisfiable range stays an error, independently of the type of its error page")
    func rangesBeyondTheEnd() async throws {
        let server = Server { request in
            let isPart = request.headerFields.contains(.range)
            let fields: HTTPFields =
                isPart ? [.contentType: "text/html", .contentRange: "bytes */9"] : [.contentType: "video/mp4"]
            return HTTPResponse(status: isPart ? .rangeNotSatisfiable : .ok, headerFields: fields)
        }
        let answer = try await loader(server).load(request("https://shop.example/v.mp4", [.range: "bytes=9-"]))
        #expect(answer?.head.status == .rangeNotSatisfiable)
        #expect(answer?.head.headerFields[.contentRange] == "bytes */9")
        #expect(server.receivedRequests.count == 1)
    }

    @Test("Encoded bodies, ASCII-incompatible charsets and other types are unchanged")
    func passes() async throws {
        let html = "<img src=https://cdn.example/x>"
        let files = Files([
            "https://shop.example/gzip": .init(
                type: "text/html", text: html, fields: [.contentEncoding: "gzip", .eTag: "\"a\""]),
            "https://shop.example/utf16": .init(type: "text/html; Charset=\"UTF-16LE\"", text: html),
            "https://shop.example/json": .init(type: "application/json", text: html),
            "https://shop.example/htmlx": .init(type: "text/htmlx", text: html),
        ])
        for name in ["gzip", "utf16", "json", "htmlx"] {
            let answer = try await loader(files).load(request("https://shop.example/\(name)"))
            #expect(try await text(answer) == html, "\(name)")
            #expect(answer?.head.headerFields[.contentLength] == String(html.utf8.count))
        }
        let identity = Files([
            "https://shop.example/": .init(type: "TEXT/HTML ;x", text: html, fields: [.contentEncoding: "identity"])
        ])
        #expect(try await text(loader(identity).load(request("https://shop.example/"))).contains("containerkit:"))
        #expect(try await loader(files).load(request("https://shop.example/none")) == nil)
    }

    /// Loads a page with this style sheet element. Returns the response of the style sheet and the text of the page.
    private func open(
        _ link: String, sheet: String? = nil, at url: String = "https://cdn.example/a.css", page: UInt64 = 1,
        type: String = "text/css"
    ) async throws -> (document: String, sheet: Result<String, ResourceError>) {
        let files = Files([
            "https://shop.example/": .init(type: "text/html", text: link, isStream: true),
            url: .init(type: type, text: sheet ?? self.sheet),
        ])
        let loader = loader(files)
        let document = try await text(loader.load(request("https://shop.example/", as: .document)))
        do {
            return (document, .success(try await text(loader.load(request(url, page: page)))))
        } catch let error as ResourceError {
            return (document, .failure(error))
        }
    }

    @Test("The integrity of a style sheet is checked against the unrewritten bytes")
    func integrity() async throws {
        let metadata = hashing.metadata(of: sheet)
        let link = "<link rel=stylesheet integrity='\(metadata)' href=https://cdn.example/a.css crossorigin>"
        let right = try await open(link)
        #expect(right.document == "<link rel=stylesheet  href=containerkit://cdn.example/a.css crossorigin>")
        #expect(try right.sheet.get() == "a{b:url(containerkit://cdn.example/x.png)}")
        let wrong = try await open(link, sheet: sheet + " ")
        #expect(throws: ResourceError.self) { try wrong.sheet.get() }
        if case .failure(let error) = wrong.sheet { #expect(error.code == .blocked) }
        // The check is independent of the type that the server declares.
        let other = try await open(link, sheet: sheet + " ", type: "text/plain")
        #expect(throws: ResourceError.self) { try other.sheet.get() }
        // Another page has no requirements.
        let foreign = try await open(link, sheet: sheet + " ", page: 2)
        #expect(throws: Never.self) { try foreign.sheet.get() }
    }

    @Test("An integrity requirement applies to each form of reference in the page")
    func references() async throws {
        let wrong = hashing.metadata(of: "other")
        for (link, url) in [
            ("<link rel=stylesheet href='/a|.css?x#y' integrity=\(wrong)>", "https://shop.example/a|.css?x"),
            ("<link rel='preload' as=style href=a.css integrity=\(wrong)>", "https://shop.example/a.css"),
            ("<link rel=stylesheet href=/%2e%2e/a.css integrity=\(wrong)>", "https://shop.example/a.css"),
            (
                "<link rel=stylesheet href=https://CDN.example:443/a.css integrity=\(wrong) crossorigin>",
                "https://cdn.example/a.css"
            ),
        ] {
            let result = try await open(link, at: url)
            #expect(!result.document.contains("integrity"), "\(link)")
            #expect(throws: ResourceError.self, "\(link)") { try result.sheet.get() }
        }
    }

    @Test("The integrity attribute stays if the engine would refuse the style sheet or nothing is rewritten")
    func stays() async throws {
        let right = hashing.metadata(of: sheet)
        for link in [
            "<link rel=stylesheet href=https://cdn.example/a.css integrity=\(right)>",
            "<link rel=stylesheet href=https://other.example/a.css crossorigin integrity=\(right)>",
            "<link rel=stylesheet href=/a.css integrity=md5-x>",
            // The URL that the engine will request is ambiguous.
            "<link rel=stylesheet href='/a.css ' integrity=\(right)>",
            "<link rel=stylesheet href='/caf&eacute;.css' integrity=\(right)>",
            "<base href=/dir/><link rel=stylesheet href=a.css integrity=\(right)>",
            "<iframe srcdoc='<link rel=stylesheet href=/a.css integrity=\(right)>'></iframe>",
            "<script src=https://cdn.example/a.js crossorigin integrity=\(right)></script>",
            "<link rel=modulepreload href=/a.js integrity=\(right)>",
        ] {
            #expect(try await open(link).document.contains("integrity="), "\(link)")
        }
    }

    @Test("A later document of the page replaces the integrity requirements")
    func reload() async throws {
        let first = Files([
            "https://shop.example/": .init(
                type: "text/html", text: "<link rel=stylesheet href=/a.css integrity=\(hashing.metadata(of: "x"))>"),
            "https://shop.example/2": .init(
                type: "text/html", text: "<link rel=stylesheet href=/a.css integrity=\(hashing.metadata(of: sheet))>"),
            "https://shop.example/a.css": .init(type: "text/css", text: sheet),
        ])
        let loader = loader(first)
        _ = try await text(loader.load(request("https://shop.example/", as: .document)))
        await #expect(throws: ResourceError.self) { try await loader.load(request("https://shop.example/a.css")) }
        _ = try await text(loader.load(request("https://shop.example/2", as: .document)))
        #expect(try await text(loader.load(request("https://shop.example/a.css"))).contains("containerkit:"))
    }

    @Test("Only the page's document sets integrity requirements, and no response status bypasses them")
    func takeover() async throws {
        let good = "<link rel=stylesheet href=/a.css integrity=\(hashing.metadata(of: sheet))>"
        let evil = "<link rel=stylesheet href=/a.css integrity=\(hashing.metadata(of: sheet + " "))>"
        for (destination, fields, status) in [
            (.subresource, [:], 200), (.nestedDocument, [:], 200), (.unknown, [:], 300), (.subresource, [:], 203),
            (.subresource, [.ifNoneMatch: "\"x\""], 304),
        ] as [(ResourceRequest.Destination, HTTPFields, Int)] {
            let files = Files([
                "https://shop.example/": .init(type: "text/html", text: good),
                "https://shop.example/logo.png": .init(type: "text/html", text: evil),
                "https://shop.example/a.css": .init(type: "text/css", text: sheet + " ", status: .init(code: status)),
            ])
            let loader = loader(files)
            _ = try await text(loader.load(request("https://shop.example/", as: .document)))
            let other = try await text(loader.load(request("https://shop.example/logo.png", as: destination)))
            #expect(other.contains("integrity="))
            await #expect(throws: ResourceError.self) {
                try await loader.load(request("https://shop.example/a.css", fields))
            }
            #expect(files.receivedRequests.last?.headerFields[.ifNoneMatch] == nil)
        }
    }

    @Test("upgrade-insecure-requests in the head applies to the document")
    func upgrade() async throws {
        let files = Files([
            "https://shop.example/": .init(
                type: "text/html", text: "<img src=http://cdn.example/x>",
                fields: [.contentSecurityPolicy: "img-src *; Upgrade-Insecure-Requests"])
        ])
        #expect(
            try await text(loader(files).load(request("https://shop.example/", as: .document)))
                == "<img src=containerkit://cdn.example/x>")
    }

    @Test(
        "An attachment, its fields and its ranges are unchanged, unless an element requests it as a style sheet")
    func attachments() async throws {
        let html = "<img src=https://cdn.example/x>"
        let fields: HTTPFields = [
            .contentDisposition: "Attachment; filename=\"a.html\"", .eTag: "\"v1\"", .acceptRanges: "bytes",
            .contentSecurityPolicy: "img-src https://cdn.example",
        ]
        let files = Files([
            "https://shop.example/a": .init(type: "text/html", text: html, fields: fields),
            "https://shop.example/b": .init(type: "text/html", text: html, fields: fields, isStream: true),
            "https://shop.example/a.css": .init(type: "text/css", text: sheet, fields: fields),
            "https://shop.example/shown": .init(
                type: "text/html", text: html, fields: [.contentDisposition: "inline; filename=attachment"]),
        ])
        for (name, destination, expected) in [
            ("a", .document, html), ("b", .document, html), ("a", .subresource, html), ("a.css", .unknown, sheet),
        ] as [(String, ResourceRequest.Destination, String)] {
            let answer = try await loader(files).load(request("https://shop.example/\(name)", as: destination))
            #expect(answer?.head.headerFields[.eTag] == "\"v1\"")
            #expect(answer?.head.headerFields[.acceptRanges] == "bytes")
            #expect(answer?.head.headerFields[.contentLength] == String(expected.utf8.count))
            #expect(answer?.head.headerFields[.contentSecurityPolicy] == "img-src https://cdn.example")
            #expect(try await text(answer) == expected)
        }
        let range = try await loader(files).load(request("https://shop.example/a", [.range: "bytes=0-3"]))
        #expect(range?.head.status == .partialContent)
        let element = try await loader(files).load(
            request("https://shop.example/a.css", [.accept: "text/css,*/*;q=0.1"]))
        #expect(try await text(element).contains("containerkit:"))
        let shown = try await loader(files).load(request("https://shop.example/shown", as: .document))
        #expect(try await text(shown).contains("containerkit:"))
    }

    @Test(
        "The first of two Content-Disposition fields counts",
        arguments: [
            (["attachment; filename=a", "inline"], true), (["inline", "attachment; filename=a"], false),
            (["attachment", "inline"], false),
        ])
    func twoDispositions(values: [String], isSaved: Bool) async throws {
        let html = "<img src=https://cdn.example/x>"
        var fields = HTTPFields()
        for value in values { fields.append(HTTPField(name: .contentDisposition, value: value)) }
        let files = Files(["https://shop.example/a": .init(type: "text/html", text: html, fields: fields)])
        let answer = try await loader(files).load(request("https://shop.example/a", as: .document))
        let isAsItCame = try await text(answer) == html
        #expect(isAsItCame == isSaved)
    }

    @Test("The first of several integrity attributes counts, and all are removed")
    func twice() async throws {
        let right = hashing.metadata(of: sheet)
        let wrong = hashing.metadata(of: "x")
        let files = Files([
            "https://shop.example/": .init(
                type: "text/html",
                text: "<link rel=stylesheet href=/a.css integrity=\(right) Integrity='\(wrong)' integrity>"),
            "https://shop.example/a.css": .init(type: "text/css", text: sheet),
        ])
        let loader = loader(files)
        let document = try await text(loader.load(request("https://shop.example/", as: .document)))
        #expect(!document.lowercased().contains("integrity"), "\(document)")
        #expect(try await text(loader.load(request("https://shop.example/a.css"))).contains("containerkit:"))
    }
}
