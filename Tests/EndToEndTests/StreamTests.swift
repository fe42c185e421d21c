// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import ProgramTesting
import Synchronization
import Testing

extension RealEngine {
    /// Answers that arrive over time, are dropped, or lead elsewhere.
    @Suite("Requests on their way", .timeLimit(.minutes(3)))
    struct StreamTests {
        @Test("The first piece of a stream reaches the page before the last one is sent")
        func streaming() async throws {
            let (acknowledged, acknowledge) = AsyncStream<Void>.makeStream()
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(PathPattern("/stream"))) { _ in
                    OriginResponse(
                        body: .stream(length: nil) { writer in
                            try await writer.write(Data("first ".utf8))
                            // Only the page's acknowledgement lets the rest go.
                            for await _ in acknowledged { break }
                            try await writer.write(Data("last".utf8))
                        })
                },
                OriginRoute(.get, try #require(PathPattern("/acknowledge"))) { _ in
                    acknowledge.yield()
                    return .text("ok")
                },
            ])
            let script = """
                (async () => {
                    const reader = (await fetch('/stream')).body.getReader(), decoder = new TextDecoder();
                    let text = decoder.decode((await reader.read()).value);
                    await fetch('/acknowledge');
                    for (let piece; !(piece = await reader.read()).done;) text += decoder.decode(piece.value);
                    window.text = text;
                })()
                """
            let value = try await shop.browser.value(
                of: "window.text", in: shop.page, until: "window.text", "--mode", "scheme", "--user-script",
                try shop.folder.write("script.js", script.utf8))
            await shop.origin.stop()
            #expect(value == "\"first last\"")
        }

        @Test("A request that the page drops is closed upstream")
        func abort() async throws {
            let (closes, close) = AsyncStream<Void>.makeStream()
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(PathPattern("/endless"))) { _ in
                    OriginResponse(
                        body: .stream(length: nil) { writer in
                            defer { close.yield() }
                            let piece = Data(repeating: 0x61, count: 65_536)
                            while true { try await writer.write(piece) }
                        })
                },
                // Answers once the connection of the endless answer is closed.
                OriginRoute(.get, try #require(PathPattern("/closed"))) { _ in
                    for await _ in closes { break }
                    return .text("closed")
                },
            ])
            let script = """
                (async () => {
                    const controller = new AbortController();
                    const reader = (await fetch('/endless', { signal: controller.signal })).body.getReader();
                    await reader.read();
                    controller.abort();
                    window.text = await (await fetch('/closed')).text();
                })()
                """
            let value = try await shop.browser.value(
                of: "window.text", in: shop.page, until: "window.text", "--mode", "scheme", "--user-script",
                try shop.folder.write("script.js", script.utf8))
            await shop.origin.stop()
            #expect(value == "\"closed\"")
        }

        @Test("More requests than connections wait in line, and all of them end")
        func manyRequests() async throws {
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(PathPattern("/n/*"))) { .text($0.path) }
            ])
            let script = """
                Promise.all(Array.from({ length: 200 }, (_, n) => fetch('/n/' + n).then(answer => answer.text())))
                    .then(all => window.text = all.every((text, n) => text === '/n/' + n) && all.length)
                """
            let value = try await shop.browser.value(
                of: "window.text", in: shop.page, until: "window.text !== undefined", "--mode", "scheme",
                "--user-script",
                try shop.folder.write("script.js", script.utf8))
            await shop.origin.stop()
            #expect(value == "200")
        }

        @Test("Redirects are followed inside, and a document's redirect moves the page")
        func redirects() async throws {
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(PathPattern("/old.html"))) { _ in
                    OriginResponse(.movedPermanently, headers: [.location: "/index.html?moved"])
                },
                OriginRoute(.get, try #require(PathPattern("/hop"))) { _ in
                    OriginResponse(.found, headers: [.location: "data/products.json"])
                },
            ])
            let value = try await shop.browser.value(
                of: "[location.pathname + location.search, history.length, window.hop]",
                in: shop.origin.url + "/old.html",
                until: "\(Shop.ready) && window.hop", "--mode", "scheme", "--user-script",
                try shop.folder.write(
                    "hop.js", "fetch('/hop').then(answer => answer.json()).then(json => window.hop = json.length)".utf8)
            )
            await shop.origin.stop()
            #expect(value == #"["/index.html?moved",1,2]"#)
        }

        @Test("A document that moves to its own URL is asked for again, also where the page has a fragment")
        func ownURL() async throws {
            let visits = Mutex(0)
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(PathPattern("/again.html"))) { _ in
                    let isFirst = visits.withLock { visits in
                        visits += 1
                        return visits == 1
                    }
                    return isFirst
                        ? OriginResponse(.found, headers: [.location: "/again.html"])
                        : OriginResponse(
                            .ok, headers: [.contentType: "text/html"], body: .bytes(Data("<title>Here</title>".utf8)))
                }
            ])
            let value = try await shop.browser.value(
                of: "[document.title, location.hash]", in: shop.origin.url + "/again.html#part", "--mode", "scheme")
            await shop.origin.stop()
            #expect(value == ##"["Here","#part"]"##)
        }

        @Test("A POST whose body the engine would lose fails instead of going out without it")
        func bodies() async throws {
            let shop = try await Shop(routes: [
                OriginRoute(.post, try #require(PathPattern("/order"))) { _ in .text("taken") }
            ])
            let script = """
                fetch('/order', { method: 'POST', body: 'apples' }).then(() => window.text = 'sent', error => window.text = error.name)
                """
            let value = try await shop.browser.value(
                of: "window.text", in: shop.page, until: "window.text", "--mode", "scheme", "--user-script",
                try shop.folder.write("post.js", script.utf8))
            await shop.origin.stop()
            #expect(value == "\"TypeError\"")
            #expect(!shop.origin.requests.contains { $0.method == .post })
        }
    }
}
