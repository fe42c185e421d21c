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
    /// Responses that another page has loaded, and that a page then gets from the HTTP cache.
    @Suite("HTTP cache", .timeLimit(.minutes(3)))
    struct CacheTests {
        @Test(
            "The second page gets reusable responses from the cache, and no others",
            arguments: [("max-age=600", 1), ("no-store", 2)])
        func pages(control: String, requests: Int) async throws {
            let asked = Mutex(0)
            let counted = OriginRoute(.get, try #require(OriginPathPattern("/asset"))) { _ in
                let number = asked.withLock { count in
                    count += 1
                    return count
                }
                var response = OriginResponse.text("asset \(number)")
                response.headers[.cacheControl] = control
                return response
            }
            let shop = try await Shop(routes: [counted])
            let script = "fetch('/asset').then(answer => answer.text()).then(text => { window.text = text })"
            try shop.folder.write("script.js", script.utf8)
            // The second document is another page of the site, because the engine's memory cache would respond for the
            // same page.
            try shop.folder.write("site/other.html", "<!doctype html><title>Other</title>".utf8)
            try shop.folder.write("urls.txt", "\(shop.page)\n\(shop.origin.url)/other.html\n".utf8)
            let outcome = try await Program("container-browser").run(
                "run", "--urls", "urls.txt", "--mode", "scheme", "--user-script", "script.js", "--until",
                "window.text", "--print", "window.text", in: shop.folder.path)
            await shop.origin.stop()
            #expect(outcome.status == 0, "\(outcome.errors)")
            let values = try outcome.output.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["value"]
                    as? String
            }
            #expect(values == ["asset 1", "asset \(requests)"])
            #expect(asked.withLock { $0 } == requests)
        }

        @Test("Each run of `open` begins with empty caches")
        func opened() async throws {
            let shop = try await Shop()
            let report = try await shop.browser.open(shop.page, "--mode", "scheme", "--runs", "2")
            await shop.origin.stop()
            #expect(report.runs.map(\.requests.network) == [6, 6])
        }
    }
}
