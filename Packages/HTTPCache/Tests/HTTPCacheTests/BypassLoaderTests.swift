// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@_spi(Facade) @testable import HTTPCache

@Suite("Bypass loader", .timeLimit(.minutes(1)))
struct BypassLoaderTests {
    /// A server that marks each response as specific to its URL.
    private final class Origin: ResourceLoader {
        private let number = Mutex(0)

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            let number = number.withLock { number in
                number += 1
                return number
            }
            return ResourceResponse(
                head: HTTPResponse(
                    status: .ok, headerFields: [.cacheControl: "max-age=600", .contentLocation: "/a.js"]),
                body: .bytes(Data("\(number)".utf8)), provenance: Provenance(.network, reason: "the origin"))
        }
    }

    private let cache: CachingLoader
    private let passed: any ResourceLoader

    init() {
        let origin = Origin()
        cache = CachingLoader(next: origin)
        passed = cache.makeBypassLoader(network: origin)
    }

    private func text(_ method: HTTPRequest.Method, from loader: any ResourceLoader) async throws -> String? {
        let head = try #require(HTTPRequest(method: method, urlText: "https://shop.example/a.js"))
        guard let response = try await loader.load(ResourceRequest(head)) else { return nil }
        let text = String(decoding: try await response.body.collect(upTo: 100), as: UTF8.self)
        await cache.waitUntilIdle()
        return text
    }

    @Test("A bypassed GET stores nothing; a bypassed POST invalidates the stored response", arguments: [true, false])
    func leavesNothing(isPassed: Bool) async throws {
        #expect(try await text(.get, from: cache) == "1")
        #expect(try await text(.get, from: cache) == "1")
        #expect(try await text(.post, from: isPassed ? passed : cache) == "2")
        #expect(try await text(.get, from: cache) == (isPassed ? "3" : "2"))
        #expect(try await text(.get, from: passed) == (isPassed ? "4" : "3"))
        #expect(try await text(.get, from: cache) == (isPassed ? "3" : "2"))
    }
}
