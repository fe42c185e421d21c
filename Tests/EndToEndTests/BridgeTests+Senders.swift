// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

// Requests of pages, compared between the plain engine and the modes of the container.
extension RealEngine.BridgeTests {
    /// Returns the result of a step by position, and the requests that the server received.
    private func results(_ mode: String, _ steps: String...) async throws -> (leaves: [String: String], report: Report)
    {
        let report = try await steps.count == 1 ? run(mode, steps[0]) : run(mode, steps[0], steps[1], steps[2])
        return (try #require(report.results.last).leaves(), report)
    }

    private func expectSame(_ plain: [String: String], _ other: [String: String], _ mode: String) {
        for place in Set(plain.keys).union(other.keys).sorted() {
            #expect(plain[place] == other[place], "\(mode): \(place)")
        }
    }

    @Test("URLs that scripts build for a covered host reach the container, and read back as written")
    func builtURLs() async throws {
        let step = "run:await load('build.js'); return await build()"
        let plain = try await results("plain", step)
        #expect(plain.leaves.count > 20)
        let scheme = try await results("scheme", step)
        expectSame(plain.leaves, scheme.leaves, "scheme")
        for (place, requests) in plain.report.server {
            let methods = scheme.report.server[place, default: []].map(\.method)
            // A media player sends one or two requests, depending on timing.
            let isSame =
                place == "video" ? Set(methods) == Set(requests.map(\.method)) : methods == requests.map(\.method)
            #expect(isSame, "\(place): \(methods)")
        }
        #expect(Set(scheme.report.server.keys) == Set(plain.report.server.keys))
    }

    @Test(
        "Redirects behave as in the plain engine: followed, manual, or an error",
        arguments: ["scheme", "proxy", "forced"])
    func moves(mode: String) async throws {
        let step = "run:await load('moves.js'); return await moves()"
        let plain = try await results("plain", step).leaves
        #expect(plain.count == 16)
        expectSame(plain, try await results(mode, step).leaves, mode)
    }

    @Test("Arguments are read once, in the plain engine's order", arguments: ["scheme", "forced"])
    func reading(mode: String) async throws {
        let step = """
            run:const read = [];
            const text = (name, value) => ({ toString() { read.push(name); return value; } });
            const request = new XMLHttpRequest();
            request.open(text("method", "GET"), text("url", "/record/none"), true);
            request.setRequestHeader(text("field", "Content-Type"), text("value", "text/plain"));
            navigator.sendBeacon(text("beacon", "/record/none"), "data");
            new EventSource(text("source", "/record/none")).close();
            document.createElement("img").setAttribute(text("attribute", "src"), text("place", "/record/none"));
            document.createElement("img").src = text("property", "/record/none");
            new Request(text("request", "/record/none"), { method: text("verb", "POST"), headers: { a: text("a", "b") } });
            await fetch(text("fetch", "/record/none"), { cache: text("cache", "no-store") });
            for (const few of [() => request.open(text("one", "GET")), () => request.setRequestHeader(text("name", "a")),
                () => document.body.setAttribute(text("key", "src")), () => new EventSource(), () => request.open()]) {
                try { few(); } catch (error) { read.push(error.name); }
            }
            return read
            """
        let plain = try await results("plain", step).leaves
        #expect(plain["#"] == "19")
        expectSame(plain, try await results(mode, step).leaves, mode)
    }

    @Test("The page repeats the same requests as in the plain engine")
    func memory() async throws {
        let step = "run:await load('moves.js'); return await again()"
        let plain = try await results("plain", step).leaves
        #expect(plain["/xhr, nothing"] == "globalThis.count = 1,globalThis.count = 2")
        let scheme = try await results("scheme", step).leaves
        expectSame(plain, scheme, "scheme")
    }

    @Test("Requests that a page sends while it unloads arrive completely")
    func leaving() async throws {
        let steps = [
            "run:await load('leave.js'); leave()",
            "until:return document.title === 'left' && typeof brought === 'function'", "run:return await brought()",
        ]
        let plain = try await results("plain", steps[0], steps[1], steps[2]).report.server
        let scheme = try await results("scheme", steps[0], steps[1], steps[2]).report.server
        let sent = plain.filter { $0.key.hasPrefix("keep-") || $0.key.hasPrefix("beacon-") }
        #expect(sent.count == 16)
        for (name, bodies) in sent {
            // When the page unloads, the file of a form can no longer be read. The request fails; it is not sent
            // without the file.
            let expected = name.hasSuffix("form") ? nil : bodies.map(\.bytes)
            #expect(scheme[name]?.map(\.bytes) == expected, "\(name)")
        }
    }

    @Test("An aborted request ends as in the plain engine, for every body and after garbage collection")
    func aborts() async throws {
        let step = "run:await load('abort.js'); return await aborts()"
        let plain = try await results("plain", step).leaves
        #expect(plain.count == 80)
        expectSame(plain, try await results("scheme", step).leaves, "scheme")
    }

    @Test(
        "Libraries that wrap the engine's functions observe and send the same as in the plain engine",
        arguments: ["scheme", "forced"])
    func wrappers(mode: String) async throws {
        let step = "run:await load('wrap.js'); return await wrapped()"
        let plain = try await results("plain", step)
        #expect(plain.leaves.count > 75)
        let found = try await results(mode, step)
        expectSame(plain.leaves, found.leaves, mode)
        #expect(plain.report.server.count == 35)
        for (cell, sent) in plain.report.server {
            #expect(found.report.server[cell]?.map(\.sha256) == sent.map(\.sha256), "\(cell)")
        }
    }

    @Test(
        "A policy in a page's markup forbids the same as in the plain engine",
        arguments: ["connect-src 'self'", "connect-src 'none'", "default-src 'none'", "default-src 'self'"])
    func metaPolicies(policy: String) async throws {
        let step = "run:await load('meta.js'); return await metaPolicy(\"\(policy)\")"
        let plain = try await results("plain", step)
        let scheme = try await results("scheme", step)
        expectSame(plain.leaves, scheme.leaves, "scheme")
        #expect(
            scheme.report.server.mapValues { $0.map(\.sha256) } == plain.report.server.mapValues { $0.map(\.sha256) })
    }

    @Test(
        "Simultaneous requests without CORS to one URL each keep their body and their header fields")
    func withoutCORS() async throws {
        let step = """
            run:await Promise.all([1, 2, 3, 4].map((number) => fetch("/record/opaque", { method: "POST", mode: "no-cors",
            body: new Blob([`body ${number}`]), headers: number === 2 ? { "Content-Language": "de" } : {} })));
            return true
            """
        for mode in ["plain", "scheme", "proxy"] {
            let sent = try #require(try await run(mode, step).server["opaque"])
            #expect(
                Set(sent.compactMap(\.bytes)) == Set((1...4).map { Data("body \($0)".utf8) }) && sent.count == 4,
                "\(mode)")
            #expect(sent.compactMap(\.language) == ["de"], "\(mode)")
        }
    }

    @Test("Values from a page reach the container in an encoding without a backslash")
    func encodings() async throws {
        let step =
            #"run:document.cookie = 'a="x\\y"; path=/'; "#
            + #"await fetch('/record/japanese?"\\', { method: "POST", body: new Blob(["body"]) }); return document.cookie"#
        for mode in ["plain", "scheme"] {
            let report = try await run(mode, at: "/japanese.html", step)
            #expect(report.results == [.text(#"a="x\y""#)], "\(mode)")
            #expect(report.server["japanese"]?.map(\.bytes) == [Data("body".utf8)], "\(mode)")
        }
    }
}
