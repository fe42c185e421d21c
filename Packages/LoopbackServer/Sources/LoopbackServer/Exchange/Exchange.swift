// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOHTTP1
internal import ResourceLoading

/// One request on a connection, from its head to its end.
///
/// Isolation: the connection's event loop.
final class Exchange {
    let request: ResourceRequest
    let version: HTTPVersion
    var life: ExchangeState
    var report: ExchangeReport
    /// Where the request's body goes; `nil` where there is none, and once it is whole.
    var body: RequestBody.Source?
    /// The body's reader wants more than there is.
    var wantsBody = true
    /// The engine waits for permission to send the body (RFC 9110, section 10.1.1).
    var awaitsContinue: Bool
    var work: Task<Void, Never>?
    /// The bytes that the answer's head announced and that have not left yet; `nil` where it announced none.
    var left: Int64?
    /// Whether the answer has a body; known once its head has left.
    var hasBody = false
    /// Whether an answer to this may have a body, by the request's method.
    var allowsBody: Bool { request.head.method != .head }

    init(_ request: ResourceRequest, _ head: HTTPRequestHead, hasBody: Bool) {
        self.request = request
        version = head.version
        // After an upgrade that was asked for the decoder reads nothing more.
        life = ExchangeState(
            keepsAlive: head.isKeepAlive && !head.headers.contains(name: "upgrade"), hasBody: hasBody)
        report = ExchangeReport(request)
        awaitsContinue = hasBody && head.version == .http1_1 && head.headers.contains(name: "expect")
    }
}
