// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerTesting
internal import Foundation
internal import HTTPTypes

/// A page that requests data, and a server with two hosts that counts requests.
final class PrefetchSite: Sendable {
    static let hosts = ["m.example", "api.example"]
    static let page = "https://m.example/page?id=7"
    static let documentCookie = "first=1"

    /// A received request.
    struct Sent: Sendable {
        let request: OriginRequest
        /// The method and the path.
        var name: String { "\(request.method) \(request.path)" }
        /// The header fields by name in lower case.
        var fields: [String: String] {
            Dictionary(request.headers.map { ($0.name.canonicalName, $0.value) }) { "\($0), \($1)" }
        }
    }

    private struct State {
        var sent: [Sent] = []
        var isReleased = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The requests received since ``reset()``.
    var sent: [Sent] { state.withLock(\.sent) }

    /// Resets the record.
    func reset() { state.withLock { $0 = State() } }

    func start() async throws -> OriginServer {
        guard let any = OriginPathPattern("/*") else { throw CheckFailure(description: "not a pattern") }
        let methods: [HTTPRequest.Method] = [.get, .post, .options]
        var configuration = OriginServer.Configuration(
            routes: methods.map { method in OriginRoute(method, any) { [self] in await answer($0) } })
        configuration.usesTLS = true
        return try await OriginServer.start(configuration)
    }

    private func answer(_ request: OriginRequest) async -> OriginResponse {
        let count = state.withLock { state in
            state.sent.append(Sent(request: request))
            return state.sent.count { $0.name == "\(request.method) \(request.path)" }
        }
        var headers: HTTPFields = [.contentType: "text/plain", .cacheControl: "no-store"]
        if request.path.hasPrefix("/cors/") {
            headers[.accessControlAllowOrigin] = request.headers[.origin] ?? "none"
            for name in ["Access-Control-Allow-Headers", "Access-Control-Allow-Methods"].compactMap({
                HTTPField.Name($0)
            }) {
                headers[name] = "content-type, POST"
            }
        }
        switch request.path {
        case "/page":
            headers[.contentType] = "text/html"
            headers[.setCookie] = Self.documentCookie + "; Path=/"
        case "/release":
            let held = state.withLock { state in
                state.isReleased = true
                defer { state.held = [] }
                return state.held
            }
            for continuation in held { continuation.resume() }
        case "/api/held":
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    if !state.isReleased { state.held.append(continuation) }
                    return !state.isReleased
                }
                if !waits { continuation.resume() }
            }
        case "/api/post":
            // In custom-scheme mode, the page's own request includes the cookie, because the container already has
            // it.
            headers[.setCookie] = "session=renewed; Path=/api/post"
        case "/api/fails" where count == 1:
            return OriginResponse(.internalServerError, headers: headers)
        default: break
        }
        let text =
            request.path == "/page"
            ? "<!doctype html><title>page</title><p>page \(count)"
            : "\(count) \(request.query ?? "-") \(String(decoding: request.body, as: UTF8.self))"
        return OriginResponse(headers: headers, body: .bytes(Data(text.utf8)))
    }
}
