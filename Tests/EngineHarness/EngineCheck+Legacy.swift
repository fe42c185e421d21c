// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
@_spi(Testing) internal import ContainerKit
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// The legacy protocol of older pages.
extension EngineCheck {
    /// Checks the legacy bridge.
    /// - Parameter arguments: The mode, and the folder of the page.
    @MainActor
    func checkLegacy(_ engine: WebKitGTKEngine, _ arguments: ArraySlice<String>, in folder: String) async throws {
        guard let mode = arguments.first.flatMap({ InterceptionMode(rawValue: $0) }),
            let files = arguments.dropFirst().first
        else { throw CheckFailure(description: "specify a mode and the page's folder") }
        let site = try LegacySite(files)
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = site
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = mode
        configuration.network.coveredHosts = ["shop.example", "other.example"].compactMap { HostPattern($0) }
        configuration.pages.legacyMessages = LegacyMessages(prefix: "shop", handlerPrefix: "YX")
        let container = try await Container(engine: engine, configuration: configuration)
        var failures: [String] = []
        container.observe { event in
            guard case .request(let record) = event, case .failed(let error) = record.outcome else { return }
            failures.append("\(error)")
        }
        let page = try await open("https://shop.example/", in: container)
        let text = try await page.view.evaluate("return await runOlder()", in: .page)
        let seen = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        do {
            try check(seen, in: mode)
        } catch let failure as CheckFailure {
            throw CheckFailure(description: "\(failure)\n\(failures.joined(separator: "\n"))")
        }
        try check(site.sent)
        if mode != .loopbackServer { try await checkPost(container, site) }
        await container.shutDown()
        try await checkSwitchedOff(engine, site, in: folder, mode: mode)
    }

    /// Checks the results of the page.
    private func check(_ seen: [String: String], in mode: InterceptionMode) throws {
        let taken = [
            "text", "object", "array", "binary", "large", "empty", "headers", "get", "fetch", "sync", "unknownGET",
            "number", "none", "url64", "otherNames",
        ]
        for name in taken { try expect(seen[name] == "recorded", "\(name): \(seen[name] ?? "-")") }
        try expect(seen["unknown"] == "failed", "unknown: \(seen["unknown"] ?? "-")")
        try expect(seen["twice"] == "recorded,failed", "twice: \(seen["twice"] ?? "-")")
        let refusals = Array(repeating: "TypeError", count: 8).joined(separator: ",")
        try expect(seen["refusals"] == refusals, "refusals: \(seen["refusals"] ?? "-")")
        try expect(
            seen["cookie"]
                == "true,true,true,TypeError,TypeError | first=1,k=1,m=w,n=v | true | true | true | first=1; n=v",
            "cookie: \(seen["cookie"] ?? "-")")
        try expect(seen["surface"] == "first=1,function,false", "surface: \(seen["surface"] ?? "-")")
        // With the local server, the page's frame bypasses the container.
        guard mode != .loopbackServer else { return }
        let frame = seen["foreignFrame"] ?? "-"
        try expect(frame == "failed,TypeError,recorded,recorded", "frame: \(frame)")
    }

