// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import CookieJar
import HTTPTransport
import HTTPTypes
import PublicSuffixList
import ResourceLoading
import SchemeMode
import SchemeRouter
import WebEngine
import WebViewPool

/// A consumer program: one request through a chain of two loaders, one digest, a transport, one view from a pool, one
/// accepted cookie and one rejected cookie.
@main
struct Light {
    static func main() async throws {
        let names = SchemeNames.standard
        guard let url = names.realURL(of: "containerkit://shop.example/index.html"),
            let head = HTTPRequest(urlText: url),
            let response = try await LoaderChain([Nobody(), Greeting()]).load(ResourceRequest(head))
        else { throw ResourceError(.internal, "no response") }
        let body = try await response.body.collect(upTo: 1_024)
        let digest = SHA256Digest(hex: "558b7f0cfae82adf39f3a56793772ad2ca8848403b6d382991ced530d7074a24")
        guard SHA256Digest(of: body) == digest else { throw ResourceError(.internal, "unexpected digest") }

        let transport = URLSessionTransport()
        defer { transport.shutDown() }
        guard DecodingTransport(transport).capabilities == transport.capabilities else {
            throw ResourceError(.internal, "unexpected capabilities")
        }

        let pool = await ViewPool<BlankView, OneKey>(.init(capacity: 1)) { _ in BlankView() }
        try await pool.warmUp(for: OneKey())
        let warm = await pool.warmCount

        guard let page = CookieURL(url) else { throw ResourceError(.internal, "a URL without cookies") }
        let jar = CookieStore(publicSuffixes: SuffixList())
        let refused = jar.store(setCookies: ["a=b; Domain=shop.example", "c=d; Domain=example"], from: page)
        guard jar.cookieHeader(for: page) == "a=b", refused.map(\.code) == [.publicSuffix] else {
            throw ResourceError(.internal, "unexpected cookies")
        }
        print(
            "\(url): \(response.head.status.code), \(body.count) bytes, \(warm) warm view, \(jar.cookies.count) cookie")
    }
}

/// A loader that never responds.
struct Nobody: ResourceLoader {
    func load(_ request: ResourceRequest) async throws -> ResourceResponse? { nil }
}

/// A loader that responds to every request with the same text.
struct Greeting: ResourceLoader {
    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        ResourceResponse(
            head: HTTPResponse(status: .ok), body: .bytes(.init("hello, page".utf8)),
            provenance: Provenance(.synthetic, reason: "the greeting"))
    }
}

/// The only key of the pool.
struct OneKey: PoolKey {
    var kind: OneKey { self }
}

/// A view without an engine.
@MainActor
final class BlankView: PoolableView {
    let isAlive = true
    func warmUp() async throws {}
    func reset() async throws -> BlankView { self }
    func residualState() async throws -> Set<ResidualState> { [] }
    func discard() {}
}
