// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading

/// A server in memory whose documents have the method and the number of their request as title.
final class PostSite: HTTPTransporting {
    let capabilities: TransportCapabilities = []
    /// The URL to which `/out` redirects.
    let outside: String
    private let recorded = Mutex<[LegacySite.Sent]>([])

    /// The received requests, in order.
    var sent: [LegacySite.Sent] { recorded.withLock { $0 } }

    init(outside: String) {
        self.outside = outside
    }

    /// Returns the requests for a path with its query.
    func sent(to path: String) -> [LegacySite.Sent] { sent.filter { $0.head.path == path } }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        let sent = LegacySite.Sent(head: request, body: try await body.collect(upTo: 1 << 20))
        let number = recorded.withLock { recorded in
            recorded.append(sent)
            return recorded.count { $0.head.path == request.path }
        }
        switch request.path {
        case "/303": return Self.redirect(303, to: "/page?after")
        case "/307": return Self.redirect(307, to: "https://other.example/page?in")
        case "/out": return Self.redirect(307, to: outside)
        case "/script.js": return .page("", type: "text/javascript")
        default: break
        }
        var answer = TransportResponse.page(
            """
            <!doctype html><title>\(request.method.rawValue) \(number)</title>
            <script src="/script.js"></script><a href="/next">next</a>
            """)
        answer.head.headerFields[.cacheControl] = "no-store"
        answer.head.headerFields[.setCookie] = "strict=1; Secure; SameSite=Strict"
        return answer
    }

    private static func redirect(_ status: Int, to target: String) -> TransportResponse {
        TransportResponse(
            head: HTTPResponse(
                status: HTTPResponse.Status(code: status),
                headerFields: [.location: target, .cacheControl: "no-store", .contentLength: "0"]), body: .empty)
    }
}
