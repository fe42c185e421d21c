// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import ProgramTesting
import Testing

extension RealEngine {
    /// Responses that are streamed, cancelled or redirected.
    @Suite("Streams and redirects", .timeLimit(.minutes(3)))
    struct StreamTests {
        @Test("The first piece of a stream reaches the page before the last piece is sent")
        func streaming() async throws {
            let (acknowledged, acknowledge) = AsyncStream<Void>.makeStream()
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/stream"))) { _ in
                    OriginResponse(
                        body: .stream(length: nil) { writer in
                            try await writer.write(Data("first ".utf8))
                            // The rest is sent only after the page's acknowledgement.
                            for await _ in acknowledged { break }
                            try await writer.write(Data("last".utf8))
                        })
                },
                OriginRoute(.get, try #require(OriginPathPattern("/acknowledge"))) { _ in
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

        @Test("A request that the page aborts is closed upstream")
        func abort() async throws {
            let (closes, close) = AsyncStream<Void>.makeStream()
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/endless"))) { _ in
                    OriginResponse(
                        body: .stream(length: nil) { writer in
                            defer { close.yield() }
                            let piece = Data(repeating: 0x61, count: 65_536)
                            while true { try await writer.write(piece) }
                        })
                },
                // The route responds when the connection of the endless response is closed.
                OriginRoute(.get, try #require(OriginPathPattern("/closed"))) { _ in
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

        @Test("Server-sent events reach the page one by one")
        func events() async throws {
            let (acknowledged, acknowledge) = AsyncStream<Void>.makeStream()
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/events"))) { _ in
                    OriginResponse(
                        .ok, headers: [.contentType: "text/event-stream"],
                        body: .stream(length: nil) { writer in
                            var acknowledgements = acknowledged.makeAsyncIterator()
                            for number in 1...3 {
                                try await writer.write(Data("data: \(number)\n\n".utf8))
                                // The next event is sent only after the page has received the previous event.
                                _ = await acknowledgements.next()
                            }
                        })
                },
                OriginRoute(.get, try #require(OriginPathPattern("/acknowledge"))) { _ in
                    acknowledge.yield()
                    return .text("ok")
                },
            ])
            let script = """
                const heard = [], source = new EventSource('/events');
                source.onmessage = event => {
                    heard.push(event.data);
                    if (heard.length === 3) { source.close(); window.text = heard.join(); }
                    fetch('/acknowledge');
                };
                """
            let value = try await shop.browser.value(
                of: "window.text", in: shop.page, until: "window.text", "--mode", "scheme", "--user-script",
                try shop.folder.write("script.js", script.utf8))
            await shop.origin.stop()
            #expect(value == "\"1,2,3\"")
        }

        @Test("A slow page slows the server, and the container's process buffers nothing")
        func memory() async throws {
            let size = 192 << 20
            let name = Mutex("")
            let megabytes = Mutex<[Int]>([])
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/large"))) { _ in
                    OriginResponse(
                        body: .stream(length: size) { writer in
                            let piece = Data(repeating: 0x61, count: 1 << 20)
                            for _ in 0..<(size >> 20) { try await writer.write(piece) }
                        })
                },
                OriginRoute(.get, try #require(OriginPathPattern("/sample"))) { _ in
                    let process = try ProcessMemory(of: "container-browser run \(name.withLock { $0 })/")
                    try megabytes.withLock { $0.append($0.isEmpty ? try process.current() : try process.peak()) }
                    try process.resetPeak()
                    return .text("ok")
                },
            ])
            name.withLock { $0 = shop.origin.url }
            let script = """
                (async () => {
                    await fetch('/sample');
                    let bytes = 0;
                    const reader = (await fetch('/large')).body.getReader();
                    for (let piece; !(piece = await reader.read()).done;) {
                        // The page is busy for a while.
                        if (bytes === 0) for (const end = performance.now() + 1500; performance.now() < end;);
                        bytes += piece.value.length;
                    }
                    await fetch('/sample');
                    window.bytes = bytes;
                })()
                """
            let value = try await shop.browser.value(
                of: "window.bytes", in: shop.page, until: "window.bytes", "--mode", "scheme", "--timeout", "100",
                "--user-script", try shop.folder.write("script.js", script.utf8))
            await shop.origin.stop()
            #expect(value == "\(size)")
            let samples = megabytes.withLock { $0 }
            try #require(samples.count == 2)
            #expect(samples[1] - samples[0] <= 32, "\(samples)")
        }

        @Test("A synchronous request gets a long body from the network")
        func synchronous() async throws {
            let size = 8 << 20
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/large"))) { _ in
                    OriginResponse(
                        body: .stream(length: nil) { writer in
                            let piece = Data(repeating: 0x61, count: 1 << 20)
                            for _ in 0..<(size >> 20) { try await writer.write(piece) }
                        })
                }
            ])
            let script = """
                addEventListener('load', () => {
                    const request = new XMLHttpRequest();
                    request.open('GET', '/large', false);
                    request.send();
                    window.bytes = request.responseText.length;
                })
                """
            let value = try await shop.browser.value(
                of: "window.bytes", in: shop.page, until: "window.bytes", "--mode", "scheme", "--user-script",
                try shop.folder.write("script.js", script.utf8))
            await shop.origin.stop()
            #expect(value == "\(size)")
        }

        @Test("More requests than connections are queued, and all of them end")
        func manyRequests() async throws {
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/n/*"))) { .text($0.path) }
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

        @Test("Redirects are followed inside the container, and a document redirect navigates the page")
        func redirects() async throws {
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/old.html"))) { _ in
                    OriginResponse(.movedPermanently, headers: [.location: "/index.html?moved"])
                },
                OriginRoute(.get, try #require(OriginPathPattern("/hop"))) { _ in
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

        @Test("A document that redirects to its own URL is requested again, also with a fragment")
        func ownURL() async throws {
            let visits = Mutex(0)
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/again.html"))) { _ in
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

        @Test("A request fails if its body cannot be sent completely")
        func bodies() async throws {
            let shop = try await Shop(routes: [
                OriginRoute(.post, try #require(OriginPathPattern("/order"))) {
                    .text(String(decoding: $0.body, as: UTF8.self))
                }
            ])
            // A frame has the engine's own functions until its document arrives, so its bodies cannot be relayed.
            let script = """
                const send = world => world.fetch('/order', { method: 'POST', body: new Blob(['apples']) })
                    .then(answer => answer.text(), error => error.name);
                if (window === top) addEventListener('load', async () => {
                    const frame = document.createElement('iframe');
                    frame.srcdoc = '<p>';
                    document.body.append(frame);
                    const bare = send(frame.contentWindow);
                    window.text = `${await send(window)}, ${await bare}`;
                });
                """
            let value = try await shop.browser.value(
                of: "window.text", in: shop.page, until: "window.text", "--mode", "scheme", "--user-script",
                try shop.folder.write("post.js", script.utf8))
            await shop.origin.stop()
            #expect(value == "\"apples, TypeError\"")
            #expect(shop.origin.requests.filter { $0.method == .post }.count == 1)
        }
    }
}
