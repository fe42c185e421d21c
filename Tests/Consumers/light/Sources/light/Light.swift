// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import SchemeMode
import SchemeRouter
import WebViewPool

/// A consumer's program: one request through a chain of two loaders, and one loan from a pool.
@main
struct Light {
    static func main() async throws {
        let names = SchemeNames.standard
        guard let url = names.realURL(of: "containerkit://shop.example/index.html"),
            let head = HTTPRequest(urlText: url),
            let response = try await LoaderChain([Nobody(), Greeting()]).load(ResourceRequest(head))
        else { throw ResourceError(.internal, "nobody answered") }
        let body = try await response.body.collect(upTo: 1_024)

        let pool = await WebViewPool(capacity: 1) { BlankView() }
        try await pool.warmUp()
        let warm = await pool.warmCount
        print("\(url): \(response.head.status.code), \(body.count) bytes, \(warm) warm view")
    }
}

/// Answers nothing.
struct Nobody: ResourceLoading {
    func load(_ request: ResourceRequest) async throws -> ResourceResponse? { nil }
}

/// Answers everything with the same two words.
struct Greeting: ResourceLoading {
    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        ResourceResponse(
            head: HTTPResponse(status: .ok), body: .bytes(.init("hello, page".utf8)),
            provenance: Provenance(.synthetic, reason: "the greeting"))
    }
}

/// A view without an engine.
@MainActor
final class BlankView: PoolableView {
    let isAlive = true
    func warmUp() async throws {}
    func reset() async throws {}
    func discard() {}
}