    /// Checks the requests that the server received.
    private func check(_ sent: [String: [LegacySite.Sent]]) throws {
        let text = Data("é €\u{1F600}\u{FFFD}\\ \"¥\u{2028}".utf8)
        let bodies: [(String, Data, String?)] = [
            ("text", text, "text/plain;charset=UTF-8"),
            ("object", Data(#"{"5":null,"z":1,"a":[1.5,"\\¥"]}"#.utf8), "application/json"),
            ("array", Data("[1,2]".utf8), "application/json"), ("binary", Data(0...255), nil),
            ("large", Data(repeating: UInt8(ascii: "x"), count: 8 << 20), "text/plain;charset=UTF-8"),
            ("empty", Data(), "text/plain;charset=UTF-8"), ("headers", Data("<a/>".utf8), "application/xml"),
            ("get", Data(), nil), ("fetch", Data("by fetch".utf8), "text/plain;charset=UTF-8"),
            ("sync", Data(#"{"sync":true}"#.utf8), "application/json"),
            ("twice", Data("once".utf8), "text/plain;charset=UTF-8"),
            ("number", Data("1.5".utf8), "text/plain;charset=UTF-8"), ("none", Data(), nil),
            ("url64", Data([0, 255]), nil),
            ("otherNames", Data("by another name".utf8), "text/plain;charset=UTF-8"),
        ]
        for (name, body, type) in bodies {
            let requests = sent[name] ?? []
            try expect(requests.count == 1, "\(name): \(requests.count) requests")
            guard let request = requests.first else { continue }
            try expect(request.body == body, "\(name): \(request.body.count) bytes: \(request.body.prefix(100))")
            let said = request.head.headerFields[.contentType]
            try expect(said == type, "\(name): \(said ?? "no type")")
            try expect(request.head.path == "/record/\(name)?a=1&b=%2F+", "\(name): \(request.head.path ?? "")")
        }
        let headers = sent["headers"]?.first
        try expect(headers?.field("X-Own") == "1" && sent["get"]?.first?.field("X-Own") == "2", "no header")
        try expect(sent["otherNames"]?.first?.field("X-Own") == "3", "no header of a number")
        try expect(headers?.field("Cookie")?.contains("forged") != true, "a forged cookie")
        try expect(sent["unknown"] == nil && sent["stolen"] == nil, "sent without a body")
    }

    /// Checks a request of the scheme `post`, as an older app sends it, and that pages have no access to the scheme.
    @MainActor
    private func checkPost(_ container: Container<WebKitGTKEngine>, _ site: LegacySite) async throws {
        guard let oldScheme = HTTPField.Name("oldScheme"), let bodyParam = HTTPField.Name("bodyParam"),
            let request = HTTPRequest(
                urlText: "post://shop.example/record/post?x=1",
                headerFields: [oldScheme: "https", bodyParam: "a=1&b=%20"])
        else { throw CheckFailure(description: "no request") }
        let page = try await container.open(request)
        try await page.load.finished(within: .seconds(20))
        let sent = site.sent["post"] ?? []
        try expect(sent.map(\.head.method) == [.post] && sent[0].body == Data("a=1&b=%20".utf8), "post: \(sent)")
        try expect(
            sent[0].head.headerFields[.contentType] == "application/x-www-form-urlencoded"
                && sent[0].field("oldScheme") == nil && sent[0].head.path == "/record/post?x=1", "post: \(sent[0].head)"
        )
        let shown = try await page.view.evaluate("return document.body.textContent", in: .page)
        try expect(shown == #""recorded""#, shown)
        // Pages cannot use the scheme.
        let tried = try await page.view.evaluate(
            """
            const fetched = await fetch('post://shop.example/record/forged', { method: 'POST', body: 'x' })
                .then(() => 'sent', (error) => error.name);
            const frame = document.createElement('iframe');
            frame.src = 'post://shop.example/record/forged';
            document.body.append(frame);
            await new Promise((done) => { frame.onload = done; setTimeout(done, 500) });
            await fetch('/record/after', { method: 'POST', body: 'x' });
            return fetched
            """, in: .page)
        try expect(tried == #""TypeError""# && site.sent["forged"] == nil, "a page's own: \(tried)")
    }

    /// Checks that the legacy bridge is absent if it is disabled.
    @MainActor
    private func checkSwitchedOff(
        _ engine: WebKitGTKEngine, _ site: LegacySite, in folder: String, mode: InterceptionMode
    ) async throws {
        var configuration = ContainerConfiguration(directory: folder + "/off")
        configuration.network.cookies.native = .none
        configuration.network.transport = site
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = mode
        configuration.network.coveredHosts = ["shop.example"].compactMap { HostPattern($0) }
        let container = try await Container(engine: engine, configuration: configuration)
        let page = try await open("https://shop.example/", in: container)
        let seen = try await page.view.evaluate(
            """
            const sent = await realXHR(withID('/record/off', 'x'), true, 'GET');
            return ['webkit' in window, 'original_cookie' in window, sent]
            """,
            in: .page)
        try expect(seen == #"[false,false,"recorded"]"#, seen)
        let path = site.sent["off"]?.first?.head.path
        try expect(path == "/record/off?a=1&shop-wkwebview-request-id=x&b=%2F+", "switched off: \(path ?? "-")")
        await container.shutDown()
    }
}
